use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

fn strict(schema: &Value) -> Schema {
    Schema::parse(schema, true).unwrap_or_else(|fault| panic!("{schema}: {fault}"))
}

fn refused(schema: &Value) -> String {
    Schema::parse(schema, true).expect_err(&schema.to_string())
}

fn fits(schema: &Value, value: &Value) -> bool {
    strict(schema).check(value).is_ok()
}

/// `value` in an object in an object, and so on.
fn nested(depth: usize, value: Value) -> Value {
    (0..depth).fold(value, |value, _| json!({"a": value}))
}

#[test]
fn each_keyword_takes_and_refuses_what_it_should() {
    for (schema, fitting, misfits) in [
        (json!({}), json!([null, 1, "", [], {}]), json!([])),
        (json!({"type": "null"}), json!([null]), json!([false, 0, "", [], {}])),
        (json!({"type": "boolean"}), json!([true, false]), json!([null, 0, "true"])),
        (json!({"type": "object"}), json!([{}, {"a": 1}]), json!([[], null, "{}"])),
        (json!({"type": "array"}), json!([[], [1]]), json!([{}, null, "[]"])),
        (json!({"type": "string"}), json!(["", "a"]), json!([null, 1, ["a"]])),
        (json!({"type": "number"}), json!([0, -1.5, 1e300]), json!([null, "1", true])),
        (json!({"type": "integer"}), json!([0, -7, 1.0, 1e300, u64::MAX]), json!([1.5, "1", null, true])),
        (json!({"type": ["integer", "null"]}), json!([1, null]), json!([1.5, "", []])),
        (
            json!({"enum": [1, "a", null, [1], {"a": 1}]}),
            json!([1.0, "a", null, [1.0], {"a": 1e0}]),
            json!([2, "A", false, [1, 1], [], {"a": 2}, {"b": 1}, {"a": 1, "b": 1}]),
        ),
        (json!({"enum": []}), json!([]), json!([null])),
        (json!({"const": {"a": [1]}}), json!([{"a": [1.0]}]), json!([{"a": 1}, {"a": []}, null])),
        (json!({"const": null}), json!([null]), json!([0, false, ""])),
        (json!({"const": 1}), json!([1]), json!([true, "1"])),
        (json!({"minimum": 1}), json!([1, 1.0, 2, "", null]), json!([0, 0.9, -1])),
        (json!({"maximum": 1.5}), json!([1, 1.5, -1, []]), json!([2, 1.6])),
        (json!({"exclusiveMinimum": 1}), json!([1.1, 2, {}]), json!([1, 1.0, 0])),
        (json!({"exclusiveMaximum": 1}), json!([0, 0.9, "5"]), json!([1, 1.0, 2])),
        (json!({"multipleOf": 3}), json!([0, 3, -6, 9.0, "4"]), json!([1, 3.5, -1])),
        (
            json!({"multipleOf": 0.1}),
            json!([0, 0.3, 0.7, 1.1, -2.3, 7, 123_456.7]),
            json!([0.35, 0.05, 1e-9, 0.000_01]),
        ),
        (json!({"multipleOf": 0.01}), json!([19.99, 4.35, 1e20]), json!([0.001, 19.999])),
        (json!({"minLength": 2}), json!(["ab", "éa", "🦀🦀", 1]), json!(["", "a", "🦀", "é"])),
        (json!({"maxLength": 2.0}), json!(["", "ab", "🦀🦀", ["abc"]]), json!(["abc", "🦀🦀🦀"])),
        (json!({"minItems": 1}), json!([[1], [1, 2], {}, ""]), json!([[]])),
        (json!({"maxItems": 1}), json!([[], [1], "ab"]), json!([[1, 2]])),
        (json!({"required": ["a", "b"]}), json!([{"a": 1, "b": null}, [], null]), json!([{}, {"a": 1}])),
        (
            json!({"properties": {"a": {"type": "null"}, "b": false}}),
            json!([{}, {"a": null, "c": 1}, ["b"]]),
            json!([{"a": 1}, {"b": 1}]),
        ),
        (
            json!({"properties": {"a": {}}, "additionalProperties": false}),
            json!([{}, {"a": 1}, [1]]),
            json!([{"b": 1}, {"a": 1, "A": 1}]),
        ),
        (
            json!({"properties": {"a": {}}, "additionalProperties": {"type": "null"}}),
            json!([{"a": 1, "b": null}]),
            json!([{"b": 1}]),
        ),
        (json!({"additionalProperties": true}), json!([{"b": 1}]), json!([])),
        (
            json!({"items": {"type": "integer"}}),
            json!([[], [1, 2], {"a": ""}, "a"]),
            json!([["a"], [1, null]]),
        ),
        (json!({"items": false}), json!([[]]), json!([[1]])),
        (json!({"anyOf": [{"type": "null"}, {"minimum": 5}]}), json!([null, 5, "a"]), json!([4])),
        (
            json!({"anyOf": [{"type": "null"}, {"type": "string"}], "maxLength": 1}),
            json!([null, "a"]),
            json!(["ab", 1]),
        ),
        (json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}), json!([null]), json!([1])),
        (
            json!({"$ref": "#/definitions/a", "definitions": {"a": {"type": "null"}}}),
            json!([null]),
            json!([1]),
        ),
        (
            json!({"$ref": "#/$defs/a", "minimum": 5, "$defs": {"a": {"maximum": 7}}}),
            json!([5, 7]),
            json!([4, 8]),
        ),
    ] {
        let checker = strict(&schema);
        for value in fitting.as_array().unwrap() {
            assert_eq!(checker.check(value), Ok(()), "{schema}: {value}");
        }
        for value in misfits.as_array().unwrap() {
            assert!(checker.check(value).is_err(), "{schema}: {value}");
        }
    }
}

