use serde_json::json;

use super::super::json::Broken;
use super::*;

fn stock() -> Value {
    json!({"type": "function", "name": "stock", "description": "Counts a SKU.", "strict": true, "parameters": {
        "type": "object",
        "properties": {"sku": {"type": "string"}, "n": {"type": ["integer", "null"]}},
        "required": ["sku", "n"],
        "additionalProperties": false
    }})
}

fn tools() -> Value {
    json!([stock(), {"type": "web_search"}, {"type": "function", "function": {"name": "now"}}])
}

fn chosen(choice: &Value) -> ToolSet {
    ToolSet::from_request(Some(&tools()), Some(choice), None).unwrap().unwrap()
}

fn wrong(tool: &Value) -> String {
    let invalid = ToolSet::from_request(Some(&json!([tool])), None, None).unwrap_err();
    assert_eq!(invalid.param, "tools");
    invalid.message
}

fn with_parameters(parameters: &Value, strict: bool) -> Value {
    json!({"type": "function", "name": "f", "parameters": parameters, "strict": strict})
}

fn call(name: &str, arguments: &str) -> String {
    format!("{{\"name\":\"{name}\",\"arguments\":{arguments}}}")
}

fn calls(calls: &[String]) -> String {
    format!("{{\"type\":\"function_calls\",\"calls\":[{}]}}", calls.join(","))
}

const MESSAGE: &str = r#"{"type":"message","content":"Two [1]\n"}"#;

#[test]
fn without_functions_there_is_nothing_to_choose() {
    let searches = json!([
        {"type": "web_search"},
        {"type": "web_search_preview"},
        {"type": "web_search_preview_2025_03_11"}
    ]);
    for tools in [None, Some(&Value::Null), Some(&json!([])), Some(&searches)] {
        for choice in [None, Some(&Value::Null), Some(&json!("auto")), Some(&json!("none"))] {
            assert!(ToolSet::from_request(tools, choice, Some(false)).unwrap().is_none());
        }
        for choice in
            [json!("required"), json!({"type": "function", "name": "f"}), json!({"type": "web_search"})]
        {
            let invalid = ToolSet::from_request(tools, Some(&choice), None).unwrap_err();
            assert_eq!(invalid.param, "tool_choice");
            assert!(invalid.message.contains("neither be forced nor switched off"), "{}", invalid.message);
        }
    }
}

#[test]
fn a_bad_tool_is_told() {
    assert!(ToolSet::from_request(Some(&json!({})), None, None).unwrap_err().message.contains("list"));
    for (tool, told) in [
        (json!("web_search"), "'type'"),
        (json!({"name": "f"}), "'type'"),
        (json!({"type": "code_interpreter"}), "\"code_interpreter\""),
        (json!({"type": "function"}), "'name'"),
        (json!({"type": "function", "function": {}}), "'name'"),
        (json!({"type": "function", "name": "a b"}), "'name'"),
        (json!({"type": "function", "name": "a".repeat(65)}), "'name'"),
        (json!({"type": "function", "name": "f", "description": 5}), "'description'"),
        (json!({"type": "function", "name": "f", "strict": "yes"}), "'strict'"),
        (json!({"type": "function", "name": "f", "parameters": []}), "'parameters'"),
        (with_parameters(&json!({}), false), "type object"),
        (with_parameters(&json!({"type": "array"}), false), "type object"),
        (with_parameters(&json!({"type": ["object"]}), false), "type object"),
        (with_parameters(&json!({"type": "object", "$id": "http://example.com"}), false), "'$id'"),
        (with_parameters(&json!({"type": "object", "$defs": {"a": {"$id": "a"}}}), false), "'$id'"),
        (
            with_parameters(&json!({"type": "object", "allOf": [{"$ref": "http://example.com"}]}), false),
            "example",
        ),
        (with_parameters(&json!({"type": "object", "required": "a"}), false), "/required"),
        (with_parameters(&json!({"type": "object", "$ref": "#/$defs/a"}), false), "$defs/a"),
    ] {
        assert!(wrong(&tool).contains(told), "{tool}: {}", wrong(&tool));
    }
    let id = json!({"type": "object", "properties": {"$id": {"type": "string"}}});
    assert!(ToolSet::from_request(Some(&json!([with_parameters(&id, false)])), None, None).is_ok());
}

