//! Standard input, as the protocol's library takes it.

use serde_json::{Value, json};
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
    let Ok(mut message) = serde_json::from_slice::<Value>(line) else { return };
    if message.get("method").and_then(Value::as_str) != Some("initialize") {
        return;
    }
    let Some(fields) = message.as_object_mut() else { return };
    let params = fields.entry("params").or_insert_with(|| json!({}));
    let Some(params) = params.as_object_mut() else { return };
    if !params.get("protocolVersion").is_some_and(Value::is_string) {
        params.insert("protocolVersion".to_owned(), VERSION.into());
    }
    params.entry("capabilities").or_insert_with(|| json!({}));
    params.entry("clientInfo").or_insert_with(|| json!({ "name": "unknown", "version": "0" }));
    *line = message.to_string().into_bytes();
    line.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(text: &str) -> Value {
        let mut line = text.as_bytes().to_vec();
        complete(&mut line);
        serde_json::from_slice(&line).unwrap()
    }

    #[test]
    fn a_handshake_gets_what_it_lacks_and_nothing_else_is_touched() {
        let params = &completed(r#"{"id":"a","method":"initialize"}"#)["params"];
        assert_eq!(params["protocolVersion"], VERSION);
        assert_eq!(params["clientInfo"]["name"], "unknown");
        let given = r#"{"id":0,"method":"initialize","params":{"protocolVersion":"","capabilities":{"x":{}},"clientInfo":{"name":"a","version":"1"}}}"#;
        assert_eq!(completed(given), serde_json::from_str::<Value>(given).unwrap());
        let other = r#"{"id":1,"method":"tools/call","params":{"name":"\"initialize\""}}"#;
        assert_eq!(completed(other), serde_json::from_str::<Value>(other).unwrap());
    }
}
