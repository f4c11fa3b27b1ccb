//! Chat completions as they come.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{answering, cited};
use crate::support::{Home, Reply, Server, Serving, answered, pending};

fn content(events: &[Value]) -> String {
    events.iter().filter_map(|event| event["choices"][0]["delta"]["content"].as_str()).collect()
}

fn finishes(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["choices"][0]["finish_reason"].as_str()).collect()
}

#[test]
fn a_stream_has_every_part_in_its_place() {
    let (_upstream, _home, serving) = answering(vec![cited("Because [1].")]);
    let response = serving.chat(json!({"stream": true, "stream_options": {"include_usage": true}}));
    assert_eq!(response.header("cache-control"), Some("no-cache"));
    assert_eq!(response.frames().last().unwrap(), "[DONE]");
    assert!(response.text().ends_with("data: [DONE]\n\n"));
    let events = response.events();
    assert!(events[0]["id"].as_str().unwrap().starts_with("chatcmpl-") && events[0]["created"].is_u64());
    for event in &events {
        assert_eq!(
            (&event["id"], &event["created"], &event["model"]),
            (&events[0]["id"], &events[0]["created"], &json!("pplx_pro_upgraded"))
        );
        assert_eq!(event["object"], "chat.completion.chunk");
        assert!(event["choices"].is_array() && event.as_object().unwrap().contains_key("usage"), "{event}");
    }
    assert_eq!(events[0]["choices"][0]["delta"], json!({"role": "assistant", "content": ""}));
    assert_eq!(events[1]["choices"][0]["delta"], json!({"reasoning_content": "Searching: words\n"}));
    assert_eq!(content(&events), "Because [1].");
    assert_eq!(finishes(&events), ["stop"]);
    let last = &events[events.len() - 2];
    assert_eq!(last["choices"][0]["finish_reason"], "stop");
    let citation = &last["choices"][0]["delta"]["annotations"][0]["url_citation"];
    assert_eq!(
        *citation,
        json!({"url": "https://a.example/", "title": "A page", "start_index": 8, "end_index": 11})
    );
    assert_eq!(last["citations"], json!(["https://a.example/", "https://b.example/"]));
    assert_eq!(last["search_results"][1]["title"], "B page");
    let usage = events.last().unwrap();
    assert_eq!(usage["choices"], json!([]));
    let count = |name: &str| usage["usage"][name].as_u64().unwrap();
    assert_eq!(count("total_tokens"), count("prompt_tokens") + count("completion_tokens"));
    assert!(events[..events.len() - 1].iter().all(|event| event["usage"].is_null()));
}

#[test]
fn usage_comes_only_where_it_is_asked_for() {
    for options in [json!(null), json!({}), json!({"include_usage": false})] {
        let (_upstream, _home, serving) = answering(vec![cited("x")]);
        let events = serving.chat(json!({"stream": true, "stream_options": options})).events();
        assert_eq!(finishes(&events), ["stop"]);
        assert!(events.iter().all(|event| event.get("usage").is_none() && event["choices"][0].is_object()));
    }
}

#[test]
fn text_is_passed_on_as_it_comes() {
    let reply = Reply::events()
        .write(pending(0, "one "))
        .pause(400)
        .write(pending(1, "two"))
        .write(answered("one two"));
    let (_upstream, _home, serving) = answering(vec![reply]);
    let started = Instant::now();
    let body = json!({"stream": true, "messages": [{"role": "user", "content": "x"}]}).to_string();
    let mut open = serving.request("POST", "/v1/chat/completions").body(body).open();
    let mut seen = String::new();
    while !seen.contains("one ") {
        seen += &open.chunk().unwrap();
    }
    assert!(started.elapsed() < Duration::from_millis(350) && !seen.contains("two"), "{seen}");
    assert!(open.whole().text().contains("two"));
}

#[test]
fn the_head_comes_before_the_first_word() {
    let reply = Reply::events().pause(600).write(answered("x"));
    let (_upstream, _home, serving) = answering(vec![reply]);
    let started = Instant::now();
    let body = json!({"stream": true, "messages": [{"role": "user", "content": "x"}]}).to_string();
    let open = serving.request("POST", "/v1/chat/completions").body(body).open();
    assert!(started.elapsed() < Duration::from_millis(500), "{:?}", started.elapsed());
    assert_eq!(content(&open.whole().events()), "x");
}