#[test]
fn names_are_unique_and_there_are_not_too_many() {
    let twice = ToolSet::from_request(Some(&json!([stock(), stock()])), None, None).unwrap_err();
    assert!(twice.message.contains("\"stock\""));
    let many = |count: usize| {
        let list = (0..count).map(|number| json!({"type": "function", "name": format!("f{number}")}));
        ToolSet::from_request(Some(&Value::Array(list.collect())), None, None)
    };
    assert!(many(64).is_ok());
    assert!(many(65).unwrap_err().message.contains("64"));
}

#[test]
fn a_strict_function_is_closed_at_every_level() {
    let nested = |inner: Value| {
        json!({
            "type": "object", "properties": {"a": {"anyOf": [{"type": "array", "items": inner}, {"type": "null"}]}},
            "required": ["a"], "additionalProperties": false
        })
    };
    let closed = json!({
        "type": ["object", "null"], "properties": {"b": {}}, "required": ["b"], "additionalProperties": false
    });
    assert!(
        ToolSet::from_request(Some(&json!([with_parameters(&nested(closed), true)])), None, None).is_ok()
    );
    for open in [
        json!({"type": "object"}),
        json!({"type": ["null", "object"]}),
        json!({"type": "object", "additionalProperties": true}),
        json!({"type": ["null", "object"], "properties": {"b": {}}, "required": ["b"]}),
        json!({"type": "object", "properties": {"b": {}}, "additionalProperties": false}),
        json!({"properties": {"b": {}, "c": {}}, "required": ["c"], "additionalProperties": false}),
    ] {
        let parameters = nested(open);
        assert!(wrong(&with_parameters(&parameters, true)).contains("'strict'"), "{parameters}");
        assert!(
            ToolSet::from_request(Some(&json!([with_parameters(&parameters, false)])), None, None).is_ok()
        );
    }
}

#[test]
fn a_keyword_that_is_not_checked_is_refused_where_strict_and_left_open_where_not() {
    let parameters = json!({
        "type": "object", "properties": {"a": {"type": "string", "pattern": "^x$"}}, "required": ["a"],
        "additionalProperties": false
    });
    assert!(wrong(&with_parameters(&parameters, true)).contains("/properties/a/pattern"));
    let loose = json!([with_parameters(&parameters, false)]);
    let loose = ToolSet::from_request(Some(&loose), None, None).unwrap().unwrap();
    assert!(loose.read(&calls(&[call("f", "{\"a\":\"y\"}")])).is_ok());
    for arguments in ["{\"a\":1}", "{}", "{\"a\":\"x\",\"b\":1}"] {
        assert!(loose.read(&calls(&[call("f", arguments)])).is_err(), "{arguments}");
    }
}

#[test]
fn a_choice_names_a_function_that_is_there() {
    for choice in
        [json!({"type": "function", "name": "now"}), json!({"type": "function", "function": {"name": "now"}})]
    {
        assert_eq!(chosen(&choice).choice, Choice::Named("now".into()));
    }
    assert_eq!(chosen(&Value::Null).choice, Choice::Auto);
    for choice in [
        json!("any"),
        json!(true),
        json!({"type": "function"}),
        json!({"name": "now"}),
        json!({"type": "function", "name": "then"}),
        json!({"type": "web_search"}),
    ] {
        let invalid = ToolSet::from_request(Some(&tools()), Some(&choice), None).unwrap_err();
        assert_eq!(invalid.param, "tool_choice", "{choice}");
    }
}

