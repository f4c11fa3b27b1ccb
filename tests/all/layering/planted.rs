//! Each kind of wrong arrow is found where it is planted.

use std::collections::BTreeSet;

use super::rules::{faults, idle_rules};
use super::table::RULES;
use super::tree::Tree;

/// What the rules find in these files, and in a few that break nothing.
fn found(files: &[(&str, &str)]) -> BTreeSet<String> {
    let good = [
        ("main.rs", "fn main() { pplx::cli::main() }"),
        ("lib.rs", "pub mod cli; pub mod domain; pub use domain::{Answer, error::Result};"),
        ("domain/mod.rs", "pub mod error; pub struct Answer;"),
        ("domain/error.rs", "pub type Result = ();"),
        ("net/mod.rs", "pub mod http;"),
        ("net/http.rs", "use crate::Result; fn get() -> crate::domain::error::Result { reqwest::get() }"),
        ("cli/mod.rs", "mod chat; mod mcp; mod printer; mod search; mod serve;"),
        ("cli/mcp.rs", "use crate::mcp;"),
        ("cli/serve.rs", "use crate::{mcp, serve};"),
        ("cli/chat.rs", "use super::search; use super::printer::Printer;"),
        ("cli/printer.rs", ""),
        ("cli/search.rs", ""),
        ("mcp/mod.rs", ""),
        ("serve/mod.rs", "mod edge; mod dialect; mod log; mod state; use edge::routes;"),
        ("serve/edge/mod.rs", "use super::dialect; use super::log;"),
        ("serve/dialect/mod.rs", "pub mod chat;"),
        ("serve/dialect/chat.rs", "use super::super::state::{self, Store};"),
        ("serve/state/mod.rs", "pub struct Store;"),
        ("serve/log.rs", ""),
    ];
    let planted = |file: &str| files.iter().any(|(name, _)| *name == file);
    let all = good.iter().filter(|(file, _)| !planted(file)).chain(files);
    faults(&Tree::read(all.copied()), &RULES)
}

/// That this text in this file is one fault, and which.
#[track_caller]
fn is_found(file: &str, text: &str, fault: &str) {
    assert_eq!(found(&[(file, text)]), BTreeSet::from([fault.to_owned()]), "{text}");
}

#[track_caller]
fn is_fine(file: &str, text: &str) {
    assert_eq!(found(&[(file, text)]), BTreeSet::new(), "{text}");
}

#[test]
fn nothing_is_found_where_nothing_is_wrong() {
    assert_eq!(found(&[]), BTreeSet::new());
}

/// Ways to name `cli` from `net/deep/x.rs`.
const WAYS: [&str; 30] = [
    "use crate::cli;",
    "pub use crate::cli::main;",
    "pub(crate) use crate::cli::*;",
    "use crate::{domain, cli};",
    "use crate::{domain::{error, Answer}, cli::{search::{self}}};",
    "use {crate::domain, crate::cli};",
    "use crate::{\n    domain::{\n        error,\n    },\n    cli::{\n        search,\n    },\n};",
    "use super::super::super::cli;",
    "use super::{super::super::cli::search, other};",
    "use self::super::super::super::cli;",
    "use pplx::cli;",
    "use crate::cli as front;",
    "use crate as root; fn f() { root::cli::main() }",
    "use super::super::super::{self as root}; fn f() { root::cli::main() }",
    "use super::super::super as root; use root::cli::search;",
    "use crate::*; fn f() { cli::main() }",
    "fn f() { crate::cli::main() }",
    "fn f() -> <crate::cli::X as Iterator>::Item {}",
    "fn f<'a>(x: &'a crate::cli::search::Search) {}",
    "fn f() { use crate::cli::main; main() }",
    "fn f() { for n in 0..crate::cli::COUNT {} }",
    "mod inner { use super::super::super::super::cli; }",
    "mod inner { mod other {} fn g() {} } fn f() { super::super::super::cli::main() }",
    "#[serde(with = \"crate::cli::search\")] struct X;",
    "macro_rules! m { () => { $crate::cli::main() } }",
    "#[cfg(not(test))] use crate::cli;",
    "#[cfg(any(test, unix))] use crate::cli;",
    "#[cfg(all(unix, any(test, windows)))] use crate::cli;",
    "#[cfg(feature = \"test\")] use crate::cli;",
    "struct X { #[cfg(test)] a: u8, b: crate::cli::X }",
];

