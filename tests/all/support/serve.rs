//! A running `pplx serve`, and an HTTP/1.1 client as bare as can be.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// No wait in these tests takes longer.
const LIMIT: Duration = Duration::from_secs(20);

/// A running server. Dropping it kills it.
pub struct Serving {
    pub port: u16,
    child: Child,
}

impl Serving {
    /// Starts a server, and reads its address from its first line.
    pub fn start(mut command: Command) -> Self {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim_end().strip_prefix("http://127.0.0.1:").and_then(|port| port.parse().ok());
        let Some(port) = port else {
            let mut errors = String::new();
            child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
            panic!("no address: {line:?} {errors}");
        };
        Self { port, child }
    }

    /// A server on a free port, with these options.
    pub fn of(home: &super::Home, options: &[&str]) -> Self {
        Self::start(home.command(&[&["serve", "--listen", "127.0.0.1:0"], options].concat()))
    }

    pub fn request(&self, method: &str, path: &str) -> Request {
        let head = vec![("Host".to_owned(), format!("127.0.0.1:{}", self.port))];
        Request { port: self.port, line: format!("{method} {path} HTTP/1.1"), head, body: Vec::new() }
    }

    pub fn get(&self, path: &str) -> Response {
        self.request("GET", path).send()
    }

    pub fn post(&self, path: &str, body: &Value) -> Response {
        self.request("POST", path).body(body.to_string()).send()
    }

    /// Asks for a chat completion.
    pub fn chat(&self, body: Value) -> Response {
        self.post("/v1/chat/completions", &with_question(body, "messages"))
    }

    /// Asks for a response.
    pub fn respond(&self, body: Value) -> Response {
        self.post("/v1/responses", &with_question(body, "input"))
    }

    /// Sends a signal; the exit code and what was written to standard error.
    #[cfg(unix)]
    pub fn end(mut self, signal: rustix::process::Signal) -> (i32, String) {
        self.signal(signal);
        self.wait()
    }

    #[cfg(unix)]
    pub fn signal(&self, signal: rustix::process::Signal) {
        let id = i32::try_from(self.child.id()).unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(id).unwrap(), signal).unwrap();
    }

    /// Waits for the end.
    pub fn wait(&mut self) -> (i32, String) {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(started.elapsed() < LIMIT, "the server does not end");
            std::thread::sleep(Duration::from_millis(2));
        };
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (super::command::code_of(status), errors)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn with_question(mut body: Value, name: &str) -> Value {
    let question = if name == "input" { json!("why?") } else { json!([{"role": "user", "content": "why?"}]) };
    body.as_object_mut().unwrap().entry(name).or_insert(question);
    body.as_object_mut().unwrap().entry("model").or_insert(json!("auto"));
    body
}

/// A request being made.
#[derive(Clone)]
pub struct Request {
    port: u16,
    line: String,
    head: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    /// Sets a header; one of this name is replaced.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.head.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.head.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn key(self, key: &str) -> Self {
        self.header("Authorization", &format!("Bearer {key}"))
    }

    pub fn body(mut self, body: impl AsRef<[u8]>) -> Self {
        body.as_ref().clone_into(&mut self.body);
        self
    }

    pub fn send(self) -> Response {
        self.open().whole()
    }

    /// Sends the request. Dropping the connection leaves it.
    pub fn begin(mut self) -> TcpStream {
        self.head.push(("Content-Length".to_owned(), self.body.len().to_string()));
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let head: String = self.head.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!("{}\r\n{head}\r\n", self.line);
        // A server that has read enough may answer before it has everything.
        let _ = stream.write_all(&[head.as_bytes(), &self.body].concat());
        stream
    }

    /// Sends the request, and reads the head of the response.
    pub fn open(self) -> Open {
        let mut reader = BufReader::new(self.begin());
        let line = read_line(&mut reader);
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status: {line:?}"));
        let mut headers = Vec::new();
        loop {
            let line = read_line(&mut reader);
            let Some((name, value)) = line.split_once(": ") else { break };
            headers.push((name.to_lowercase(), value.to_owned()));
        }
        Open { status, headers, reader }
    }
}

fn read_line(reader: &mut impl BufRead) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}

/// A response whose body is still to be read. Dropping it closes the connection.
pub struct Open {
    pub status: u16,
    headers: Vec<(String, String)>,
    reader: BufReader<TcpStream>,
}

impl Open {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The next chunk of a body that comes in chunks; `None` at its end.
    pub fn chunk(&mut self) -> Option<String> {
        let size = usize::from_str_radix(&read_line(&mut self.reader), 16).unwrap_or(0);
        let mut chunk = vec![0; size];
        self.reader.read_exact(&mut chunk).ok()?;
        read_line(&mut self.reader);
        (size > 0).then(|| String::from_utf8(chunk).unwrap())
    }

    pub fn whole(mut self) -> Response {
        let mut body = Vec::new();
        if self.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk() {
                body.extend(chunk.into_bytes());
            }
        } else {
            let length = self.header("content-length").map_or(0, |length| length.parse().unwrap());
            body.resize(length, 0);
            self.reader.read_exact(&mut body).unwrap();
        }
        Response { status: self.status, headers: self.headers, body }
    }
}

/// A whole response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.text()))
    }

    /// Checks the status, and that the body is an error of the one shape; its code.
    #[track_caller]
    pub fn refused(&self, status: u16) -> String {
        let error = self.json();
        assert_eq!(self.status, status, "{error}");
        assert_eq!(error.as_object().unwrap().len(), 1, "{error}");
        let names: Vec<&String> = error["error"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["code", "message", "param", "type"], "{error}");
        assert!(error["error"]["message"].as_str().is_some_and(|message| message.len() > 15), "{error}");
        assert!(self.header("x-request-id").is_some());
        error["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    /// The data of each frame of an event stream; comments are left out.
    #[track_caller]
    pub fn frames(&self) -> Vec<String> {
        assert_eq!(self.header("content-type"), Some("text/event-stream; charset=utf-8"), "{}", self.text());
        let frames = self.text().split_terminator("\n\n").filter(|frame| !frame.starts_with(':'));
        let data =
            |frame: &str| frame.lines().find_map(|line| line.strip_prefix("data: ")).unwrap().to_owned();
        frames.map(data).collect()
    }

    /// The same as JSON, up to `[DONE]`, if that is there.
    #[track_caller]
    pub fn events(&self) -> Vec<Value> {
        let frames = self.frames();
        let frames = frames.iter().filter(|frame| *frame != "[DONE]");
        frames.map(|frame| serde_json::from_str(frame).unwrap()).collect()
    }
}
