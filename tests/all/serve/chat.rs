//! `POST /v1/chat/completions`.

use serde_json::{Value, json};

use super::{answering, asked, cited, with_options};
use crate::support::{ASK, Home, Reply, Server, Serving, answered, pending};

#[test]
fn an_answer_in_one_piece_has_all_its_parts() {
    let (upstream, _home, serving) = answering(vec![cited("Tōkyō [1], not `a[1]` [2][1].")]);
    let response = serving.chat(json!({}));
    assert_eq!((response.status, response.header("content-type")), (200, Some("application/json")));
    let body = response.json();
    assert!(body["id"].as_str().unwrap().starts_with("chatcmpl-"));
    assert_eq!((&body["object"], &body["model"]), (&json!("chat.completion"), &json!("pplx_pro_upgraded")));
    assert_eq!(body.get("system_fingerprint"), Some(&Value::Null));
    let choice = &body["choices"][0];
    assert_eq!(
        (&choice["index"], &choice["finish_reason"], choice.get("logprobs")),
        (&json!(0), &json!("stop"), Some(&Value::Null))
    );
    let message = &choice["message"];
    assert_eq!((&message["role"], message.get("refusal")), (&json!("assistant"), Some(&Value::Null)));
    let text = message["content"].as_str().unwrap();
    assert_eq!(text, "Tōkyō [1], not `a[1]` [2][1].");
    let marks: Vec<(String, &str)> = message["annotations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|annotation| {
            assert_eq!(annotation["type"], "url_citation");
            let citation = &annotation["url_citation"];
            let at = |name: &str| usize::try_from(citation[name].as_u64().unwrap()).unwrap();
            let (start, end) = (at("start_index"), at("end_index"));
            (text.chars().skip(start).take(end - start).collect(), citation["url"].as_str().unwrap())
        })
        .collect();
    let (a, b) = ("https://a.example/", "https://b.example/");
    assert_eq!(marks, [("[1]".to_owned(), a), ("[2]".to_owned(), b), ("[1]".to_owned(), a)]);
    assert_eq!(message["reasoning_content"], "Searching: words\nReading 2 sources\n");
    assert_eq!(body["citations"], json!([a, b]));
    assert_eq!(
        body["search_results"][0],
        json!({"title": "A page", "url": a, "date": "2026-09-01T00:00:00", "snippet": "About a."})
    );
    let usage = |name: &str| body["usage"][name].as_u64().unwrap();
    assert!(usage("prompt_tokens") > 0 && usage("completion_tokens") > 0);
    assert_eq!(usage("total_tokens"), usage("prompt_tokens") + usage("completion_tokens"));
    assert!(!response.text().contains("rw-secret-1"));
    assert_eq!(asked(&upstream)[0]["query_str"], "why?");
}

#[test]
fn everything_that_clients_say_reaches_the_question() {
    let (upstream, _home, serving) = answering(vec![cited("x")]);
    let body = json!({"model": "auto", "temperature": null, "tools": [], "n": 1, "user": "u", "metadata": {}, "stream": false, "messages": [
        {"role": "developer", "content": "Answer in French."},
        {"role": "system", "content": [{"type": "text", "text": "Be brief."}]},
        {"role": "user", "content": [{"type": "text", "text": "First "}, {"type": "text", "text": "question?"}]},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "forty-two"},
        {"role": "assistant", "content": ""},
        {"role": "user", "name": "ann", "content": "Second question?"},
    ]});
    assert_eq!(serving.chat(body).status, 200);
    let query = asked(&upstream)[0]["query_str"].as_str().unwrap().to_owned();
    let parts =
        ["Answer in French.\n\nBe brief.\n\n", "First question?", "lookup", "forty-two", "Second question?"];
    let places: Vec<_> = parts.iter().map(|part| query.find(part)).collect();
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{places:?} {query}");
    assert!(query.ends_with("Second question?"), "{query}");
}