#[test]
fn each_way_to_name_a_folder_is_found() {
    for text in WAYS {
        let found = found(&[("net/deep/mod.rs", ""), ("net/deep/x.rs", text)]);
        assert!(found.iter().any(|fault| fault.ends_with("net names cli")), "{text}: {found:?}");
    }
}

#[test]
fn what_is_not_built_into_the_program_names_nothing() {
    for text in WAYS {
        let text = text.replace("#[cfg(not(test))] ", "");
        for hidden in [
            format!("// {}", text.replace('\n', " ")),
            format!("/* a /* nested */ comment {text} */ fn f() {{}}"),
            format!("//! {}\n/// {}\nfn f() {{}}", text.replace('\n', " "), text.replace('\n', " ")),
            format!("const X: &str = \"{}\";", text.replace('"', "\\\"")),
            format!("const X: &[u8] = br##\"\" {text} \"# \"##;"),
            format!("#[cfg(test)]\nmod tests {{ {text} }}"),
            format!(
                "#[cfg(all(test, unix))]\n#[allow(x)]\npub(crate) mod tests {{ mod deeper {{}} {text} }}"
            ),
            format!("#[cfg(test)]\nfn f(x: [u8; 3]) -> u8 {{ {{}} {text} }}"),
            format!("#![cfg(test)]\nfn f() {{}}\n{text}"),
        ] {
            is_fine("net/x.rs", &hidden);
        }
        is_fine("net/tests.rs", &text);
        is_fine("net/tests/deep/x.rs", &text);
    }
    for text in [
        "#[cfg(test)] use crate::cli::{a, b};",
        "#[cfg(test)] fn f<A, B>(a: A, b: crate::cli::X) {}",
        "#[cfg(test)] const X: Y = Y { a: 1 }.and(crate::cli::X);",
        "pub(in crate::cli) struct X; pub(in super::cli) fn f() {}",
    ] {
        is_fine("net/x.rs", text);
    }
}

#[test]
fn what_comes_after_a_thing_that_names_nothing_is_read_again() {
    for before in [
        "#[cfg(test)] mod tests { mod deeper {} }",
        "#[cfg(test)] mod tests;",
        "#[cfg(test)] use crate::x::{a, b};",
        "#[cfg(test)] const X: [Y; 2] = [Y { a: 1 }, Y { a: 2 }];",
        "#[cfg(test)] fn f<A, B>(a: A, b: B) {}",
        "struct X { #[cfg(test)] a: u8, b: u8 }",
        "mod inner { #![cfg(test)] fn f() {} }",
        "/* a */ // b\n",
        "const X: &str = \"\\\\\";",
        "const X: &str = r\"\\\";",
        "const X: [char; 3] = ['\"', '\\'', '/'];",
        "fn f<'a>(x: &'a str) -> char { '{' }",
        "fn f() { r#mod::x(); 'a: loop {} }",
        "pub(in crate::domain) struct X;",
    ] {
        is_found(
            "net/x.rs",
            &format!("{before}\nuse crate::cli;"),
            &format!("net/x.rs:{}: net names cli", 2 + before.matches('\n').count()),
        );
    }
}

#[test]
fn a_name_from_the_crates_root_or_a_folder_is_what_it_stands_for() {
    is_fine("net/x.rs", "use crate::{Answer, Result}; fn f() -> crate::Result {}");
    is_found("domain/x.rs", "use crate::VERSION;", "domain/x.rs:1: domain names lib");
    is_found("render/mod.rs", "use crate::{Result, net::Http};", "render/mod.rs:1: render names net");
    // Named through another folder, which imports it.
    let through = found(&[
        ("render/x.rs", "use crate::net::Answer;"),
        ("net/mod.rs", "pub use crate::domain::Answer;"),
    ]);
    assert_eq!(through, BTreeSet::from(["render/x.rs:1: render names net".to_owned()]));
    let through = found(&[
        ("net/http.rs", "use crate::domain::Search;"),
        ("domain/mod.rs", "pub use crate::cli::search::Search;"),
    ]);
    assert!(through.contains("net/http.rs:1: net names cli"), "{through:?}");
}

#[test]
fn a_folder_without_rules_is_found() {
    is_found("util/x.rs", "", "util/x.rs: the rules do not know util");
    is_found("loose.rs", "", "loose.rs: the rules do not know loose");
    is_found("serve/util/x.rs", "", "serve/util/x.rs: the rules do not know serve/util");
}