#[test]
fn numbers_are_compared_by_their_value() {
    let near = 9_007_199_254_740_993_u64; // No f64 is this number; the next is one less.
    assert!(fits(&json!({"const": near}), &json!(near)));
    assert!(!fits(&json!({"const": near}), &json!(9_007_199_254_740_992.0)));
    assert!(!fits(&json!({"minimum": near}), &json!(9_007_199_254_740_992.0)));
    assert!(fits(&json!({"const": u64::MAX}), &json!(u64::MAX)));
    assert!(!fits(&json!({"maximum": i64::MIN}), &json!(i64::MIN + 1)));
    assert!(fits(&json!({"const": 0}), &json!(-0.0)));
    assert!(fits(&json!({"exclusiveMaximum": 1e300}), &json!(u64::MAX)));
    assert!(fits(&json!({"multipleOf": 7}), &json!(u64::MAX / 7 * 7)));
    assert!(!fits(&json!({"multipleOf": 7}), &json!(u64::MAX / 7 * 7 + 1)));
    assert!(!fits(&json!({"multipleOf": 5e-324}), &json!(1e308)), "a quotient that is no number");
}

#[test]
fn a_malformed_schema_is_refused_with_its_place() {
    for (part, place) in [
        (json!({"type": "objekt"}), "/type"),
        (json!({"type": []}), "/type"),
        (json!({"type": ["string", 5]}), "/type"),
        (json!({"type": {"type": "string"}}), "/type"),
        (json!({"enum": "a"}), "/enum"),
        (json!({"minimum": "1"}), "/minimum"),
        (json!({"maximum": null}), "/maximum"),
        (json!({"exclusiveMinimum": true}), "/exclusiveMinimum"),
        (json!({"exclusiveMaximum": []}), "/exclusiveMaximum"),
        (json!({"multipleOf": 0}), "/multipleOf"),
        (json!({"multipleOf": -0.5}), "/multipleOf"),
        (json!({"minLength": -1}), "/minLength"),
        (json!({"maxLength": 1.5}), "/maxLength"),
        (json!({"minItems": "2"}), "/minItems"),
        (json!({"maxItems": null}), "/maxItems"),
        (json!({"required": true}), "/required"),
        (json!({"required": ["a", 1]}), "/required"),
        (json!({"properties": []}), "/properties"),
        (json!({"properties": {"a/b~c": 5}}), "/properties/a~1b~0c"),
        (json!({"additionalProperties": "no"}), "/additionalProperties"),
        (json!({"items": [{}]}), "/items"),
        (json!({"anyOf": {}}), "/anyOf"),
        (json!({"anyOf": []}), "/anyOf"),
        (json!({"anyOf": [{}, null]}), "/anyOf/1"),
        (json!({"$defs": [{}]}), "/$defs"),
        (json!({"definitions": {"unused": {"type": "x"}}}), "/definitions/unused/type"),
        (json!({"$ref": 5}), "/$ref"),
        (json!({"$ref": "#/nowhere"}), "/$ref"),
        (json!({"$ref": "#/properties/part/title", "title": "text"}), "/properties/part/title"),
    ] {
        let schema = json!({"properties": {"part": part}});
        for strict in [false, true] {
            let fault = Schema::parse(&schema, strict).unwrap_err();
            assert!(fault.contains(place) && fault.contains("/properties/part"), "{schema}: {fault}");
        }
    }
    assert_eq!(refused(&json!(5)), "it must be a schema");
}

