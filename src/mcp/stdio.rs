//! Standard input for the protocol's library, with the handshakes that it would refuse completed.

use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader};
use tokio::sync::watch;

/// How much of the input the library may be behind, in bytes. A handshake is never longer.
const BUFFER: usize = 64 << 10;
/// The version for a client that names none: the last with a handshake.
const DEFAULT_VERSION: &str = "2025-11-25";

/// The lines of standard input. `set_ended` turns true before the library sees their end: it would write the results of
/// calls that it cancels then.
pub(super) fn input(set_ended: watch::Sender<bool>) -> impl AsyncRead + Send + Unpin + 'static {
    let (ours, theirs) = tokio::io::duplex(BUFFER);
    tokio::spawn(async move {
        let mut ours = ours;
        let mut lines = BufReader::new(tokio::io::stdin());
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).await.is_ok_and(|length| length > 0) {
            complete_line(&mut line);
            if !line.ends_with(b"\n") {
                line.push(b'\n');
            }
            if ours.write_all(&line).await.is_err() {
                break;
            }
            line.clear();
        }
        // Nobody may be waiting for it any more.
        let _ = set_ended.send(true);
    });
    theirs
}

/// Completes the line of a handshake. Some clients name no version, or do not say who they are, and the library would
/// not answer them.
fn complete_line(line: &mut Vec<u8>) {
    const METHOD: &[u8] = b"\"initialize\"";
    if line.len() > BUFFER || !line.windows(METHOD.len()).any(|window| window == METHOD) {
        return;
    }
    let message = serde_json::from_slice::<Value>(line).ok();
    if let Some(message) = message.and_then(complete_handshake) {
        *line = message.to_string().into_bytes();
        line.push(b'\n');
    }
}

/// The handshake with all that it must have; `None` for any other message.
fn complete_handshake(mut message: Value) -> Option<Value> {
    let fields =
        message.as_object_mut().filter(|fields| fields.get("method") == Some(&"initialize".into()))?;
    let params = object_in(fields, "params")?;
    if !params.get("protocolVersion").is_some_and(Value::is_string) {
        params.insert("protocolVersion".to_owned(), DEFAULT_VERSION.into());
    }
    object_in(params, "capabilities")?;
    let client = object_in(params, "clientInfo")?;
    for (name, default) in [("name", "unknown"), ("version", "0")] {
        if !client.get(name).is_some_and(Value::is_string) {
            client.insert(name.to_owned(), default.into());
        }
    }
    Some(message)
}

/// The object of this name. An empty one replaces anything else.
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

    fn completed(text: &str) -> Value {
        let mut line = text.as_bytes().to_vec();
        complete_line(&mut line);
        serde_json::from_slice(&line).unwrap()
    }

    #[test]
    fn a_handshake_gets_what_it_lacks_and_nothing_else_is_touched() {
        let params = &completed(r#"{"id":"a","method":"initialize"}"#)["params"];
        assert_eq!(params["protocolVersion"], DEFAULT_VERSION);
        assert_eq!(params["clientInfo"]["name"], "unknown");
        for text in [
            r#"{"method":"initialize","params":null}"#,
            r#"{"method":"initialize","params":{"capabilities":null,"clientInfo":{"name":"a"}}}"#,
        ] {
            let params = &completed(text)["params"];
            assert!(
                params["capabilities"].is_object() && params["clientInfo"]["version"].is_string(),
                "{params}"
            );
        }
        let given = r#"{"id":0,"method":"initialize","params":{"protocolVersion":"","capabilities":{"x":{}},"clientInfo":{"name":"a","version":"1"}}}"#;
        assert_eq!(completed(given), serde_json::from_str::<Value>(given).unwrap());
        let other = r#"{"id":1,"method":"tools/call","params":{"name":"\"initialize\""}}"#;
        assert_eq!(completed(other), serde_json::from_str::<Value>(other).unwrap());
    }
}
