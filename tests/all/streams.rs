//! Every rule of the stream has a recording of its own under `streams/`, with what the program must print for it.
//!
//! `UPDATE=1 cargo test streams` writes the expectations anew; read the difference before you keep it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{ASK, Home, Outcome, Reply, Server};
use pplx::net::sse::Decoder;

const MODEL: &str = "pplx_pro_upgraded";

/// In these the service takes back text that it sent, so a cut reply does not hold the beginning of the answer.
const REWRITTEN: [&str; 8] = [
    "answer-blocks-before-text",
    "answer-final-wins",
    "answer-segments",
    "merge-offsets",
    "merge-patches",
    "merge-patches-rare",
    "merge-rewritten",
    "research-report",
];

fn streams() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut streams: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "sse"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    streams.sort();
    assert!(streams.len() > 50, "the streams are missing");
    streams
}

fn shown(outcome: &Outcome) -> String {
    format!("exit {}\n---- stdout\n{}---- stderr\n{}", outcome.code, outcome.stdout, outcome.stderr)
}

fn expected(path: &Path) -> String {
    fs::read_to_string(path.with_extension("txt")).unwrap_or_default()
}

/// Asks a server that replies with `reply`.
fn ask(reply: Reply, format: &str) -> Outcome {
    let server = Server::start([(ASK, vec![reply])]);
    Home::logged_in(&server).run(&["search", "-m", MODEL, "-f", format, "what is it"])
}

/// The end of each event, in bytes.
fn event_ends(stream: &[u8]) -> Vec<usize> {
    let mut decoder = Decoder::default();
    let is_end = |byte: &u8| decoder.next(&mut std::slice::from_ref(byte)).unwrap().is_some();
    let ends = stream.iter().map(is_end).collect::<Vec<_>>();
    ends.iter().enumerate().filter(|(_, is_end)| **is_end).map(|(at, _)| at + 1).collect()
}

/// The end of the last event before the reply may end: before a frame that is final, or a mark of the end.
fn ends_before_the_end(stream: &[u8]) -> Vec<usize> {
    let marks = ["\"final\": true", "\"COMPLETED\"", "[DONE]", "end_of_stream"];
    let text = String::from_utf8_lossy(stream);
    let end = marks.iter().filter_map(|mark| text.find(mark)).min().unwrap_or(stream.len());
    let mut ends = vec![0];
    ends.extend(event_ends(stream).into_iter().filter(|event_end| *event_end <= end));
    ends
}

#[test]
fn a_recording_gives_the_expected_report() {
    for (name, path) in streams() {
        let home = Home::at("http://127.0.0.1:9");
        let outcome =
            home.run(&["search", "-m", MODEL, "--replay", path.to_str().unwrap(), "--", "what is it"]);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(path.with_extension("txt"), shown(&outcome)).unwrap();
        }
        assert_eq!(shown(&outcome), expected(&path), "{name}");
    }
}

#[test]
fn a_served_stream_gives_the_same_in_any_pieces() {
    for (name, path) in streams() {
        let stream = fs::read(&path).unwrap();
        let mut start = 0;
        let by_event =
            event_ends(&stream).into_iter().chain([stream.len()]).fold(Reply::events(), |reply, end| {
                let piece = &stream[std::mem::replace(&mut start, end)..end];
                reply.write(piece)
            });
        let ways = [
            ("whole", Reply::stream(&stream)),
            ("byte by byte", Reply::in_pieces(&stream, 1)),
            ("by event", by_event),
        ];
        for (way, reply) in ways {
            assert_eq!(shown(&ask(reply, "report")), expected(&path), "{name}, {way}");
        }
    }
}

#[test]
fn a_stream_cut_at_any_event_is_incomplete_and_keeps_what_came() {
    let mut cuts = 0;
    let mut rewritten = BTreeSet::new();
    for (name, path) in streams() {
        if !expected(&path).starts_with("exit 0\n") {
            continue;
        }
        let stream = fs::read(&path).unwrap();
        let whole = ask(Reply::stream(&stream), "json").json()["answer"].as_str().unwrap().to_owned();
        for end in ends_before_the_end(&stream) {
            for reply in [Reply::stream(&stream[..end]), Reply::stream(&stream[..end]).cut()] {
                let outcome = ask(reply, "json");
                assert_eq!(outcome.code, 8, "{name}, cut at {end}: {outcome:?}");
                assert!(outcome.stderr.starts_with("The answer is incomplete: "), "{outcome:?}");
                let Ok(document) = serde_json::from_str::<serde_json::Value>(&outcome.stdout) else {
                    panic!("{name}, cut at {end}: {outcome:?}");
                };
                let Some(partial) = document["answer"].as_str() else {
                    assert_eq!(end, 0, "{name}, cut at {end}: {outcome:?}");
                    continue;
                };
                assert_eq!(document["complete"], false);
                if !whole.starts_with(partial) {
                    rewritten.insert(name.clone());
                }
                cuts += 1;
            }
        }
    }
    assert!(cuts > 100, "only {cuts} cuts");
    assert_eq!(rewritten, REWRITTEN.map(str::to_owned).into());
}
