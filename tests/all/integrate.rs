//! `pplx integrate`, and the files of the package for agents.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Home, Server};
use serde_json::Value;

fn home() -> Home {
    Home::new(&Server::start([]))
}

fn in_project(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Where the user's own folder is.
fn user(home: &Home) -> PathBuf {
    home.path().join("user")
}

fn with_user(home: Home) -> Home {
    let folder = user(&home);
    home.env("HOME", folder).without("XDG_CONFIG_HOME")
}

#[test]
fn each_agent_gets_its_files_where_it_looks() {
    for (agent, files) in [
        ("omp", &[".omp/agent/extensions/pplx.ts", ".agents/skills/pplx/SKILL.md"][..]),
        ("pi", &[".pi/agent/extensions/pplx.ts", ".agents/skills/pplx/SKILL.md"]),
        ("claude", &[".claude/skills/pplx/SKILL.md"]),
        ("codex", &[".agents/skills/pplx/SKILL.md"]),
        ("opencode", &[".config/opencode/skills/pplx/SKILL.md"]),
        ("agents", &[".agents/skills/pplx/SKILL.md"]),
    ] {
        let home = with_user(home());
        let printed = home.run(&["integrate", agent, "--print"]);
        assert_eq!(printed.code, 0);
        assert!(!user(&home).exists(), "--print writes nothing");
        let outcome = home.run(&["integrate", agent]);
        assert_eq!((outcome.code, outcome.stdout.matches("Wrote ").count()), (0, files.len()), "{outcome:?}");
        for file in files {
            let ours = in_project(if file.contains("extensions") {
                "integrations/omp/index.ts"
            } else {
                "skills/pplx/SKILL.md"
            });
            assert_eq!(fs::read_to_string(user(&home).join(file)).unwrap(), ours);
            assert!(printed.stdout.contains(ours.trim_end()) && printed.stdout.contains(file));
        }
        let again = home.run(&["integrate", agent]);
        assert_eq!(
            (again.code, again.stdout.matches(" is up to date.").count()),
            (0, files.len()),
            "{again:?}"
        );
        let removed = home.run(&["integrate", agent, "--remove"]);
        assert_eq!(
            (removed.code, removed.stdout.matches("Removed ").count()),
            (0, files.len()),
            "{removed:?}"
        );
        assert!(files.iter().all(|file| !user(&home).join(file).exists()));
        assert!(home.run(&["integrate", agent, "--remove"]).stdout.contains(" is not there."));
    }
}

#[test]
fn a_file_that_the_user_changed_is_left_alone_and_nothing_else_is_touched() {
    let home = with_user(home());
    let (extension, skill) =
        (user(&home).join(".omp/agent/extensions/pplx.ts"), user(&home).join(".agents/skills/pplx/SKILL.md"));
    fs::create_dir_all(skill.parent().unwrap()).unwrap();
    fs::write(&skill, "mine").unwrap();
    for args in [&["integrate", "omp"][..], &["integrate", "omp", "--remove"]] {
        let outcome = home.run(args);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(
            outcome
                .stderr
                .contains("SKILL.md is not as pplx writes it, so it is left alone.\nhint: move it away"),
            "{outcome:?}"
        );
        assert_eq!(fs::read_to_string(&skill).unwrap(), "mine");
        assert!(!extension.exists(), "all or nothing");
    }
}

#[test]
fn a_file_of_an_older_version_is_brought_up_to_date() {
    let home = with_user(home());
    home.run(&["integrate", "claude"]);
    let skill = user(&home).join(".claude/skills/pplx/SKILL.md");
    let state = home.path().join("state/pplx/integrations.json");
    // As if the version that wrote it had had another text.
    let known = fs::read_to_string(&state).unwrap().replace("# Searching with pplx", "# Older");
    fs::write(&state, known).unwrap();
    fs::write(&skill, in_project("skills/pplx/SKILL.md").replace("# Searching with pplx", "# Older"))
        .unwrap();
    assert!(home.run(&["integrate", "claude"]).stdout.starts_with("Wrote "));
    assert_eq!(fs::read_to_string(&skill).unwrap(), in_project("skills/pplx/SKILL.md"));
}

#[test]
fn folders_that_the_environment_names_are_used() {
    let home = with_user(home());
    let (agent, config) = (home.path().join("agent"), home.path().join("xdg"));
    let home = home.env("PI_CODING_AGENT_DIR", &agent).env("XDG_CONFIG_HOME", &config);
    home.run(&["integrate", "omp"]);
    home.run(&["integrate", "opencode"]);
    assert!(
        agent.join("extensions/pplx.ts").exists() && config.join("opencode/skills/pplx/SKILL.md").exists()
    );
}

#[test]
fn the_package_says_what_the_program_does() {
    let json = |path: &str| serde_json::from_str::<Value>(&in_project(path)).unwrap();
    for path in ["package.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json"] {
        assert_eq!(json(path)["version"], env!("CARGO_PKG_VERSION"), "{path}");
    }
    for list in [&json("package.json")["omp"]["extensions"], &json("package.json")["pi"]["extensions"]] {
        in_project(list[0].as_str().unwrap());
    }
    assert!(
        json("package.json").get("dependencies").is_none() && json("package.json").get("scripts").is_none()
    );
    let skill = in_project("skills/pplx/SKILL.md");
    let front: Vec<&str> = skill.lines().skip(1).take_while(|line| *line != "---").collect();
    let keys: Vec<&str> = front.iter().filter_map(|line| line.split_once(": ").map(|(key, _)| key)).collect();
    assert_eq!((keys.as_slice(), front[0]), (&["name", "description"][..], "name: pplx"));
    let version = home().run(&["--version"]);
    assert!(version.stdout.contains("unofficial"), "the extension and the skill know it by this");
}

#[test]
fn the_habit_of_the_other_program_is_understood_with_a_note() {
    let recording = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams/herons.sse");
    let home = home();
    let search = |args: &[&str]| {
        let recording = recording.to_str().unwrap();
        home.run(&[&["search", "--replay", recording, "-f", "answer"], args].concat())
    };
    let outcome = search(&["web", "why do herons stand on one leg"]);
    assert_eq!(outcome.code, 0);
    assert!(outcome.stderr.starts_with("note: `web` is no command here and was left out;"), "{outcome:?}");
    for args in [&["web", "components"][..], &["web", "a b", "c"], &["-q", "web", "a b"]] {
        assert_eq!(search(args).stderr, "", "{args:?}");
    }
}
