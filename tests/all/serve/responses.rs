//! `/v1/responses`.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{answering, asked, cited};
use crate::support::{ASK, Home, Reply, Server, Serving, answered, pending};

fn text(response: &Value) -> &str {
    response["output"].as_array().unwrap().last().unwrap()["content"][0]["text"].as_str().unwrap()
}

fn id(response: &Value) -> String {
    response["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_response_has_all_its_parts() {
    let (upstream, _home, serving) = answering(vec![cited("Because [2].")]);
    let body = serving
        .respond(json!({"instructions": "Be brief.", "metadata": {"k": "v"}, "temperature": 0.3}))
        .json();
    assert!(id(&body).starts_with("resp_"));
    assert_eq!(
        (&body["object"], &body["status"], body.get("error")),
        (&json!("response"), &json!("completed"), Some(&Value::Null))
    );
    let kinds: Vec<_> =
        body["output"].as_array().unwrap().iter().map(|item| item["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["reasoning", "message"]);
    let part = &body["output"][1]["content"][0];
    assert_eq!((&part["type"], &part["text"]), (&json!("output_text"), &json!("Because [2].")));
    let citation = json!({"type": "url_citation", "url": "https://b.example/", "title": "B page", "start_index": 8, "end_index": 11});
    assert_eq!(part["annotations"], json!([citation]));
    for (name, value) in [
        ("instructions", json!("Be brief.")),
        ("metadata", json!({"k": "v"})),
        ("temperature", json!(0.3)),
        ("top_p", json!(1.0)),
        ("tools", json!([])),
        ("tool_choice", json!("auto")),
        ("parallel_tool_calls", json!(true)),
        ("previous_response_id", Value::Null),
        ("store", json!(true)),
        ("text", json!({"format": {"type": "text"}})),
        ("truncation", json!("disabled")),
        ("model", json!("pplx_pro_upgraded")),
    ] {
        assert_eq!(body.get(name), Some(&value), "{name}");
    }
    let usage = &body["usage"];
    let count = |name: &str| usage[name].as_u64().unwrap();
    assert_eq!(count("total_tokens"), count("input_tokens") + count("output_tokens"));
    assert_eq!(usage["input_tokens_details"]["cached_tokens"], 0);
    assert_eq!(asked(&upstream)[0]["query_str"], "Be brief.\n\nwhy?");
}

#[test]
fn events_come_in_the_order_that_readers_demand() {
    let (_upstream, _home, serving) = answering(vec![cited("Because [1].")]);
    let response = serving.respond(json!({"stream": true}));
    let events = response.events();
    let names: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.reasoning_summary_part.added",
            "response.reasoning_summary_text.delta",
            "response.reasoning_summary_text.delta",
            "response.reasoning_summary_text.done",
            "response.reasoning_summary_part.done",
            "response.output_item.done",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.annotation.added",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
    );
    let lines: Vec<&str> = response.text().lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!(lines, names);
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], number);
    }
    let of_kind = |name: &'static str| events.iter().filter(move |event| event["type"] == name);
    let items: Vec<&Value> = of_kind("response.output_item.added").collect();
    assert_eq!(items.iter().map(|item| item["output_index"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1]);
    let message = &items[1]["item"]["id"];
    assert!(items.iter().all(|item| item["item"]["id"].is_string()), "{items:?}");
    assert_eq!(
        (&items[1]["item"]["content"], &items[1]["item"]["status"]),
        (&json!([]), &json!("in_progress"))
    );
    for name in [
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
    ] {
        let event = of_kind(name).next().unwrap();
        assert_eq!(
            (&event["item_id"], &event["output_index"], &event["content_index"]),
            (message, &json!(1), &json!(0))
        );
    }
    let part = &of_kind("response.content_part.added").next().unwrap()["part"];
    assert_eq!((&part["text"], &part["annotations"]), (&json!(""), &json!([])));
    let completed = &events.last().unwrap()["response"];
    assert_eq!((text(completed), &completed["output"][1]["id"]), ("Because [1].", message));
    assert_eq!(completed["output"][0]["id"], items[0]["item"]["id"]);
    assert_eq!(completed["id"], events[0]["response"]["id"]);
    assert_eq!(serving.get(&format!("/v1/responses/{}", id(completed))).json(), *completed);
}

