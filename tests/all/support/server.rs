//! A scripted HTTP/1.1 server on loopback: exact bytes, pauses, cuts and hang-ups; it keeps what it was sent, and
//! fails the test whose script was not used up.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// What the server does for one request.
#[derive(Debug, Clone)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    acts: Vec<Act>,
    chunked: bool,
    /// Close the connection without a byte.
    drop: bool,
    /// How long the status line is held back.
    delay: Duration,
    /// Sent only if the request's cookies hold all of these and its body all of those; else this many comes.
    requires: Vec<String>,
    otherwise: Option<Box<Reply>>,
}

#[derive(Debug, Clone)]
enum Act {
    Write(Vec<u8>),
    Pause(Duration),
    /// End the connection in the middle of the body.
    Cut,
    /// Keep the connection open until the other side ends it.
    Hang,
}

impl Reply {
    /// A reply with this status and no body.
    pub fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            acts: Vec::new(),
            chunked: false,
            drop: false,
            delay: Duration::ZERO,
            requires: Vec::new(),
            otherwise: None,
        }
    }

    /// JSON with status 200.
    pub fn json(body: &str) -> Self {
        Self::status(200).header("Content-Type", "application/json").body(body)
    }

    /// An event stream in one write.
    pub fn stream(bytes: impl AsRef<[u8]>) -> Self {
        Self::events().write(bytes)
    }

    /// An event stream in writes of `size` bytes.
    pub fn in_pieces(bytes: &[u8], size: usize) -> Self {
        bytes.chunks(size).fold(Self::events(), Reply::write)
    }

    /// A reply whose body comes in pieces.
    pub fn pieces(status: u16) -> Self {
        Self { chunked: true, ..Self::status(status) }
    }

    /// An event stream that is still empty.
    pub fn events() -> Self {
        Self::pieces(200).header("Content-Type", "text/event-stream; charset=utf-8")
    }

    /// An event stream whose status line comes after so many milliseconds.
    pub fn delayed(milliseconds: u64) -> Self {
        Self { delay: Duration::from_millis(milliseconds), ..Self::events() }
    }

    /// The connection ends before a reply.
    pub fn dropped() -> Self {
        Self { drop: true, ..Self::status(200) }
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn body(self, body: &str) -> Self {
        self.write(body)
    }

    pub fn write(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.acts.push(Act::Write(bytes.as_ref().to_owned()));
        self
    }

    pub fn pause(mut self, milliseconds: u64) -> Self {
        self.acts.push(Act::Pause(Duration::from_millis(milliseconds)));
        self
    }

    pub fn cut(mut self) -> Self {
        self.acts.push(Act::Cut);
        self
    }

    pub fn hang(mut self) -> Self {
        self.acts.push(Act::Hang);
        self
    }

    /// Demands that the request holds `text`, in its headers or its body; `otherwise` is sent if it does not.
    pub fn requires(mut self, text: &str, otherwise: Reply) -> Self {
        self.requires.push(text.to_owned());
        self.otherwise = Some(Box::new(otherwise));
        self
    }
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    /// Method and path, as in a script's keys.
    pub key: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn holds(&self, text: &str) -> bool {
        self.body.contains(text) || self.headers.iter().any(|(_, value)| value.contains(text))
    }
}

#[derive(Default)]
struct State {
    script: HashMap<String, VecDeque<Reply>>,
    requests: Vec<Request>,
    connections: usize,
    closed_early: usize,
}

/// A running server. Dropping it checks that its script was used up.
pub struct Server {
    pub port: u16,
    state: Arc<Mutex<State>>,
}

