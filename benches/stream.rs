//! What a reply costs: framing, merging, and both with the report that follows.
//!
//! The streams are generated: chunks that are appended, snapshots that repeat everything, and one line of 8 MB.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use pplx::domain::answer::Payer;
use pplx::net::sse::Decoder;
use pplx::provider::web::Snapshot;
use pplx::render::{Format, Paint, Style, renderer};
use pplx::{Answer, SearchEvent};
use serde_json::{Value, json};

/// A read of the size that a connection delivers, in bytes.
const READ: usize = 1400;

fn frame(event: &Value) -> String {
    format!("event: message\r\ndata: {event}\r\n\r\n")
}

fn event(chunks: &Value, offset: usize, status: &str) -> Value {
    json!({
        "status": status,
        "display_model": "pplx_pro_upgraded",
        "uuid": "00000000-0000-4000-8000-000000000001",
        "telemetry_data": { "padding": "x".repeat(900), "numbers": [1, 2.5, null, { "a": true }] },
        "blocks": [
            { "intended_usage": "ask_text_0_markdown", "markdown_block": { "chunks": chunks, "chunk_starting_offset": offset } },
            { "intended_usage": "ask_text", "markdown_block": { "chunks": chunks, "chunk_starting_offset": offset } },
        ],
    })
}

fn words(index: usize) -> String {
    format!("word {index} of an answer, ")
}

fn appended(count: usize) -> Vec<u8> {
    let frames = (0..count).map(|index| frame(&event(&json!([words(index)]), index, "PENDING")));
    (frames.collect::<String>() + &frame(&json!({ "status": "COMPLETED" }))).into_bytes()
}

fn cumulative(count: usize) -> Vec<u8> {
    let all: Vec<String> = (0..count).map(words).collect();
    let frames =
        (1..=count).map(|end| frame(&event(&json!(all.iter().take(end).collect::<Vec<_>>()), 0, "PENDING")));
    (frames.collect::<String>() + &frame(&json!({ "status": "COMPLETED" }))).into_bytes()
}

fn one_line(bytes: usize) -> Vec<u8> {
    let text = words(7).repeat(bytes / words(7).len());
    (frame(&event(&json!([text]), 0, "PENDING")) + &frame(&json!({ "status": "COMPLETED" }))).into_bytes()
}

fn decode(stream: &[u8]) -> usize {
    let mut decoder = Decoder::default();
    let mut bytes = 0;
    for mut read in stream.chunks(READ) {
        while let Ok(Some(event)) = decoder.next(&mut read) {
            bytes += event.data.len();
        }
    }
    bytes
}

fn events(stream: &[u8]) -> Vec<String> {
    let mut decoder = Decoder::default();
    let mut input = stream;
    let mut events = Vec::new();
    while let Ok(Some(event)) = decoder.next(&mut input) {
        events.push(event.data.to_owned());
    }
    events
}

fn merge(events: &[String]) -> String {
    let mut snapshot = Snapshot::default();
    for event in events {
        let _ = snapshot.receive("message", event);
        black_box(snapshot.take_text_change());
    }
    snapshot.answer()
}

fn pipeline(stream: &[u8]) -> usize {
    let mut decoder = Decoder::default();
    let mut snapshot = Snapshot::default();
    let style = Style {
        limit: None,
        wrap: true,
        screen: None,
        width: 80,
        paint: Paint::default(),
        now: 0,
        payer: Payer::Subscription,
    };
    let mut render = renderer(Format::Report, style);
    let mut out = Vec::new();
    for mut read in stream.chunks(READ) {
        while let Ok(Some(event)) = decoder.next(&mut read) {
            let _ = snapshot.receive(event.name, event.data);
        }
        if let Some(change) = snapshot.take_text_change() {
            let _ = render.event(&SearchEvent::Text(change), &mut out);
        }
    }
    let answer = Answer { text: snapshot.answer(), sources: snapshot.sources(), ..Answer::default() };
    let _ = render.answer(&answer, &mut out);
    out.len()
}

fn benchmarks(criterion: &mut Criterion) {
    let streams = [
        ("appended-500", appended(500)),
        ("appended-5000", appended(5000)),
        ("cumulative-500", cumulative(500)),
        ("line-8MB", one_line(8 << 20)),
    ];
    for (name, stream) in &streams {
        let mut group = criterion.benchmark_group(*name);
        group.sample_size(10).throughput(Throughput::Bytes(stream.len() as u64));
        group.bench_function("decode", |bencher| bencher.iter(|| decode(black_box(stream))));
        let events = events(stream);
        group.bench_function("merge", |bencher| bencher.iter(|| merge(black_box(&events))));
        group.bench_function("pipeline", |bencher| bencher.iter(|| pipeline(black_box(stream))));
        group.finish();
    }
}

#[allow(missing_docs, reason = "made by the macro")]
mod group {
    criterion::criterion_group!(all, super::benchmarks);
}

criterion::criterion_main!(group::all);