#[test]
fn a_failure_in_a_stream_is_an_event_and_is_kept() {
    let reply = Reply::events().write(pending(0, "one ")).cut();
    let (_upstream, _home, serving) = answering(vec![reply]);
    let events = serving.respond(json!({"stream": true})).events();
    let failed = events.last().unwrap();
    assert_eq!(
        (&failed["type"], &failed["response"]["status"]),
        (&json!("response.failed"), &json!("failed"))
    );
    assert_eq!(failed["response"]["error"]["code"], "upstream_cut");
    assert_eq!(failed["response"]["id"], events[0]["response"]["id"]);
    let stored = serving.get(&format!("/v1/responses/{}", id(&failed["response"]))).json();
    assert_eq!(stored["status"], "failed");
}

#[test]
fn a_response_follows_on_the_one_before() {
    let (upstream, _home, serving) =
        answering(vec![cited("Because."), cited("Since."), cited("So."), cited("Thus.")]);
    let first = serving.respond(json!({})).json();
    let second = serving.respond(json!({"input": "and then?", "previous_response_id": id(&first)})).json();
    assert_eq!(second["previous_response_id"], first["id"]);
    let told = json!({"input": "and?", "previous_response_id": id(&second), "instructions": "In French."});
    serving.respond(told);
    let both = json!([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]);
    serving.respond(json!({"input": both, "previous_response_id": id(&first)}));
    let asked = asked(&upstream);
    assert_eq!(
        (&asked[1]["query_str"], &asked[1]["params"]["last_backend_uuid"]),
        (&json!("and then?"), &json!("entry-1"))
    );
    for (place, parts) in [
        (2, ["In French.", "why?", "Because.", "and then?", "Since.", "and?"].as_slice()),
        (3, &["why?", "Because.", "a", "b", "c"]),
    ] {
        let query = asked[place]["query_str"].as_str().unwrap();
        assert_eq!(asked[place]["params"]["last_backend_uuid"], Value::Null);
        assert!(parts.iter().all(|part| query.contains(part)), "{query}");
    }
    let items = serving.get(&format!("/v1/responses/{}/input_items", id(&second))).json();
    let item = &items["data"][0];
    assert_eq!(
        (&item["type"], &item["role"], &item["content"][0]["text"]),
        (&json!("message"), &json!("user"), &json!("and then?"))
    );
    assert!(item["id"].as_str().unwrap().starts_with("msg_"));
    assert_eq!((&items["first_id"], &items["has_more"]), (&item["id"], &json!(false)));
}

#[test]
fn a_page_of_items_that_cannot_be_is_refused() {
    let (_upstream, _home, serving) = answering(vec![cited("Because.")]);
    let response = serving.respond(json!({})).json();
    for (query, param) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("order=x", "order"),
        ("after=x", "after"),
        ("before=x", "before"),
    ] {
        let refused = serving.get(&format!("/v1/responses/{}/input_items?{query}", id(&response)));
        refused.refused(400);
        assert_eq!(refused.json()["error"]["param"], param);
    }
    serving.get("/v1/responses/resp_x/input_items").refused(404);
}

#[test]
fn a_thread_goes_on_once() {
    let (upstream, _home, serving) = answering(vec![cited("Because."), cited("Since."), cited("So.")]);
    let first = serving.respond(json!({})).json();
    for question in ["and then?", "or else?"] {
        serving.respond(json!({"input": question, "previous_response_id": id(&first)}));
    }
    let asked = asked(&upstream);
    assert_eq!(asked[1]["params"]["last_backend_uuid"], "entry-1");
    assert_eq!(asked[2]["params"]["last_backend_uuid"], Value::Null);
    assert!(asked[2]["query_str"].as_str().unwrap().contains("Because."));
}

#[test]
fn a_second_server_leaves_the_first_ones_answers_alone() {
    let reply = Reply::events().write(pending(0, "one ")).pause(800).write(answered("one two"));
    let upstream = Server::start([(ASK, vec![reply])]);
    let home = Home::logged_in(&upstream);
    let first = Serving::of(&home, &[]);
    let begun = first.respond(json!({"background": true})).json();
    upstream.wait_for(ASK);
    let second = Serving::of(&home, &[]);
    assert_eq!(second.get(&format!("/v1/responses/{}", id(&begun))).json()["status"], "in_progress");
    assert_eq!(text(&wait_for(&second, &id(&begun), "completed")), "one two");
}