#[test]
fn a_model_is_told_what_it_may_do() {
    let auto = chosen(&json!("auto")).instructions();
    for told in
        ["\"stock\"", "\"now\"", "Counts a SKU.", "\"sku\"", r#""content":"TEXT""#, r#""calls":[{"name""#]
    {
        assert!(auto.contains(told), "{told}");
    }
    let required = chosen(&json!("required")).instructions();
    assert!(required.contains("must call a function") && !required.contains("\"content\""));
    let named = chosen(&json!({"type": "function", "name": "now"})).instructions();
    assert!(named.contains("must call now") && !named.contains("stock"));
    let never = chosen(&json!("none")).instructions();
    assert!(never.contains("No function may be called") && !never.contains("\"calls\""));
    let single = ToolSet::from_request(Some(&tools()), None, Some(false)).unwrap().unwrap();
    assert!(single.instructions().contains("one call at most"));
}

#[test]
fn a_reply_is_a_message_or_calls() {
    let functions = chosen(&json!("auto"));
    assert_eq!(functions.read(MESSAGE), Ok(ModelReply::Message("Two [1]\n".into())));
    let written = calls(&[call("stock", "{ \"sku\": \"a \\\" b\", \"n\" :\n 10e0 }"), call("now", "{}")]);
    let expected = ModelReply::Calls(vec![
        Call { name: "stock".into(), arguments: "{\"sku\":\"a \\\" b\",\"n\":10e0}".into() },
        Call { name: "now".into(), arguments: "{}".into() },
    ]);
    for reply in [
        written.clone(),
        format!("\n{written}\n"),
        format!("{written} [1][2]\n[3]"),
        format!("```json\n{written}\n``` [1]"),
    ] {
        assert_eq!(functions.read(&reply).as_ref(), Ok(&expected), "{reply}");
    }
}

#[test]
fn any_other_reply_is_broken() {
    let functions = chosen(&json!("auto"));
    let good = calls(&[call("now", "{}")]);
    for reply in [
        String::new(),
        "Two.".into(),
        "{}".into(),
        "[]".into(),
        "\"message\"".into(),
        format!("Sure: {good}"),
        format!("{good} Done."),
        format!("{good}{good}"),
        format!("{good} [a]"),
        format!("Sure:\n```json\n{good}\n```"),
        r#"["function_calls",[["now",{}]]]"#.into(),
        r#"{"type":"function_calls","calls":[["now",{}]]}"#.into(),
        r#"{"type":"function_calls","calls":{"name":"now","arguments":{}}}"#.into(),
        r#"{"type":"function_calls","calls":[]}"#.into(),
        r#"{"type":"function_calls"}"#.into(),
        r#"{"calls":[{"name":"now","arguments":{}}]}"#.into(),
        r#"{"type":"function_calls","calls":[{"name":"now","arguments":{}}],"content":""}"#.into(),
        r#"{"type":"function_calls","calls":[{"name":"now","arguments":{},"id":"1"}]}"#.into(),
        r#"{"type":"function_calls","calls":[{"name":"now"}]}"#.into(),
        r#"{"type":"function_calls","calls":[{"name":5,"arguments":{}}]}"#.into(),
        r#"{"type":"function_calls","type":"function_calls","calls":[{"name":"now","arguments":{}}]}"#.into(),
        r#"{"type":"message","content":5}"#.into(),
        r#"{"type":"message","content":"a","calls":[]}"#.into(),
        r#"{"type":"message","content":"a""#.into(),
        r#"{"type":"text","content":"a"}"#.into(),
        r#"{"content":"a"}"#.into(),
        calls(&[call("then", "{}")]),
        calls(&[call("now", "{\"a\":1}")]),
        calls(&[call("now", "[]")]),
        calls(&[call("now", "\"{}\"")]),
        calls(&[call("now", "null")]),
        calls(&[call("stock", "{\"sku\":\"a\"}")]),
        calls(&[call("stock", "{\"sku\":5,\"n\":1}")]),
        calls(&[call("stock", "{\"sku\":\"a\",\"n\":NaN}")]),
        calls(&[call("stock", "{\"sku\":\"a\",\"n\":1,\"n\":1}")]),
        calls(&[call("stock", "{\"sku\":\"a\" [1],\"n\":1}")]),
        calls(&[call("now", "{}"), call("stock", "{}")]),
    ] {
        assert!(functions.read(&reply).is_err(), "{reply}");
    }
}

#[test]
fn a_choice_is_kept() {
    let (now, stock) = (call("now", "{}"), call("stock", "{\"sku\":\"a\",\"n\":null}"));
    let both = calls(&[now.clone(), stock.clone()]);
    let (now, stock) = (calls(&[now]), calls(&[stock]));
    let required = chosen(&json!("required"));
    assert!(required.read(&both).is_ok());
    assert!(required.read(MESSAGE).is_err());
    let named = chosen(&json!({"type": "function", "name": "now"}));
    assert!(named.read(&now).is_ok());
    assert!(named.read(&stock).is_err());
    assert!(named.read(&both).is_err());
    assert!(named.read(MESSAGE).is_err());
    let single = ToolSet::from_request(Some(&tools()), None, Some(false)).unwrap().unwrap();
    assert!(single.read(&now).is_ok());
    assert!(single.read(MESSAGE).is_ok());
    assert!(single.read(&both).is_err());
    assert!(ToolSet::from_request(Some(&tools()), None, Some(true)).unwrap().unwrap().read(&both).is_ok());
}

#[test]
fn where_nothing_may_be_called_any_text_is_a_message() {
    let never = chosen(&json!("none"));
    for text in ["Two [1].", "{\"pears\": 2}", "", "{\"type\":\"message\",\"content\":\"a\",\"b\":1}"] {
        assert_eq!(never.read(text), Ok(ModelReply::Message(text.into())));
    }
    assert_eq!(never.read(MESSAGE), Ok(ModelReply::Message("Two [1]\n".into())));
    assert!(never.read(&calls(&[call("now", "{}")])).is_err());
    assert!(never.read("{\"type\":\"function_calls\"}").is_err());
}

#[test]
fn little_of_a_reply_is_quoted() {
    let functions = chosen(&json!("auto"));
    let long = "0123456789".repeat(30);
    for reply in [
        long.clone(),
        calls(&[call(&long, "{}")]),
        calls(&[call("now", &format!("{{\"{long}\":1}}"))]),
        calls(&[call("stock", &format!("{{\"sku\":[\"{long}\"],\"n\":1}}"))]),
        format!("{{\"type\":\"{long}\",\"content\":\"\"}}"),
    ] {
        let Broken(message) = functions.read(&reply).unwrap_err();
        assert!(message.matches("0123456789").count() <= 8, "{message}");
    }
}

#[test]
fn history_is_told_in_lines_of_json() {
    assert_eq!(
        call_text("stock", "{\n \"sku\": \"a b\" }", "call_\"1"),
        r#"{"type":"function_call","call_id":"call_\"1","name":"stock","arguments":{"sku":"a b"}}"#
    );
    assert_eq!(
        output_text("c", "[1,\n2]"),
        r#"{"type":"function_call_output","call_id":"c","output":[1,2]}"#
    );
    for text in ["", "two\nlines \"}", "{\"cut", "5", "{} {}"] {
        for line in [call_text("f", text, "c"), output_text("c", text)] {
            assert!(!line.contains('\n'));
            let told: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(told.get("arguments").or(told.get("output")).unwrap(), text);
        }
    }
}

#[test]
fn a_garbled_reply_never_panics() {
    let functions = [
        chosen(&json!("auto")),
        chosen(&json!("required")),
        chosen(&json!("none")),
        chosen(&json!({"type": "function", "name": "stock"})),
    ];
    let reply = calls(&[call("stock", "{\"sku\":\"é\\\"\",\"n\":1}")]);
    let garbage = ['"', '\\', '[', ']', '{', '}', '`', ',', ':', '1', 'e', '\n', '\0', '€', '\u{1f600}'];
    let mut accepted = 0;
    let mut check = |reply: &str| {
        for functions in &functions {
            let Ok(ModelReply::Calls(calls)) = functions.read(reply) else { continue };
            assert_eq!(calls.len(), 1, "{reply}");
            assert_eq!(calls[0].name, "stock");
            let arguments: Value = serde_json::from_str(&calls[0].arguments).unwrap();
            assert!(arguments["sku"].is_string() && arguments.as_object().unwrap().len() == 2, "{reply}");
            accepted += 1;
        }
    };
    for (at, character) in reply.char_indices() {
        let (before, after) = reply.split_at(at);
        let after = after.strip_prefix(character).unwrap();
        assert!(functions[0].read(before).is_err() && functions[0].read(after).is_err());
        for garbage in garbage {
            check(&format!("{before}{garbage}{after}"));
            check(&format!("{before}{garbage}{character}{after}"));
        }
    }
    assert!(accepted > 50, "{accepted} calls were good in spite of it");
}
