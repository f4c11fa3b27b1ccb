//! What holds for any bytes and any reads.

use pplx::net::sse::Decoder;
use pplx::provider::web::{Snapshot, StreamState};
use pplx::{Source, TextChange};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// What a stream leads to: its text, sources and end, and whether the changes told add up to the text.
fn read(pieces: &[&[u8]]) -> (String, Vec<Source>, StreamState) {
    let mut decoder = Decoder::with_limit(1 << 20);
    let mut snapshot = Snapshot::default();
    let mut told = String::new();
    for piece in pieces {
        let mut input = *piece;
        while let Ok(Some(event)) = decoder.next(&mut input) {
            let _ = snapshot.receive(event.name, event.data);
            if snapshot.state() == StreamState::Ended {
                break;
            }
        }
        apply(&mut told, snapshot.take_text_change());
        snapshot.take_sources();
        snapshot.take_steps();
        if snapshot.state() == StreamState::Ended {
            break;
        }
    }
    if let Some(event) = decoder.finish().filter(|_| snapshot.state() != StreamState::Ended) {
        let _ = snapshot.receive(event.name, event.data);
    }
    apply(&mut told, snapshot.take_text_change());
    let answer = snapshot.answer();
    if !answer.trim().is_empty() {
        assert_eq!(told, answer, "the changes add up to the answer");
    }
    (answer, snapshot.sources(), snapshot.state())
}

fn apply(told: &mut String, change: Option<TextChange>) {
    if let Some(change) = change {
        assert!(told.is_char_boundary(change.at), "a change begins inside a character");
        told.truncate(change.at);
        told.push_str(&change.text);
    }
}

/// Frames that touch every form of the answer, in random order.
fn frame() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec!["", " ", "a", "é", "two words ", "[1]", "🧪", "\\n\\n", "\\u00e9"]);
    let usage =
        prop::sample::select(vec!["ask_text", "ask_text_0_markdown", "ask_text_1_markdown", "markdown"]);
    let path = prop::sample::select(vec![
        "",
        "/answer",
        "/chunks",
        "/chunks/0",
        "/chunks/1",
        "/chunks/-",
        "/chunks/7",
        "/web_results/0",
        "/web_results/-",
        "/web_results/0/name",
        "/steps/0/items/0/payload/text_payload/chunks/0",
        "/steps/0/items/-",
        "/steps/-",
        "/nowhere",
    ]);
    let op = prop::sample::select(vec!["add", "replace", "remove", "move", "copy", "test"]);
    let field = prop::sample::select(vec![
        "markdown_block",
        "web_result_block",
        "workflow_block",
        "unified_assets_block",
    ]);
    let value = prop::sample::select(vec![
        "\"x\"",
        "null",
        "7",
        "[\"p\",\"q\"]",
        "{\"chunks\":[\"c\"]}",
        "{\"answer\":\"whole\"}",
        "{\"web_results\":[{\"url\":\"https://a.example\"},{}]}",
        "{\"url\":\"https://b.example\"}",
        "{\"steps\":[{\"items\":[{\"payload\":{\"text_payload\":{\"variant\":\"answer\",\"chunks\":[\"w\"]}}}]}]}",
        "{\"assets\":[{\"research_report\":{\"source_content\":\"report\"}}]}",
    ]);
    let plain = (usage.clone(), words.clone(), -1..5_i64, any::<bool>()).prop_map(|(usage, words, offset, is_final)| {
        format!(
            "{{\"status\":\"PENDING\",\"final\":{is_final},\"blocks\":[{{\"intended_usage\":\"{usage}\",\"markdown_block\":\
             {{\"chunks\":[\"{words}\",\"{words}\"],\"chunk_starting_offset\":{offset}}}}}]}}"
        )
    });
    let diff = (usage.clone(), field, op, path.clone(), path, value).prop_map(|(usage, field, op, path, from, value)| {
        format!(
            "{{\"blocks\":[{{\"intended_usage\":\"{usage}\",\"diff_block\":{{\"field\":\"{field}\",\"patches\":\
             [{{\"op\":\"{op}\",\"path\":\"{path}\",\"from\":\"{from}\",\"value\":{value}}}]}}}}]}}"
        )
    });
    let answer = (usage, words).prop_map(|(usage, words)| {
        format!("{{\"blocks\":[{{\"intended_usage\":\"{usage}\",\"markdown_block\":{{\"answer\":\"{words}\"}}}}]}}")
    });
    let rest = prop::sample::select(vec![
        "[DONE]".to_owned(),
        "null".to_owned(),
        "{\"status\":\"COMPLETED\"}".to_owned(),
    ]);
    let pages = Just("{\"blocks\":[{\"intended_usage\":\"web_results\",\"web_result_block\":{\"web_results\":[{\"url\":\"https://a.example\"}]}}]}".to_owned());
    prop_oneof![4 => plain, 4 => diff, 2 => answer, 1 => pages, 1 => rest]
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let newline = prop::sample::select(vec!["\n", "\r\n", "\r"]);
    (prop::collection::vec(frame(), 0..12), newline).prop_map(|(frames, newline)| {
        frames.iter().map(|frame| format!("data: {frame}{newline}{newline}")).collect::<String>().into_bytes()
    })
}

fn pieces<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    ends.push(bytes.len());
    ends.sort_unstable();
    let mut start = 0;
    ends.into_iter().map(|end| &bytes[std::mem::replace(&mut start, end)..end]).collect()
}

#[test]
fn the_streams_that_are_made_up_have_answers_and_sources() {
    let mut runner = TestRunner::deterministic();
    let read: Vec<_> =
        (0..200).map(|_| read(&[&stream().new_tree(&mut runner).unwrap().current()])).collect();
    let answers = read.iter().filter(|(answer, ..)| !answer.trim().is_empty()).count();
    let sources = read.iter().filter(|(_, sources, _)| !sources.is_empty()).count();
    assert!(answers > 50 && sources > 50, "{answers} answers, {sources} with sources");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_result_does_not_depend_on_the_reads(
        stream in stream(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        prop_assert_eq!(read(&pieces(&stream, &cuts)), read(&[&stream]));
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        prop_assert_eq!(read(&pieces(&bytes, &cuts)), read(&[&bytes]));
    }

    #[test]
    fn damaged_streams_never_panic(
        stream in stream(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let mut stream = stream;
        for (at, byte) in damage {
            if !stream.is_empty() {
                let at = at.index(stream.len());
                stream[at] = byte;
            }
        }
        read(&[&stream]);
    }
}