#[test]
fn another_keyword_is_refused_by_name_where_the_schema_is_strict() {
    let other = json!({
        "pattern": "^a$", "allOf": [false], "oneOf": [false], "not": {}, "if": true, "then": false, "else": false,
        "patternProperties": {"": false}, "propertyNames": false, "minProperties": 9, "maxProperties": 0,
        "dependentRequired": {"a": ["z"]}, "dependentSchemas": {"a": false}, "unevaluatedProperties": false,
        "prefixItems": [false], "contains": false, "uniqueItems": true, "nullable": true, "$anchor": "a",
        "$dynamicRef": "#", "made-up": {"type": "x"}
    });
    for (keyword, value) in other.as_object().unwrap() {
        let schema = json!({"items": {keyword: value}});
        let fault = refused(&schema);
        assert!(fault.starts_with(&format!("/items/{keyword} is not supported")), "{fault}");
        let loose = Schema::parse(&schema, false).unwrap();
        for value in [json!([{"a": 1}]), json!([["b", "b"], "b", 5, null])] {
            assert_eq!(loose.check(&value), Ok(()), "{keyword}");
        }
    }
    let long = json!({"properties": {"a".repeat(500): {"properties": {"b".repeat(500): {"pattern": ""}}}}});
    assert!(refused(&long).contains("/pattern is not") && refused(&long).len() < 300, "{}", refused(&long));
}

#[test]
fn what_a_loose_schema_leaves_open_is_not_refused() {
    let loose = |schema: &Value| Schema::parse(schema, false).unwrap();
    let open = loose(&json!({"patternProperties": {"^x": {}}, "additionalProperties": false}));
    assert_eq!(open.check(&json!({"x1": 1})), Ok(()));
    let tuple = loose(&json!({"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}));
    assert_eq!(tuple.check(&json!(["a", 1])), Ok(()));
    let known = loose(&json!({"uniqueItems": true, "maxItems": 1}));
    assert!(known.check(&json!([1, 2])).is_err());
}

#[test]
fn annotations_have_no_effect() {
    let schema = json!({
        "$schema": "https://example.com/draft", "$id": "https://example.com/id", "$comment": "c", "title": "t",
        "description": "d", "default": {"type": "x"}, "examples": [{"$ref": "x"}], "deprecated": true, "readOnly": true,
        "writeOnly": true, "format": "date", "type": "string"
    });
    assert!(fits(&schema, &json!("no date")) && !fits(&schema, &json!(1)));
    let names: Vec<&str> = schema.as_object().unwrap().keys().map(String::as_str).collect();
    let properties: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!(false))).collect();
    let schema = json!({"properties": properties});
    assert!(
        names.iter().all(|name| !fits(&schema, &json!({*name: 1}))),
        "a property may have the name of a keyword"
    );
}

#[test]
fn a_reference_is_a_json_pointer_in_a_fragment() {
    let defs = json!({"a/b": {"const": 1}, "c~d": {"const": 2}, "e f%é": {"const": 3}, "": {"const": 4}, "g": {"anyOf": [false, {"const": 5}]}});
    for (target, value) in [
        ("#/$defs/a~1b", 1),
        ("#/$defs/c~0d", 2),
        ("#/$defs/e%20f%25%C3%A9", 3),
        ("#/%24defs/e f%25é", 3),
        ("#/$defs/", 4),
        ("#/$defs/g/anyOf/1", 5),
        ("#/properties/x/items", 6),
    ] {
        let schema =
            json!({"properties": {"v": {"$ref": target}, "x": {"items": {"const": 6}}}, "$defs": defs});
        let fitting: Vec<i32> = (1..=6).filter(|n| fits(&schema, &json!({"v": n}))).collect();
        assert_eq!(fitting, [value], "{target}");
    }
    for target in ["#/$defs/none", "#/$defs/g/anyOf/01", "#/$defs/%FF", "#/"] {
        assert!(refused(&json!({"$ref": target, "$defs": defs})).contains("where nothing is"), "{target}");
    }
    for target in ["", "#anchor", "other", "https://example.com/", "/$defs/a"] {
        assert!(
            refused(&json!({"items": {"$ref": target}, "$defs": defs})).contains("its own parts"),
            "{target}"
        );
    }
}

#[test]
fn a_schema_may_describe_values_of_any_depth() {
    let list = json!({
        "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": {"a": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}
    });
    assert!(fits(&list, &nested(125, json!(null))));
    assert!(!fits(&list, &nested(125, json!(5))));
    let tree = json!({"type": "array", "items": {"$ref": "#"}});
    assert!(fits(&tree, &json!([[], [[]], [[], [[]]]])) && !fits(&tree, &json!([[], [[1]]])));
}

#[test]
fn a_circle_of_references_ends() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
    ] {
        assert!(strict(&schema).check(&json!(1)).unwrap_err().contains("without end"), "{schema}");
    }
    assert!(!fits(&json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}), &json!(1)));
    for branches in [json!([{"$ref": "#"}, {"type": "null"}]), json!([{"type": "null"}, {"$ref": "#"}])] {
        let schema = json!({"anyOf": branches});
        assert!(fits(&schema, &json!(null)) && !fits(&schema, &json!(1)), "{schema}");
    }
}

