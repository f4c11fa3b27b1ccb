//! A client of `pplx mcp`, as bare as can be: lines in, lines out.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// No wait in these tests takes longer.
const LIMIT: Duration = Duration::from_secs(20);

/// A running server.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Every line that came, in order.
    pub seen: Vec<Value>,
    id: u64,
}

impl Client {
    /// Starts the server; nothing is sent.
    pub fn start(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, lines, seen: Vec::new(), id: 0 }
    }

    /// Starts the server and shakes hands as a client of this name.
    pub fn ready(command: Command, name: &str) -> Self {
        let mut client = Self::start(command);
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}});
        assert!(client.request("initialize", params)["result"].is_object());
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    pub fn write(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.write(&format!("{message}\n"));
    }

    /// Sends a request; its id.
    pub fn post(&mut self, method: &str, params: Value) -> u64 {
        self.id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}));
        self.id
    }

    /// Sends a request; its reply.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        self.reply(&json!(id))
    }

    /// Calls a tool; its id.
    pub fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.post("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The same with a token for progress.
    pub fn begin_watched(&mut self, tool: &str, arguments: Value) -> u64 {
        let meta = json!({"progressToken": "token-1"});
        self.post("tools/call", json!({"name": tool, "arguments": arguments, "_meta": meta}))
    }

    /// Calls a tool; its result.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin(tool, arguments);
        self.reply(&json!(id))["result"].clone()
    }

    /// Waits for the reply with this id; what comes meanwhile is kept.
    #[track_caller]
    pub fn reply(&mut self, id: &Value) -> Value {
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(reply) =
                self.seen.iter().find(|line| line.get("id") == Some(id) && line.get("method").is_none())
            {
                return reply.clone();
            }
            assert!(
                Instant::now() < end && self.next(end - Instant::now()),
                "no reply to {id}: {:?}",
                self.seen
            );
        }
    }

    /// Reads a line, if one comes in time. Each must be an object.
    pub fn next(&mut self, limit: Duration) -> bool {
        match self.lines.recv_timeout(limit) {
            Ok(line) => {
                let value: Value =
                    serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line:?}"));
                assert!(value.is_object(), "{line}");
                self.seen.push(value);
                true
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => false,
        }
    }

    /// The messages of progress so far.
    pub fn progress(&self) -> Vec<String> {
        let told = self.seen.iter().filter(|line| line["method"] == "notifications/progress");
        told.map(|line| line["params"]["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends the input. Every line that came.
    #[track_caller]
    pub fn close_and_see(mut self) -> Vec<Value> {
        drop(self.input.take());
        while self.next(LIMIT) {}
        self.child.wait().unwrap();
        self.seen
    }

    /// Ends the input. How long the server took to end, and all that it wrote to standard error.
    #[track_caller]
    pub fn close(mut self) -> (Duration, String) {
        drop(self.input.take());
        let started = Instant::now();
        loop {
            if self.child.try_wait().unwrap().is_some() {
                break;
            }
            assert!(started.elapsed() < LIMIT, "the server does not end");
            thread::sleep(Duration::from_millis(2));
        }
        let took = started.elapsed();
        while self.next(Duration::from_millis(50)) {}
        let mut errors = String::new();
        std::io::Read::read_to_string(&mut self.child.stderr.take().unwrap(), &mut errors).unwrap();
        (took, errors)
    }
}