impl Server {
    /// A server that replies by this script: the replies for each request, in their order. Anything else gets 404.
    pub fn start(script: impl IntoIterator<Item = (&'static str, Vec<Reply>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let script = script.into_iter().map(|(key, replies)| (key.to_owned(), replies.into())).collect();
        let state = Arc::new(Mutex::new(State { script, ..State::default() }));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                lock(&shared).connections += 1;
                thread::spawn(move || serve(&stream, &shared));
            }
        });
        Self { port, state }
    }

    /// A server that answers one question with `reply`.
    pub fn answering(reply: Reply) -> Self {
        Self::start([(super::ASK, vec![reply])])
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn requests(&self) -> Vec<Request> {
        lock(&self.state).requests.clone()
    }

    /// The only request.
    pub fn request(&self) -> Request {
        let requests = self.requests();
        assert_eq!(requests.len(), 1, "requests: {requests:?}");
        requests.into_iter().next().unwrap()
    }

    pub fn connections(&self) -> usize {
        lock(&self.state).connections
    }

    /// Waits until something was asked.
    #[track_caller]
    pub fn wait_for_request(&self) {
        let started = std::time::Instant::now();
        while self.requests().is_empty() {
            assert!(started.elapsed() < Duration::from_secs(20), "nothing was asked");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until this was asked.
    #[track_caller]
    #[cfg(feature = "serve")]
    pub fn wait_for(&self, key: &str) {
        let started = std::time::Instant::now();
        while !self.requests().iter().any(|request| request.key == key) {
            assert!(started.elapsed() < Duration::from_secs(20), "{key} was not asked");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until the other side has ended so many connections that the server kept open.
    pub fn wait_for_close(&self, count: usize, limit: Duration) -> bool {
        let end = std::time::Instant::now() + limit;
        while std::time::Instant::now() < end {
            if lock(&self.state).closed_early >= count {
                return true;
            }
            thread::sleep(Duration::from_millis(5));
        }
        false
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !thread::panicking() {
            let state = lock(&self.state);
            let left = state.script.iter().map(|(key, replies)| (key, replies.len()));
            let left: Vec<_> = left.filter(|(_, replies)| *replies > 0).collect();
            assert!(left.is_empty(), "so many replies were never asked for: {left:?}");
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// One connection: requests until one side has enough. Errors mean that the other side left.
fn serve(stream: &TcpStream, state: &Mutex<State>) {
    stream.set_nodelay(true).ok();
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader) {
        let reply = {
            let mut state = lock(state);
            state.requests.push(request.clone());
            let scripted = state.script.get_mut(&request.key).and_then(VecDeque::pop_front);
            scripted.unwrap_or_else(|| Reply::status(404).body("{}"))
        };
        let met = reply.requires.iter().all(|text| request.holds(text));
        let reply = if met { reply } else { *reply.otherwise.unwrap() };
        if !send(stream, &reply, state).unwrap_or(false) {
            break;
        }
    }
    stream.shutdown(Shutdown::Both).ok();
}

fn read_request(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let path = target.split('?').next()?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_lowercase(), value.trim().to_owned())),
            None => break,
        }
    }
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request {
        key: format!("{method} {path}"),
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}

/// Sends a reply. True if the connection can go on.
fn send(mut stream: &TcpStream, reply: &Reply, state: &Mutex<State>) -> std::io::Result<bool> {
    if reply.drop {
        return Ok(false);
    }
    thread::sleep(reply.delay);
    let mut head = format!("HTTP/1.1 {} X\r\n", reply.status);
    for (name, value) in &reply.headers {
        head += &format!("{name}: {value}\r\n");
    }
    if reply.chunked {
        head += "Transfer-Encoding: chunked\r\n";
    } else {
        let writes = reply.acts.iter().map(|act| if let Act::Write(bytes) = act { bytes.len() } else { 0 });
        head += &format!("Content-Length: {}\r\n", writes.sum::<usize>());
    }
    stream.write_all((head + "\r\n").as_bytes())?;
    for act in &reply.acts {
        match act {
            Act::Write(bytes) if reply.chunked && !bytes.is_empty() => {
                let frame = [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
                stream.write_all(&frame)?;
            }
            Act::Write(bytes) => stream.write_all(bytes)?,
            Act::Pause(duration) => thread::sleep(*duration),
            Act::Cut => return Ok(false),
            Act::Hang => {
                let _ = stream.read(&mut [0]);
                lock(state).closed_early += 1;
                return Ok(false);
            }
        }
    }
    if reply.chunked {
        stream.write_all(b"0\r\n\r\n")?;
    }
    Ok(true)
}