#[test]
fn instructions_in_a_list_are_not_inherited_either() {
    let (upstream, _home, serving) = answering(vec![cited("Because."), cited("Since.")]);
    let instructions = json!([{"role": "developer", "content": "In French."}]);
    let first = serving.respond(json!({"instructions": instructions})).json();
    serving.respond(json!({"input": "and then?", "previous_response_id": id(&first)}));
    let asked = asked(&upstream)[1].clone();
    assert_eq!(asked["params"]["last_backend_uuid"], Value::Null);
    assert!(!asked["query_str"].as_str().unwrap().contains("French"));
}

#[test]
fn instructions_that_are_new_are_told_with_everything() {
    let (upstream, _home, serving) = answering(vec![cited("Because."), cited("Since.")]);
    let first = serving.respond(json!({})).json();
    let input =
        json!([{"role": "developer", "content": "In French."}, {"role": "user", "content": "and then?"}]);
    serving.respond(json!({"input": input, "previous_response_id": id(&first)}));
    let asked = asked(&upstream)[1].clone();
    let query = asked["query_str"].as_str().unwrap();
    assert_eq!(asked["params"]["last_backend_uuid"], Value::Null);
    assert!(
        ["In French.", "why?", "Because.", "and then?"].iter().all(|part| query.contains(part)),
        "{query}"
    );
}

#[test]
fn what_has_no_effect_is_told_in_a_header() {
    let (_upstream, _home, serving) = answering(vec![cited("x")]);
    let response = serving.respond(json!({"temperature": 0.3, "max_output_tokens": 9}));
    assert_eq!(response.header("x-pplx-ignored"), Some("temperature, max_output_tokens"));
}

#[test]
fn what_is_not_stored_is_not_found() {
    let (_upstream, _home, serving) = answering(vec![cited("x"), cited("x")]);
    let unstored = serving.respond(json!({"store": false})).json();
    assert_eq!(serving.get(&format!("/v1/responses/{}", id(&unstored))).refused(404), "response_not_found");
    let stored = serving.respond(json!({})).json();
    let path = format!("/v1/responses/{}", id(&stored));
    assert_eq!(serving.get(&path).json(), stored);
    let deleted = serving.request("DELETE", &path).send().json();
    assert_eq!(deleted, json!({"id": stored["id"], "object": "response", "deleted": true}));
    serving.get(&path).refused(404);
    serving.request("DELETE", &path).send().refused(404);
    let follows = serving.respond(json!({"previous_response_id": id(&stored)}));
    assert_eq!(
        (follows.refused(404).as_str(), &follows.json()["error"]["param"]),
        ("previous_response_not_found", &json!("previous_response_id"))
    );
}

#[test]
fn a_request_that_cannot_be_asked_is_refused() {
    let upstream = Server::start([]);
    let home = Home::logged_in(&upstream);
    let serving = Serving::of(&home, &[]);
    for (fields, param) in [
        (json!({"input": ""}), "input"),
        (json!({"input": []}), "input"),
        (json!({"input": 5}), "input"),
        (json!({"input": [{"type": "computer_use"}]}), "input[0]"),
        (json!({"background": true, "stream": true}), "background"),
        (json!({"background": true, "store": false}), "background"),
        (json!({"conversation": "conv_1"}), "conversation"),
        (json!({"text": {"format": {"type": "xml"}}}), "text.format"),
        (json!({"reasoning": {"effort": "hardest"}}), "reasoning"),
        (json!({"tools": [{"type": "function", "name": "f"}]}), "tools"),
        (json!({"tools": [{"type": "computer_use"}]}), "tools"),
        (json!({"tool_choice": "required"}), "tool_choice"),
        (
            json!({"input": [{"type": "function_call_output", "call_id": "c", "output": "x"}, {"role": "user", "content": "x"}]}),
            "input",
        ),
    ] {
        let response = serving.respond(fields.clone());
        response.refused(400);
        assert_eq!(response.json()["error"]["param"], param, "{fields}");
    }
    assert_eq!(serving.respond(json!({"model": "no-such-model"})).refused(404), "model_not_found");
    assert!(asked(&upstream).is_empty());
}

