//! Any bytes in any reads: no panic, the same result, and changes that add up to the answer.
//!
//! `RUSTC_BOOTSTRAP=1 cargo fuzz run stream tests/streams -- -max_total_time=600`

#![no_main]

use libfuzzer_sys::fuzz_target;
use pplx::Source;
use pplx::provider::web::{Snapshot, StreamState};
use pplx::net::sse::Decoder;

fn read(bytes: &[u8], size: usize) -> (String, Vec<Source>, StreamState) {
    let mut decoder = Decoder::with_limit(1 << 16);
    let mut snapshot = Snapshot::default();
    let mut told = String::new();
    for piece in bytes.chunks(size) {
        let mut input = piece;
        while let Ok(Some(event)) = decoder.next(&mut input) {
            let _ = snapshot.receive(event.name, event.data);
            if snapshot.state() == StreamState::Ended {
                break;
            }
        }
        tell(&mut snapshot, &mut told);
        if snapshot.state() == StreamState::Ended {
            break;
        }
    }
    if let Some(event) = decoder.finish().filter(|_| snapshot.state() != StreamState::Ended) {
        let _ = snapshot.receive(event.name, event.data);
    }
    tell(&mut snapshot, &mut told);
    let answer = snapshot.answer();
    // An answer out of `text` is not told on the way: it comes only where the blocks end up with none.
    let from_blocks = !bytes.windows(6).any(|window| window == b"\"text\"");
    if from_blocks && !told.trim().is_empty() && !answer.trim().is_empty() {
        assert_eq!(told, answer);
    }
    (answer, snapshot.sources(), snapshot.state())
}

fn tell(snapshot: &mut Snapshot, told: &mut String) {
    if let Some(change) = snapshot.take_text_change() {
        told.truncate(change.at);
        told.push_str(&change.text);
    }
    snapshot.take_steps();
    snapshot.take_sources();
}

fuzz_target!(|data: &[u8]| {
    let Some((size, bytes)) = data.split_first() else { return };
    let small = read(bytes, usize::from(*size).max(1));
    // An event beyond the bound ends a real reply; where it is noticed depends on the reads.
    if bytes.len() < 1 << 16 {
        assert_eq!(small, read(bytes, bytes.len().max(1)));
    }
});