#[test]
fn a_schema_that_unfolds_without_end_is_given_up() {
    let level = |n: usize| json!({"anyOf": [{"$ref": format!("#/$defs/d{}", n + 1)}, {"$ref": format!("#/$defs/d{}", n + 1)}]});
    let schema = |depth: usize| {
        let mut defs: Map<String, Value> = (0..depth).map(|n| (format!("d{n}"), level(n))).collect();
        defs.insert(format!("d{depth}"), json!({"type": "string"}));
        json!({"$ref": "#/$defs/d0", "$defs": defs})
    };
    assert!(strict(&schema(4)).check(&json!(1)).unwrap_err().contains("anyOf"));
    assert!(strict(&schema(24)).check(&json!(1)).unwrap_err().contains("too long"));
    assert!(fits(&schema(24), &json!("a")));
    let tree = json!({"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
    assert!(fits(&tree, &json!({"left": {"right": {}}, "right": {}})));
}

/// Definitions that each refer to the next, the last to what is given.
fn chain(length: usize, last: Value) -> Value {
    let mut defs: Map<String, Value> =
        (0..length).map(|n| (format!("d{n}"), json!({"$ref": format!("#/$defs/d{}", n + 1)}))).collect();
    defs.insert(format!("d{length}"), last);
    json!({"$ref": "#/$defs/d0", "$defs": defs})
}

#[test]
fn no_schema_is_too_deep_for_the_stack() {
    for length in [600, 4000, 200_000] {
        let fault = strict(&chain(length, json!({}))).check(&json!(1)).unwrap_err();
        assert!(fault.contains("too long"), "{length}: {fault}");
    }
    let deep = strict(&chain(350, json!({"properties": {"a": {"$ref": "#"}}})));
    assert_eq!(deep.check(&json!({"b": 1})), Ok(()));
    assert!(deep.check(&nested(120, json!(1))).unwrap_err().contains("too long"));
    let schema = nested(100, json!({})).to_string().replace("\"a\"", "\"items\"");
    assert!(fits(&serde_json::from_str(&schema).unwrap(), &nested(100, json!(1))));
}

#[test]
fn alternatives_that_take_longer_than_any_time_are_given_up() {
    let branch = json!({"type": "object", "properties": {"a": {"$ref": "#"}}});
    let schema = strict(&json!({"anyOf": [branch, branch, {"type": "null"}]}));
    assert_eq!(schema.check(&nested(100, json!(null))), Ok(()));
    assert!(schema.check(&nested(5, json!(1))).unwrap_err().contains("anyOf"));
    assert!(schema.check(&nested(100, json!(1))).unwrap_err().contains("too long"));
    let wide = strict(&json!({"items": {"enum": (0..5000).collect::<Vec<_>>()}}));
    assert_eq!(wide.check(&json!(vec![4999; 500])), Ok(()));
    assert!(wide.check(&json!(vec![4999; 5000])).unwrap_err().contains("too long"));
}

#[test]
fn a_misfit_is_told_by_its_place_and_rule_without_the_value() {
    let schema = strict(&json!({
        "type": "object", "required": ["name"], "additionalProperties": false,
        "properties": {
            "name": {"type": ["string", "null"], "maxLength": 3}, "a/b~": {"items": {"minimum": 1.5}},
            "one": {"const": 1}, "some": {"enum": [1]}, "any": {"anyOf": [{"type": "null"}]}
        }
    }));
    for (value, fault) in [
        (json!("secret"), "it must be of the type object"),
        (json!({}), "it must have the property \"name\""),
        (json!({"name": 7777}), "/name must be of the type string or null"),
        (json!({"name": "secret"}), "/name must have at most 3 characters"),
        (json!({"name": "a", "a/b~": [2, 0.5]}), "/a~1b~0/1 must be at least 1.5"),
        (json!({"name": "a", "other": "secret"}), "/other is not allowed"),
        (json!({"name": "a", "one": "secret"}), "/one must be the value of 'const'"),
        (json!({"name": "a", "some": "secret"}), "/some must be one of the values of 'enum'"),
        (json!({"name": "a", "any": "secret"}), "/any must fit one of the schemas of 'anyOf'"),
    ] {
        assert_eq!(schema.check(&value), Err(fault.to_owned()), "{value}");
    }
    let fault = schema.check(&json!({"name": "a", "x".repeat(1000): 1})).unwrap_err();
    assert!(fault.len() < 120 && fault.ends_with("is not allowed"), "{fault}");
}

fn any_json() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-3..4).prop_map(Value::from),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        "[ab#/~%é]{0,3}".prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[ab/~]{0,2}", inner, 0..5).prop_map(|fields| json!(fields)),
        ]
    })
}