#[test]
fn marks_of_the_services_page_are_left_out_even_in_pieces() {
    let pieces = [
        "Paris [",
        "1",
        "] <gro",
        "k:render id=\"1\">junk</gr",
        "ok:render>is big, a < b.\n```\na[0] <grok:x>\n```",
    ];
    let whole = "Paris [1] is big, a < b.\n```\na[0] <grok:x>\n```";
    let chunks = pieces
        .iter()
        .enumerate()
        .fold(Reply::events(), |reply, (offset, piece)| reply.write(pending(offset, piece)));
    let reply = || chunks.clone().write(answered(&pieces.concat()));
    let (_upstream, _home, serving) = answering(vec![reply(), reply()]);
    assert_eq!(content(&serving.chat(json!({"stream": true})).events()), whole);
    assert_eq!(serving.chat(json!({})).json()["choices"][0]["message"]["content"], whole);
}

#[test]
fn a_final_text_that_goes_on_is_completed() {
    let reply = Reply::events().write(pending(0, "one ")).write(answered("one two."));
    let (_upstream, _home, serving) = answering(vec![reply]);
    assert_eq!(content(&serving.chat(json!({"stream": true})).events()), "one two.");
}

#[test]
fn a_final_text_that_contradicts_is_told_and_no_failure() {
    let reply = || Reply::events().write(pending(0, "one ")).write(answered("three."));
    let (_upstream, _home, serving) = answering(vec![reply(), reply()]);
    let response = serving.chat(json!({"stream": true}));
    let events = response.events();
    let text = content(&events);
    assert!(text.starts_with("one ") && text.ends_with("three.") && text.contains("corrected"), "{text}");
    assert_eq!(finishes(&events), ["stop"]);
    assert_eq!(events.last().unwrap()["pplx"]["corrected"], "three.");
    assert_eq!(serving.chat(json!({})).json()["choices"][0]["message"]["content"], "three.");
}

#[test]
fn a_failure_in_the_middle_is_an_error_and_no_end() {
    let error = "data: {\"status\":\"FAILED\",\"error_code\":\"BROKEN\",\"error_message\":\"it broke\"}\n\n";
    for (reply, code) in [
        (Reply::events().write(pending(0, "one ")).cut(), "upstream_cut"),
        (Reply::events().write(pending(0, "one ")).write(error), "upstream_error"),
    ] {
        let (_upstream, _home, serving) = answering(vec![reply]);
        let response = serving.chat(json!({"stream": true}));
        let events = response.events();
        assert_eq!((response.status, content(&events).as_str()), (200, "one "));
        assert_eq!(events.last().unwrap()["error"]["code"], code);
        assert!(finishes(&events).is_empty() && !response.text().contains("[DONE]"), "{}", response.text());
    }
}

#[test]
fn an_empty_answer_is_an_error_in_both_modes() {
    let blank = || {
        Reply::stream(
            "data: {\"status\":\"COMPLETED\",\"final\":true,\"display_model\":\"x\",\"blocks\":[]}\n\n",
        )
    };
    let (_upstream, _home, serving) = answering(vec![blank(), blank()]);
    let streamed = serving.chat(json!({"stream": true}));
    assert_eq!(streamed.events().last().unwrap()["error"]["code"], "empty_response");
    assert!(!streamed.text().contains("[DONE]"));
    assert_eq!(serving.chat(json!({})).refused(502), "empty_response");
}

#[test]
fn a_failure_before_the_stream_is_a_status() {
    let upstream = Server::start([]);
    let home = Home::logged_in(&upstream);
    let serving = Serving::of(&home, &[]);
    assert_eq!(
        serving.chat(json!({"stream": true, "model": "no-such-model"})).refused(404),
        "model_not_found"
    );
    assert_eq!(serving.chat(json!({"stream": true})).refused(502), "upstream_error");
}

#[test]
fn a_client_that_leaves_ends_its_upstream_call() {
    for stream in [true, false] {
        let (upstream, _home, serving) = answering(vec![Reply::events().write(pending(0, "one ")).hang()]);
        let body = json!({"stream": stream, "messages": [{"role": "user", "content": "x"}]}).to_string();
        let request = serving.request("POST", "/v1/chat/completions").body(body);
        if stream {
            let mut open = request.open();
            open.chunk();
        } else {
            let connection = request.begin();
            upstream.wait_for(super::ASK);
            drop(connection);
        }
        assert!(upstream.wait_for_close(1, Duration::from_secs(5)), "stream: {stream}");
    }
}