/// Waits until a response has this status.
#[track_caller]
fn wait_for(serving: &Serving, id: &str, status: &str) -> Value {
    let started = Instant::now();
    loop {
        let response = serving.get(&format!("/v1/responses/{id}")).json();
        if response["status"] == status {
            return response;
        }
        assert!(started.elapsed() < Duration::from_secs(10), "{response}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_background_response_is_fetched_later() {
    let reply = Reply::events().write(pending(0, "one ")).pause(200).write(answered("one two"));
    let (_upstream, _home, serving) = answering(vec![reply]);
    let begun = serving.respond(json!({"background": true})).json();
    assert_eq!(
        (&begun["status"], &begun["background"], &begun["output"]),
        (&json!("in_progress"), &json!(true), &json!([]))
    );
    let response = wait_for(&serving, &id(&begun), "completed");
    assert_eq!(text(&response), "one two");
    let cancelled = serving.request("POST", &format!("/v1/responses/{}/cancel", id(&begun))).send();
    assert_eq!(cancelled.refused(400), "not_cancellable");
}

#[test]
fn a_background_response_is_cancelled_with_its_upstream_call() {
    let (upstream, _home, serving) = answering(vec![Reply::events().write(pending(0, "one ")).hang()]);
    let begun = serving.respond(json!({"background": true})).json();
    upstream.wait_for(ASK);
    let path = format!("/v1/responses/{}/cancel", id(&begun));
    assert_eq!(serving.request("POST", &path).send().json()["status"], "cancelled");
    assert!(upstream.wait_for_close(1, Duration::from_secs(5)));
    assert_eq!(wait_for(&serving, &id(&begun), "cancelled")["output"], json!([]));
    assert_eq!(serving.request("POST", &path).send().json()["status"], "cancelled");
}

#[test]
fn a_background_failure_is_kept() {
    let (_upstream, _home, serving) = answering(vec![Reply::status(500)]);
    let begun = serving.respond(json!({"background": true})).json();
    assert_eq!(wait_for(&serving, &id(&begun), "failed")["error"]["code"], "upstream_unavailable");
}

#[test]
fn a_client_that_leaves_is_noted() {
    let (upstream, _home, serving) = answering(vec![Reply::events().write(pending(0, "one ")).hang()]);
    let body = json!({"model": "auto", "input": "x", "stream": true}).to_string();
    let mut open = serving.request("POST", "/v1/responses").body(body).open();
    let first = open.chunk().unwrap();
    let created: Value =
        serde_json::from_str(first.lines().nth(1).unwrap().strip_prefix("data: ").unwrap()).unwrap();
    drop(open);
    assert!(upstream.wait_for_close(1, Duration::from_secs(5)));
    assert_eq!(wait_for(&serving, &id(&created["response"]), "failed")["error"]["code"], "client_left");
}

#[test]
fn a_server_that_is_killed_loses_no_stored_response() {
    let half = Reply::events().write(pending(0, "one ")).hang();
    let upstream = Server::start([(ASK, vec![cited("Because."), half, cited("Since.")])]);
    let home = Home::logged_in(&upstream);
    let first = Serving::of(&home, &[]);
    let stored = first.respond(json!({})).json();
    let body = json!({"model": "auto", "input": "x", "stream": true}).to_string();
    let mut open = first.request("POST", "/v1/responses").body(body).open();
    let created = open.chunk().unwrap();
    let created: Value =
        serde_json::from_str(created.lines().nth(1).unwrap().strip_prefix("data: ").unwrap()).unwrap();
    drop(first);
    let second = Serving::of(&home, &[]);
    assert_eq!(second.get(&format!("/v1/responses/{}", id(&stored))).json(), stored);
    let interrupted = second.get(&format!("/v1/responses/{}", id(&created["response"]))).json();
    assert_eq!(
        (&interrupted["status"], &interrupted["error"]["code"]),
        (&json!("failed"), &json!("interrupted"))
    );
    let next = second.respond(json!({"input": "and then?", "previous_response_id": id(&stored)})).json();
    assert_eq!(text(&next), "Since.");
    assert_eq!(asked(&upstream)[2]["params"]["last_backend_uuid"], "entry-1");
}

#[test]
fn json_by_prompt_is_labelled_so() {
    let (_upstream, _home, serving) = answering(vec![Reply::stream(answered("{\"a\":1}"))]);
    let response = serving.respond(json!({"text": {"format": {"type": "json_object"}}})).json();
    assert_eq!(
        (text(&response), &response["pplx"]["format"]),
        ("{\"a\":1}", &json!("prompted, not constrained"))
    );
}