#[test]
fn a_library_out_of_place_is_found() {
    for text in [
        "use reqwest::Client;",
        "use reqwest as http;",
        "use {std::fs, reqwest};",
        "fn f() { reqwest::get() }",
        "fn f() -> ::reqwest::Client { return ::reqwest::get(); }",
        "#[derive(reqwest::Derive)] struct X;",
        "extern crate reqwest;",
    ] {
        is_found("render/x.rs", text, "render/x.rs:1: the library reqwest is named here");
        is_fine("net/x.rs", text);
        is_fine("provider/web/ask.rs", text);
    }
    is_fine("render/x.rs", "// reqwest::get()\nfn reqwest(x: reqwestish::X) { x.reqwest::<u8>() }");
}

#[test]
fn front_ends_are_named_from_a_few_files_alone() {
    let fault = "cli/search.rs:1: mcp may be named from cli/mcp.rs, cli/serve.rs alone";
    is_found("cli/search.rs", "use crate::mcp;", fault);
    is_fine("cli/serve.rs", "use crate::serve::run;");
    is_found("serve/log.rs", "use crate::mcp::X;", "serve/log.rs:1: serve names mcp");
}

#[test]
fn a_wrong_arrow_inside_the_server_is_found() {
    let fault = |to: &str| format!("serve/settle/x.rs:1: serve/settle names serve/{to}");
    is_found("serve/settle/x.rs", "use super::super::dialect;", &fault("dialect"));
    is_found("serve/settle/x.rs", "use super::super::{log, edge};", &fault("edge"));
    is_found("serve/log.rs", "use super::state::Store;", "serve/log.rs:1: serve/log names serve/state");
    is_found("serve/ask/x.rs", "use crate::serve::routes;", "serve/ask/x.rs:1: serve/ask names serve/edge");
    is_fine(
        "serve/edge/x.rs",
        "use super::super::{ask::a, settle, state::{Store, x::*}, conversation, log};",
    );
}

#[test]
fn a_command_that_names_another_is_found() {
    is_found(
        "cli/status.rs",
        "use super::{printer, search::run};",
        "cli/status.rs:1: cli/status names cli/search",
    );
    is_found("cli/printer.rs", "use crate::cli::search;", "cli/printer.rs:1: cli/printer names cli/search");
    is_fine("cli/chat/command.rs", "use super::super::{search, printer}; use super::other;");
}

#[test]
fn a_circle_is_found() {
    let two = [("mcp/a.rs", "use super::b::B;"), ("mcp/b.rs", "fn f() { super::a::A }")];
    assert_eq!(found(&two), BTreeSet::from(["mcp/: a, b are a circle".to_owned()]));
    let three = [
        ("serve/ask/a.rs", "use super::b;"),
        ("serve/ask/b/mod.rs", ""),
        ("serve/ask/b/deep.rs", "use super::super::c;"),
        ("serve/ask/c.rs", "use crate::serve::ask::a;"),
        ("serve/ask/d.rs", "use super::a;"),
    ];
    assert_eq!(found(&three), BTreeSet::from(["serve/ask/: a, b, c are a circle".to_owned()]));
    let folders = [("domain/a.rs", "use crate::net::x;"), ("net/x.rs", "use crate::domain::a;")];
    assert!(found(&folders).contains("/: domain, net are a circle"), "{:?}", found(&folders));
    let own = [
        ("render/mod.rs", "pub use a::A;"),
        ("render/a.rs", "use super::B; use super::b;"),
        ("render/b.rs", ""),
    ];
    assert_eq!(found(&own), BTreeSet::new(), "a folder's own file makes known what is in it");
}

#[test]
fn a_rule_about_what_is_not_there_is_found() {
    let idle = idle_rules(&Tree::read([("lib.rs", "use axum::X;"), ("net/x.rs", "reqwest")]), &RULES);
    for expected in [
        "there is no folder cli",
        "there is no serve/edge",
        "there is no cli/args",
        "there is no cli/mcp.rs",
        "no file names reqwest",
    ] {
        assert!(idle.iter().any(|rule| rule == expected), "{expected}: {idle:?}");
    }
    assert!(!idle.iter().any(|rule| ["net", "axum"].iter().any(|name| rule.ends_with(name))), "{idle:?}");
}
