//! What is said about what was typed: mistakes, help, and the files that are made from the definitions.

use std::path::Path;

use crate::support::{Home, Outcome};

fn pplx(args: &[&str]) -> Outcome {
    Home::at("http://127.0.0.1:9").run(args)
}

#[test]
fn a_mistake_is_answered_with_what_was_meant() {
    for (args, stderr) in [
        (&["serach", "q"][..], "There is no command \"serach\".\nhint: did you mean: pplx search\n"),
        (
            &["who maintains ripgrep"],
            "There is no command \"who maintains ripgrep\".\nhint: did you mean: pplx search \"who maintains ripgrep\"\n",
        ),
        (
            &["what", "is", "rust", "--json"],
            "There is no command \"what\".\nhint: did you mean: pplx search \"what is rust\"\n",
        ),
        (
            &["cost of $5 \"eggs\""],
            "There is no command \"cost of $5 \\\"eggs\\\"\".\nhint: did you mean: pplx search \"cost of \\$5 \\\"eggs\\\"\"\n",
        ),
        (
            &["search", "--jsno", "q"],
            "Unexpected argument '--jsno' found.\nhint: a similar argument exists: '--json'\n",
        ),
        (
            &["help", "exit"],
            "There is no help on \"exit\".\nhint: topics: exit-codes, environment; or a command of `pplx --help`\n",
        ),
    ] {
        pplx(args).is(2, "", stderr);
    }
}

#[test]
fn a_value_that_does_not_fit_is_refused_in_one_line() {
    for (args, mistake) in [
        (&["search", "--limit", "-1", "q"][..], "Unexpected argument '-1'"),
        (&["search", "--limit", "2.5", "q"], "Invalid value '2.5' for '--limit <COUNT>'"),
        (&["search", "-n", "x", "q"], "Invalid value 'x' for '--limit <COUNT>'"),
        (&["search", "-r", "decade", "q"], "Invalid value 'decade' for '--recency <AGE>'"),
        (&["search", "-f", "pdf", "q"], "Invalid value 'pdf' for '--format <FORMAT>'"),
        (&["search", "--timeout", "soon", "q"], "Invalid value 'soon' for '--timeout <SECONDS>'"),
        (&["search", "--json", "-f", "report", "q"], "The argument '--json' cannot be used with '--format"),
        (
            &["search", "--record", "a", "--replay", "b", "q"],
            "The argument '--record <FILE>' cannot be used with '--replay",
        ),
        (
            &["login", "--browser", "--with-token"],
            "The argument '--browser' cannot be used with '--with-token'",
        ),
        (&["completions", "tcsh"], "Invalid value 'tcsh' for '<SHELL>'"),
    ] {
        let outcome = pplx(args);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{outcome:?}");
        let lines: Vec<_> = outcome.stderr.lines().collect();
        assert!(lines.len() == 2 && lines[1].starts_with("hint: "), "{outcome:?}");
        assert!(lines[0].starts_with(mistake), "{outcome:?}");
    }
    let outcome = Home::at("http://127.0.0.1:9").env("PPLX_FORMAT", "pdf").run(&["search", "q"]);
    outcome.is(
        2,
        "",
        "PPLX_FORMAT is \"pdf\", which is no format.\nhint: use one of report, pretty, answer, json, ndjson\n",
    );
}

#[test]
fn nothing_typed_shows_the_help() {
    let outcome = pplx(&[]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.contains("Usage: pplx <COMMAND>"), "{outcome:?}");
}

#[test]
fn help_and_version_go_to_standard_output() {
    for args in
        [&["--help"][..], &["-h"], &["help"], &["search", "--help"], &["help", "search"], &["login", "-h"]]
    {
        let outcome = pplx(args);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{outcome:?}");
        assert!(outcome.stdout.contains("Usage: pplx"), "{outcome:?}");
        assert!(outcome.stdout.lines().all(|line| line.chars().count() <= 100), "{}", outcome.stdout);
    }
    let version = pplx(&["--version"]);
    assert_eq!(
        (version.code, version.stdout.starts_with("pplx 0.1.0 (unofficial")),
        (0, true),
        "{version:?}"
    );
}

