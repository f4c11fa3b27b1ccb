//! Standard input, as the protocol's library takes it.

use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader};
use tokio::sync::watch;

/// How much is on its way to the library, in bytes.
const BUFFER: usize = 64 << 10;
/// The version that a client gets which names none: the last with a handshake.
const VERSION: &str = "2025-11-25";

/// The lines of standard input. At their end, `ending` is told before the library is: calls that still run have nobody
/// to answer to.
pub(super) fn input(ending: watch::Sender<bool>) -> impl AsyncRead + Send + Unpin + 'static {
    let (ours, theirs) = tokio::io::duplex(BUFFER);
    tokio::spawn(async move {
        let mut ours = ours;
        let mut lines = BufReader::new(tokio::io::stdin());
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).await.is_ok_and(|length| length > 0) {
            complete(&mut line);
            if !line.ends_with(b"\n") {
                line.push(b'\n');
            }
            if ours.write_all(&line).await.is_err() {
                break;
            }
            line.clear();
        }
        // Whoever waits for it may be gone.
        let _ = ending.send(true);
    });
    theirs
}

/// Clients exist that name no version in their handshake, or do not say who they are. The library would not answer
/// them.
fn complete(line: &mut Vec<u8>) {
    const METHOD: &[u8] = b"\"initialize\"";
    if line.len() > BUFFER || !line.windows(METHOD.len()).any(|window| window == METHOD) {
        return;
    }
    let message = serde_json::from_slice::<Value>(line).ok();
    if let Some(message) = message.and_then(completed) {
        *line = message.to_string().into_bytes();
        line.push(b'\n');
    }
}

/// A handshake with all that it must have; `None` for any other message.
fn completed(mut message: Value) -> Option<Value> {
    let fields =
        message.as_object_mut().filter(|fields| fields.get("method") == Some(&"initialize".into()))?;
    let params = object_in(fields, "params")?;
    if !params.get("protocolVersion").is_some_and(Value::is_string) {
        params.insert("protocolVersion".to_owned(), VERSION.into());
    }
    object_in(params, "capabilities")?;
    let client = object_in(params, "clientInfo")?;
    for (name, usual) in [("name", "unknown"), ("version", "0")] {
        if !client.get(name).is_some_and(Value::is_string) {
            client.insert(name.to_owned(), usual.into());
        }
    }
    Some(message)
}

/// The object of this name; an empty one takes the place of anything else.
fn object_in<'a>(fields: &'a mut Map<String, Value>, name: &str) -> Option<&'a mut Map<String, Value>> {
    let value = fields.entry(name).or_insert(Value::Null);
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(text: &str) -> Value {
        let mut line = text.as_bytes().to_vec();
        complete(&mut line);
        serde_json::from_slice(&line).unwrap()
    }

    #[test]
    fn a_handshake_gets_what_it_lacks_and_nothing_else_is_touched() {
        let params = &mended(r#"{"id":"a","method":"initialize"}"#)["params"];
        assert_eq!(params["protocolVersion"], VERSION);
        assert_eq!(params["clientInfo"]["name"], "unknown");
        for text in [
            r#"{"method":"initialize","params":null}"#,
            r#"{"method":"initialize","params":{"capabilities":null,"clientInfo":{"name":"a"}}}"#,
        ] {
            let params = &mended(text)["params"];
            assert!(
                params["capabilities"].is_object() && params["clientInfo"]["version"].is_string(),
                "{params}"
            );
        }
        let given = r#"{"id":0,"method":"initialize","params":{"protocolVersion":"","capabilities":{"x":{}},"clientInfo":{"name":"a","version":"1"}}}"#;
        assert_eq!(mended(given), serde_json::from_str::<Value>(given).unwrap());
        let other = r#"{"id":1,"method":"tools/call","params":{"name":"\"initialize\""}}"#;
        assert_eq!(mended(other), serde_json::from_str::<Value>(other).unwrap());
    }
}
