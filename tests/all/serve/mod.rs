//! `pplx serve`: what OpenAI's clients are answered.

mod admin;
mod chat;
mod files;
#[cfg(feature = "mcp")]
mod mcp;
mod models;
mod page;
mod responses;
mod safety;
mod shutdown;
mod streams;
mod tools;

use serde_json::{Value, json};

use crate::support::{ASK, Home, Reply, Server, Serving};

/// The key of a server that has one. Made up.
const KEY: &str = "key-of-the-tests-0123456789";

/// An answer that cites two pages, one of them twice, after a search.
fn cited(text: &str) -> Reply {
    let block = |block: Value| {
        let frame = json!({"status": "PENDING", "display_model": "pplx_pro_upgraded", "backend_uuid": "entry-1",
            "context_uuid": "context-1", "read_write_token": "rw-secret-1", "blocks": [block]});
        format!("data: {frame}\n\n")
    };
    let search = json!({"intended_usage": "pro_search_steps", "plan_block": {"steps": [
        {"step_type": "SEARCH_WEB", "search_web_content": {"queries": [{"query": "words"}]}}]}});
    let pages = json!({"intended_usage": "web_results", "web_result_block": {"web_results": [
        {"name": "A page", "url": "https://a.example/", "snippet": "About a.", "timestamp": "2026-09-01T00:00:00"},
        {"name": "B page", "url": "https://b.example/"}]}});
    let written = json!({"intended_usage": "ask_text", "markdown_block": {"chunks": [text], "chunk_starting_offset": 0}});
    let end =
        json!({"status": "COMPLETED", "final": true, "display_model": "pplx_pro_upgraded", "blocks": []});
    let end = format!("data: {end}\n\nevent: end_of_stream\ndata: {{}}\n\n");
    Reply::events().write(block(search)).write(block(pages)).write(block(written)).write(end)
}

/// A server that answers questions with these replies, in front of a scripted service.
fn answering(replies: Vec<Reply>) -> (Server, Home, Serving) {
    with_options(replies, &[])
}

fn with_options(replies: Vec<Reply>, options: &[&str]) -> (Server, Home, Serving) {
    let upstream = Server::start([(ASK, replies)]);
    let home = Home::logged_in(&upstream);
    let serving = Serving::of(&home, options);
    (upstream, home, serving)
}

/// The questions that reached the service, as text.
fn asked(upstream: &Server) -> Vec<Value> {
    let asked = upstream.requests().into_iter().filter(|request| request.key == ASK);
    asked.map(|request| request.json()).collect()
}