#[test]
fn topics_explain_codes_and_variables() {
    let codes = pplx(&["help", "exit-codes"]);
    assert_eq!(codes.code, 0);
    for code in ["0", "1", "2", "3", "4", "5", "6", "7", "8", "130", "143"] {
        assert!(codes.stdout.lines().any(|line| line.split_whitespace().next() == Some(code)), "{code}");
    }
    let environment = pplx(&["help", "environment"]).stdout;
    for name in [
        "PPLX_TOKEN",
        "PPLX_COOKIES",
        "PERPLEXITY_COOKIES",
        "PPLX_EMAIL",
        "PPLX_OTP",
        "PPLX_MODEL",
        "PPLX_FORMAT",
        "PPLX_AUTH_NO_BORROW",
        "PI_AUTH_NO_BORROW",
        "PPLX_CONFIG_DIR",
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "HTTPS_PROXY",
        "NO_PROXY",
        "SSL_CERT_FILE",
        "PPLX_BASE_URL",
    ] {
        assert!(environment.contains(name), "help lacks {name}");
    }
}

#[test]
fn the_readme_shows_the_real_output() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let stream = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams/herons.sse");
    let shown = pplx(&["search", "--replay", stream.to_str().unwrap(), "why do herons stand on one leg"]);
    assert!(shown.code == 0 && shown.stdout.starts_with("## Answer\n"), "{shown:?}");
    assert!(readme.contains(&shown.stdout), "the README shows what the program prints");
}

#[cfg(all(feature = "mcp", feature = "serve"))]
#[test]
fn generated_files_are_the_committed_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
    for (args, file) in [
        (&["completions", "bash"][..], "pplx.bash"),
        (&["completions", "zsh"], "_pplx"),
        (&["completions", "fish"], "pplx.fish"),
        (&["completions", "powershell"], "_pplx.ps1"),
        (&["completions", "elvish"], "pplx.elv"),
        (&["man"], "pplx.1"),
    ] {
        let generated = pplx(args);
        assert_eq!((generated.code, generated.stderr.as_str()), (0, ""));
        assert!(generated.stdout.contains("pplx"), "{file}");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(file), &generated.stdout).unwrap();
        }
        let committed = std::fs::read_to_string(folder.join(file)).unwrap().replace("\r\n", "\n");
        assert!(generated.stdout == committed, "{file} is stale: UPDATE=1 cargo test usage");
    }
}

#[test]
fn completions_know_models_sources_and_threads_and_hold_nothing_but_words() {
    let home = Home::at("http://127.0.0.1:9");
    let state = home.path().join("state/pplx");
    std::fs::create_dir_all(&state).unwrap();
    let model = |id: &str| serde_json::json!({ "id": id, "thinking": null, "label": "", "tier": null });
    let models = [model("heron_2"), model("$(touch here)")];
    let models = serde_json::json!({ "fetched": 1, "models": models, "ids": [] });
    std::fs::write(state.join("models.json"), models.to_string()).unwrap();
    let entry = |id: &str| serde_json::json!({ "id": id, "query": "q", "answered": 1 });
    let entries = serde_json::json!({ "threads": [entry("thread-7"), entry("`touch here`")] });
    std::fs::write(state.join("threads.json"), entries.to_string()).unwrap();
    let folder = home.path().join("state");
    let home = home.env("XDG_STATE_HOME", folder);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let outcome = home.run(&["completions", shell]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
        assert!(outcome.stdout.contains("recency") && !outcome.stdout.contains("touch here"), "{shell}");
        // Two shells are told the names of values only.
        if matches!(shell, "bash" | "zsh" | "fish") {
            for word in ["heron_2", "scholar", "thread-7"] {
                assert!(outcome.stdout.contains(word), "{shell}: {word}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_text_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let home = Home::at("http://127.0.0.1:9");
    let mut command = home.command(&["search"]);
    let output = command.arg(std::ffi::OsStr::from_bytes(b"caf\xE9")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 2);
}
