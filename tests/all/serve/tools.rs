//! Functions of the client, by a prompt.

use serde_json::{Value, json};

use super::{asked, with_options};
use crate::support::{Reply, Serving, answered};

const ON: &[&str] = &["--experimental-tools"];

fn tools() -> Value {
    let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": false});
    json!([{"type": "function", "name": "weather", "description": "Tells the weather.", "parameters": parameters, "strict": true}])
}

const CALL: &str =
    "{\"type\":\"function_calls\",\"calls\":[{\"name\":\"weather\",\"arguments\":{\"city\":\"Paris\"}}]}";

fn reply(text: &str) -> Reply {
    Reply::stream(answered(text))
}

fn ask(serving: &Serving, fields: Value) -> crate::support::serve::Response {
    let mut body = json!({"tools": tools()});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serving.respond(body)
}

#[test]
fn a_call_is_made_answered_and_followed() {
    let (upstream, _home, serving) = with_options(vec![reply(CALL), reply("It is warm.")], ON);
    let response = ask(&serving, json!({})).json();
    let call = &response["output"][0];
    assert_eq!(
        (&call["type"], &call["name"], &call["arguments"]),
        (&json!("function_call"), &json!("weather"), &json!("{\"city\":\"Paris\"}"))
    );
    let result =
        json!([{"type": "function_call_output", "call_id": call["call_id"], "output": "24 degrees"}]);
    let next = serving.respond(json!({"previous_response_id": response["id"], "input": result})).json();
    assert_eq!(next["output"][0]["content"][0]["text"], "It is warm.");
    let query = asked(&upstream)[1]["query_str"].as_str().unwrap().to_owned();
    let id = call["call_id"].as_str().unwrap();
    assert!(query.contains("24 degrees") && query.matches(id).count() == 2, "{query}");
    let open = serving.respond(json!({"previous_response_id": response["id"], "input": "and?"}));
    assert_eq!(
        (open.refused(400).as_str(), &open.json()["error"]["param"]),
        ("invalid_value", &json!("input"))
    );
}

#[test]
fn calls_are_streamed_when_they_are_checked() {
    let (_upstream, _home, serving) = with_options(vec![reply(CALL)], ON);
    let events = ask(&serving, json!({"stream": true})).events();
    let names: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.completed"
        ]
    );
    assert_eq!(
        (&events[2]["item"]["arguments"], &events[5]["item"]["arguments"]),
        (&json!(""), &json!("{\"city\":\"Paris\"}"))
    );
    assert_eq!(events[6]["response"]["output"][0], events[5]["item"]);
}

#[test]
fn every_deviation_is_an_error() {
    let wrong = [
        "It is warm.",
        "{\"type\":\"function_calls\",\"calls\":[{\"name\":\"other\",\"arguments\":{}}]}",
        "{\"type\":\"function_calls\",\"calls\":[{\"name\":\"weather\",\"arguments\":{\"city\":5}}]}",
        "{\"type\":\"function_calls\",\"calls\":[]}",
    ];
    let (_upstream, _home, serving) = with_options(wrong.map(reply).to_vec(), ON);
    for text in wrong {
        assert_eq!(ask(&serving, json!({})).refused(502), "tool_protocol_error", "{text}");
    }
    let (_upstream, _home, serving) = with_options(vec![reply("It is warm."), reply(CALL)], ON);
    let failed = ask(&serving, json!({"stream": true})).events().last().unwrap().clone();
    assert_eq!(
        (&failed["type"], &failed["response"]["error"]["code"]),
        (&json!("response.failed"), &json!("tool_protocol_error"))
    );
    assert_eq!(ask(&serving, json!({"tool_choice": {"type": "function", "name": "weather"}})).status, 200);
}

#[test]
fn a_chat_makes_calls_too() {
    let message = "{\"type\":\"message\",\"content\":\"Hello.\"}";
    let (_upstream, _home, serving) = with_options(vec![reply(CALL), reply(CALL), reply(message)], ON);
    let function =
        json!({"type": "function", "function": {"name": "weather", "parameters": tools()[0]["parameters"]}});
    let fields = |stream: bool| json!({"tools": [function], "stream": stream});
    let body = serving.chat(fields(false)).json();
    let choice = &body["choices"][0];
    assert_eq!(
        (&choice["finish_reason"], choice["message"].get("content")),
        (&json!("tool_calls"), Some(&Value::Null))
    );
    assert_eq!(
        choice["message"]["tool_calls"][0]["function"],
        json!({"name": "weather", "arguments": "{\"city\":\"Paris\"}"})
    );
    let events = serving.chat(fields(true)).events();
    let call = events.iter().find_map(|event| event["choices"][0]["delta"]["tool_calls"].as_array()).unwrap();
    assert!(call[0]["index"] == 0 && call[0]["id"].as_str().unwrap().starts_with("call_"));
    assert_eq!(events.last().unwrap()["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(serving.chat(fields(false)).json()["choices"][0]["message"]["content"], "Hello.");
}