#[test]
fn a_request_that_cannot_be_asked_is_refused_before_it_is() {
    let upstream = Server::start([]);
    let home = Home::logged_in(&upstream);
    let serving = Serving::of(&home, &[]);
    let user = json!([{"role": "user", "content": "x"}]);
    for (fields, param) in [
        (json!({"messages": []}), "messages"),
        (json!({"messages": "x"}), "messages"),
        (json!({"messages": null}), "messages"),
        (json!({"messages": [{"role": "robot", "content": "x"}]}), "messages[0]"),
        (json!({"messages": [5]}), "messages[0]"),
        (json!({"messages": [{"role": "system", "content": "x"}]}), "messages"),
        (json!({"messages": [{"role": "user", "content": " "}]}), "messages"),
        (
            json!({"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]}),
            "messages[0].content[0]",
        ),
        (
            json!({"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]}),
            "messages",
        ),
        (json!({"messages": user, "n": 2}), "n"),
        (json!({"messages": user, "logprobs": true}), "logprobs"),
        (json!({"messages": user, "stream": "yes"}), "stream"),
        (json!({"messages": user, "stream_options": {"include_usage": 1}}), "stream_options"),
        (json!({"messages": user, "reasoning_effort": "hardest"}), "reasoning_effort"),
        (json!({"messages": user, "thinking": "yes"}), "thinking"),
        (json!({"messages": user, "sources": ["bing"]}), "sources"),
        (json!({"messages": user, "response_format": {"type": "xml"}}), "response_format"),
        (json!({"messages": user, "modalities": ["audio"]}), "modalities"),
        (json!({"messages": user, "audio": {"voice": "x"}}), "audio"),
        (json!({"messages": user, "search_mode": "everything"}), "search_mode"),
        (json!({"messages": user, "tools": [{"type": "function", "function": {"name": "f"}}]}), "tools"),
        (json!({"messages": user, "model": 5}), "model"),
    ] {
        let response = serving.chat(fields.clone());
        response.refused(400);
        assert_eq!(response.json()["error"]["param"], param, "{fields}");
        assert_eq!(response.header("x-should-retry"), Some("false"));
    }
    let long = json!([{"role": "user", "content": "x".repeat(96_001)}]);
    assert_eq!(serving.chat(json!({"messages": long})).refused(400), "context_length_exceeded");
    let deep = format!("{{\"messages\":{}{}}}", "[".repeat(20_000), "]".repeat(20_000));
    for body in ["", "{", "[1]", "\u{feff}x", &deep] {
        serving.request("POST", "/v1/chat/completions").body(body).send().refused(400);
    }
    serving.request("POST", "/v1/chat/completions").body(b"\xff\xfe{}").send().refused(400);
    assert!(asked(&upstream).is_empty());
}

#[test]
fn what_has_no_effect_is_told_in_a_header() {
    let (_upstream, _home, serving) = answering(vec![cited("x"), cited("x")]);
    let response = serving.chat(json!({"temperature": 0.3, "max_tokens": 9, "user": "u"}));
    assert_eq!((response.status, response.header("x-pplx-ignored")), (200, Some("temperature, max_tokens")));
    assert_eq!(serving.chat(json!({"temperature": null})).header("x-pplx-ignored"), None);
}

#[test]
fn a_conversation_goes_on_in_its_thread() {
    let (upstream, _home, serving) = answering(vec![cited("Because."), cited("Since."), cited("Other.")]);
    let first = json!({"role": "user", "content": "why?"});
    let system = json!({"role": "system", "content": "Be brief."});
    serving.chat(json!({"messages": [system, first]}));
    let known = json!([system, first, {"role": "assistant", "content": "Because."}, {"role": "user", "content": "and then?"}]);
    serving.chat(json!({"messages": known}));
    let changed = json!([system, first, {"role": "assistant", "content": "Because not."}, {"role": "user", "content": "and then?"}]);
    serving.chat(json!({"messages": changed}));
    let asked = asked(&upstream);
    assert_eq!(asked[1]["query_str"], "and then?");
    let params = &asked[1]["params"];
    assert_eq!(
        (&params["last_backend_uuid"], &params["read_write_token"]),
        (&json!("entry-1"), &json!("rw-secret-1"))
    );
    assert_eq!(asked[2]["params"]["last_backend_uuid"], Value::Null);
    let told = asked[2]["query_str"].as_str().unwrap();
    assert!(
        told.starts_with("Be brief.") && told.contains("Because not.") && told.ends_with("and then?"),
        "{told}"
    );
}

#[test]
fn conversations_of_the_same_words_do_not_share_a_thread() {
    let (upstream, _home, serving) = answering(vec![cited("Hello."), cited("x"), cited("x")]);
    let hi = json!({"role": "user", "content": "hi"});
    serving.chat(json!({"messages": [hi]}));
    for question in ["mine", "yours"] {
        let messages =
            json!([hi, {"role": "assistant", "content": "Hello."}, {"role": "user", "content": question}]);
        serving.chat(json!({"messages": messages}));
    }
    let threads: Vec<Value> =
        asked(&upstream).iter().map(|asked| asked["params"]["last_backend_uuid"].clone()).collect();
    assert_eq!(threads, [Value::Null, json!("entry-1"), Value::Null]);
}

#[test]
fn a_thread_that_is_gone_costs_nothing_but_the_telling() {
    let gone = Reply::status(403).header("Content-Type", "application/json").body("{\"detail\":\"no\"}");
    let (upstream, _home, serving) = answering(vec![cited("Because."), gone, cited("Since.")]);
    let first = json!({"role": "user", "content": "why?"});
    serving.chat(json!({"messages": [first]}));
    let known = json!([first, {"role": "assistant", "content": "Because."}, {"role": "user", "content": "and then?"}]);
    let response = serving.chat(json!({"messages": known}));
    assert_eq!(response.json()["choices"][0]["message"]["content"], "Since.");
    let last = asked(&upstream)[2].clone();
    let told = last["query_str"].as_str().unwrap();
    assert!(told.contains("why?") && told.contains("Because.") && told.ends_with("and then?"), "{told}");
}

#[test]
fn reasoning_chooses_the_variant_that_reasons() {
    for (fields, model) in [
        (json!({"model": "gpt"}), "gpt56_terra"),
        (json!({"model": "gpt", "reasoning_effort": "high"}), "gpt56_terra_thinking"),
        (json!({"model": "gpt", "reasoning_effort": "none"}), "gpt56_terra"),
        (json!({"model": "gpt", "thinking": true}), "gpt56_terra_thinking"),
        (json!({"model": "gpt", "thinking": {"type": "enabled"}}), "gpt56_terra_thinking"),
        (json!({"model": "gpt", "reasoning": {"effort": "low"}}), "gpt56_terra_thinking"),
    ] {
        let (upstream, _home, serving) = answering(vec![cited("x")]);
        assert_eq!(serving.chat(fields.clone()).status, 200);
        assert_eq!(asked(&upstream)[0]["params"]["model_preference"], model, "{fields}");
    }
}

#[test]
fn what_is_asked_for_beyond_openai_reaches_the_service() {
    let (upstream, _home, serving) = answering(vec![cited("x"), cited("x")]);
    serving.chat(json!({"language": "de-DE", "sources": ["scholar", "social"], "search_recency_filter": "week", "save": true}));
    serving.chat(json!({"search_mode": "academic"}));
    let asked = asked(&upstream);
    let params = &asked[0]["params"];
    assert_eq!((&params["language"], &params["search_recency_filter"]), (&json!("de-DE"), &json!("week")));
    assert_eq!((&params["sources"], &params["is_incognito"]), (&json!(["scholar", "social"]), &json!(false)));
    let params = &asked[1]["params"];
    assert_eq!((&params["sources"], &params["is_incognito"]), (&json!(["scholar"]), &json!(true)));
}

#[test]
fn a_substitution_is_told_or_refused() {
    let (_upstream, _home, serving) = answering(vec![cited("x"), cited("x"), cited("x")]);
    let own = serving.chat(json!({"model": "gpt"})).json();
    assert_eq!(own["model"], "pplx_pro_upgraded");
    assert_eq!(own["pplx"]["substituted"], true);
    assert_eq!(own["pplx"]["requested_model"], "gpt56_terra");
    assert_eq!(serving.chat(json!({"model": "auto"})).json()["pplx"]["substituted"], false);
    let body = json!({"model": "gpt", "messages": [{"role": "user", "content": "x"}]}).to_string();
    let refused = serving
        .request("POST", "/v1/chat/completions")
        .header("x-pplx-substitution", "refuse")
        .body(body)
        .send();
    assert_eq!(refused.refused(502), "model_substituted");
    let (_upstream, _home, serving) = with_options(vec![cited("x")], &["--refuse-substitution"]);
    assert_eq!(serving.chat(json!({"model": "gpt"})).refused(502), "model_substituted");
}

#[test]
fn each_failure_has_its_status_and_is_asked_once() {
    let challenge =
        Reply::status(403).header("cf-mitigated", "challenge").body("<html>Just a moment...</html>");
    let json_error = |status: u16| {
        Reply::status(status).header("Content-Type", "application/json").body("{\"detail\":\"no\"}")
    };
    let cut = || Reply::events().write(pending(0, "half")).cut();
    let blank = || {
        Reply::stream(
            "data: {\"status\":\"COMPLETED\",\"final\":true,\"display_model\":\"x\",\"blocks\":[]}\n\n",
        )
    };
    let limit = || json_error(429).header("Retry-After", "7");
    for (reply, status, code, retry) in [
        (json_error(401), 401, "session_refused", Some("false")),
        (challenge, 403, "upstream_blocked", Some("false")),
        (limit(), 429, "rate_limit_exceeded", None),
        (json_error(402), 429, "insufficient_quota", Some("false")),
        (json_error(500), 502, "upstream_unavailable", None),
        (cut(), 502, "upstream_cut", Some("false")),
        (blank(), 502, "empty_response", Some("false")),
    ] {
        let (upstream, home, serving) = answering(vec![reply]);
        let response = serving.chat(json!({}));
        assert_eq!(response.refused(status), code);
        assert_eq!(response.header("x-should-retry"), retry, "{code}");
        assert_eq!(asked(&upstream).len(), 1);
        assert!(home.auth().exists(), "a refusal must not log the user out");
        assert!(!response.text().contains("<html"), "{}", response.text());
        let wait = response.header("retry-after");
        assert_eq!(
            wait,
            match code {
                "rate_limit_exceeded" => Some("7"),
                "insufficient_quota" => Some("3600"),
                _ => None,
            }
        );
    }
}

#[test]
fn pages_without_an_answer_are_an_answer_and_a_blank_answer_is_none() {
    let page = "{\"intended_usage\":\"web_results\",\"web_result_block\":{\"web_results\":[{\"name\":\"A\",\"url\":\"https://a.example/\"}]}}";
    let text = "{\"intended_usage\":\"ask_text\",\"markdown_block\":{\"chunks\":[\" \"]}}";
    let frame = |blocks: &str| {
        Reply::stream(format!(
            "data: {{\"status\":\"COMPLETED\",\"final\":true,\"display_model\":\"m\",\"blocks\":[{blocks}]}}\n\n"
        ))
    };
    let (_upstream, _home, serving) = answering(vec![frame(page), frame(&format!("{page},{text}"))]);
    let body = serving.chat(json!({})).json();
    assert_eq!(
        (&body["choices"][0]["message"]["content"], &body["citations"][0]),
        (&json!(""), &json!("https://a.example/"))
    );
    assert_eq!(serving.chat(json!({})).refused(502), "empty_response");
}

#[test]
fn json_is_asked_for_in_words_and_checked() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false});
    let format = |strict: bool| json!({"response_format": {"type": "json_schema", "json_schema": {"name": "n", "strict": strict, "schema": schema}}});
    let answers = ["```json\n{\"a\": 1}\n```", "{\"a\": \"x\"}", "{\"a\": \"x\"}", "no"]
        .map(|text| Reply::stream(answered(text)));
    let (upstream, _home, serving) = answering(answers.to_vec());
    let body = serving.chat(format(true)).json();
    assert_eq!(body["choices"][0]["message"]["content"], "{\"a\": 1}");
    assert_eq!(serving.chat(format(true)).refused(502), "invalid_json");
    assert_eq!(serving.chat(format(false)).json()["choices"][0]["message"]["content"], "{\"a\": \"x\"}");
    assert_eq!(
        serving.chat(json!({"response_format": {"type": "json_object"}})).refused(502),
        "invalid_json"
    );
    let query = asked(&upstream)[0]["query_str"].as_str().unwrap().to_owned();
    assert!(query.contains("additionalProperties") && query.ends_with("why?"), "{query}");
}

#[test]
fn forty_clients_are_answered_at_once() {
    let replies = || Reply::events().write(pending(0, "a")).pause(300).write(answered("ab"));
    let upstream = Server::start([(ASK, (0..40).map(|_| replies()).collect())]);
    let home = Home::logged_in(&upstream);
    let serving = Serving::of(&home, &[]);
    let started = std::time::Instant::now();
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..40).map(|_| scope.spawn(|| serving.chat(json!({"stream": true})))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap().frames().last().unwrap(), "[DONE]");
        }
    });
    assert!(started.elapsed() < std::time::Duration::from_secs(6), "{:?}", started.elapsed());
}