#[test]
fn a_run_of_research_is_taken_up_again_in_a_stream_too() {
    const RECONNECT: &str = "POST /rest/sse/perplexity_ask/reconnect/run-1";
    let frame = |status: &str, text: &str| {
        let text = serde_json::to_string(text).unwrap();
        format!(
            "data: {{\"status\":\"{status}\",\"display_model\":\"pplx_alpha\",\"backend_uuid\":\"run-1\",\"blocks\":[{{\"intended_usage\":\
             \"ask_text\",\"markdown_block\":{{\"chunks\":[{text}]}}}}]}}\n\n"
        )
    };
    for pause in [0, 100] {
        let broken = Reply::events()
            .write(frame("PENDING", "One "))
            .pause(pause)
            .write(frame("PENDING", "One two "))
            .cut();
        let rest = Reply::stream(frame("COMPLETED", "One two three."));
        let upstream = Server::start([(super::ASK, vec![broken]), (RECONNECT, vec![rest])]);
        let home = Home::logged_in(&upstream);
        let serving = Serving::of(&home, &["--alias", "research=pplx_alpha"]);
        let events = serving.chat(json!({"stream": true, "model": "research"})).events();
        assert_eq!((content(&events).as_str(), finishes(&events)), ("One two three.", vec!["stop"]));
    }
}

#[test]
fn silence_is_filled_with_comments() {
    let reply = Reply::events().pause(16_500).write(answered("x"));
    let (_upstream, _home, serving) = answering(vec![reply]);
    let response = serving.chat(json!({"stream": true}));
    assert!(response.text().starts_with(": waiting\n\n"), "{}", response.text());
    assert_eq!(content(&response.events()), "x");
}

/// The events of an answer in several pieces, with a source and a citation.
fn frames() -> Vec<Vec<u8>> {
    let page = "data: {\"status\":\"PENDING\",\"display_model\":\"pplx_pro_upgraded\",\"blocks\":[{\"intended_usage\":\"web_results\",\
        \"web_result_block\":{\"web_results\":[{\"name\":\"A\",\"url\":\"https://a.example/\"}]}}]}\n\n";
    let pieces = ["Tō", "kyō [", "1", "] is <gro", "k:x>j</grok:x>big"];
    let text = pieces.iter().enumerate().map(|(offset, piece)| pending(offset, piece));
    std::iter::once(page.as_bytes().to_vec()).chain(text).chain([answered(&pieces.concat())]).collect()
}

#[test]
fn a_stream_says_the_same_however_its_bytes_come() {
    let bytes = frames().concat();
    let sizes = [1, 7, 64, bytes.len()];
    let replies = sizes.iter().map(|size| Reply::in_pieces(&bytes, *size)).collect();
    let (_upstream, _home, serving) = answering(replies);
    for size in sizes {
        let events = serving.chat(json!({"stream": true})).events();
        assert_eq!(content(&events), "Tōkyō [1] is big", "{size}");
        let citation = &events.last().unwrap()["choices"][0]["delta"]["annotations"][0]["url_citation"];
        assert_eq!((&citation["start_index"], &citation["end_index"]), (&json!(6), &json!(9)));
    }
}

#[test]
fn a_stream_that_is_cut_anywhere_has_no_good_end() {
    let frames = frames();
    let cuts: Vec<usize> = (0..frames.len()).collect();
    let cut = |count: usize| frames[..count].iter().fold(Reply::events(), Reply::write).cut();
    let (_upstream, _home, serving) = answering(cuts.iter().map(|count| cut(*count)).collect());
    let mut longest = 0;
    for count in cuts {
        let response = serving.chat(json!({"stream": true}));
        let events = response.events();
        assert_eq!(events.last().unwrap()["error"]["code"], "upstream_cut", "{count}");
        assert!(finishes(&events).is_empty() && !response.text().contains("[DONE]"), "{count}");
        let text = content(&events);
        assert!("Tōkyō [1] is big".starts_with(text.trim_end()), "{count}: {text}");
        longest = longest.max(text.len());
    }
    assert!(longest > "Tōkyō [1]".len(), "what came is passed on");
}