/// JSON that is often a schema.
fn any_schema() -> impl Strategy<Value = Value> {
    let keywords = [
        "type",
        "enum",
        "const",
        "minimum",
        "maximum",
        "multipleOf",
        "minLength",
        "maxItems",
        "required",
        "$ref",
        "x",
    ];
    let text =
        prop::sample::select(vec!["string", "integer", "object", "#", "#/$defs/a", "#/items", "#/anyOf/0"]);
    let plain =
        prop_oneof![text.prop_map(Value::from), any_json(), any_json().prop_map(|value| json!([value]))];
    let leaf = prop::collection::btree_map(prop::sample::select(keywords.to_vec()), plain, 0..3)
        .prop_map(|keywords| json!(keywords));
    leaf.prop_recursive(4, 40, 4, |inner| {
        let named = prop::collection::btree_map("[ab]", inner.clone(), 0..3).prop_map(|parts| json!(parts));
        let one = inner.clone();
        prop::collection::btree_map(
            prop::sample::select(vec!["properties", "$defs", "items", "additionalProperties", "anyOf"]),
            (named, one, prop::collection::vec(inner, 0..3)),
            0..4,
        )
        .prop_map(|keywords| {
            let value = |(name, (named, one, list))| match name {
                "anyOf" => (name.to_owned(), Value::Array(list)),
                "items" | "additionalProperties" => (name.to_owned(), one),
                _ => (name.to_owned(), named),
            };
            Value::Object(keywords.into_iter().map(value).collect())
        })
    })
}

proptest! {
    #[test]
    fn no_schema_and_no_value_makes_it_panic(schema in any_schema(), odd in any_json(), value in any_json()) {
        for schema in [&schema, &odd, &json!({"anyOf": [schema, odd], "$defs": {"a": odd}})] {
            for strict in [false, true] {
                let Ok(checker) = Schema::parse(schema, strict) else { continue };
                let _ = (checker.check(&value), checker.check(schema));
            }
        }
    }

    #[test]
    fn a_strict_schema_means_the_same_where_it_is_loose(schema in any_schema(), value in any_json()) {
        if let Ok(checker) = Schema::parse(&schema, true) {
            assert_eq!(&Schema::parse(&schema, false).unwrap(), &checker);
            let either = strict(&json!({"$ref": "#/$defs/a", "$defs": {"a": {"const": value}}}));
            assert_eq!(either.check(&value), Ok(()));
        }
    }

    #[test]
    fn a_value_equals_itself_and_is_of_its_types(value in any_json(), other in any_json()) {
        assert!(fits(&json!({"const": value}), &value));
        assert!(fits(&json!({"enum": [other, value]}), &value));
        assert!(fits(&json!({"anyOf": [{"const": other}, {"const": value}]}), &value));
        assert_eq!(fits(&json!({"const": other}), &value), fits(&json!({"const": value}), &other));
        let types: HashSet<&str> = ["null", "boolean", "object", "array", "number", "string"]
            .into_iter()
            .filter(|name| fits(&json!({"type": name}), &value))
            .collect();
        assert_eq!(types.len(), 1);
    }

    #[test]
    fn a_whole_number_of_tenths_is_a_multiple_of_a_tenth(tenths in -1_000_000_000_i64..1_000_000_000, rest in 1_u8..10) {
        let number = |text: String| serde_json::from_str::<Value>(&text).unwrap();
        let sign = if tenths < 0 { "-" } else { "" };
        let text = format!("{sign}{}.{}", tenths.abs() / 10, tenths.abs() % 10);
        let schema = json!({"multipleOf": 0.1});
        assert!(fits(&schema, &number(text.clone())));
        assert!(!fits(&schema, &number(format!("{text}{rest}"))));
    }
}
