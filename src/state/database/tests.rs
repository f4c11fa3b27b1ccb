use super::*;
use crate::domain::answer::Thread;
use crate::domain::models::Models;
use crate::state::{Answered, Answers, Dialects, Jobs, ModelList, Responses};

/// The database in `folder/pplx`.
pub(in crate::state) fn database(folder: &Path) -> Database {
    let folder = folder.to_str().unwrap();
    Database::for_user(&Environment::from_variables(&[("XDG_STATE_HOME", folder)])).unwrap()
}

fn answered(id: &str) -> Answered {
    Answered::new(Thread { id: id.to_owned(), ..Thread::default() }, "why?", 1)
}

/// The names in the state folder that are not those of the database.
fn others(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder.join("pplx")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter(|name| !matches!(name.as_str(), "state.db" | "state.db-wal" | "state.db-shm")).collect();
    names.sort();
    names
}

#[tokio::test]
async fn reading_creates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let answers = Answers::new(database(folder.path()));
    assert_eq!(answers.last().await.unwrap(), None);
    assert!(!folder.path().join("pplx").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_may_read_it() {
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().unwrap();
    let database = database(folder.path());
    Answers::new(database.clone()).remember(answered("a")).await.unwrap();
    let entries: Vec<_> =
        fs::read_dir(folder.path().join("pplx")).unwrap().map(|entry| entry.unwrap()).collect();
    assert!(entries.len() >= 3, "{entries:?}");
    for entry in entries {
        assert_eq!(entry.metadata().unwrap().mode() & 0o077, 0, "{:?}", entry.path());
    }
    assert_eq!(database.path().parent().unwrap().metadata().unwrap().mode() & 0o077, 0);
}

#[tokio::test]
async fn files_of_earlier_versions_are_read_once_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("pplx");
    fs::create_dir_all(state.join("jobs")).unwrap();
    let write = |name: &str, text: &str| fs::write(state.join(name), text).unwrap();
    write(
        "threads.json",
        r#"{"threads":[{"id":"old","query":"q","answered":1},{"id":"new","context":"c","token":"t","query":"q","answered":2}]}"#,
    );
    write(
        "models.json",
        r#"{"fetched":7,"models":[{"id":"m","thinking":null,"label":"M","tier":"pro"}],"ids":["m"]}"#,
    );
    write("api-dialect.json", r#"{"account":18446744073709551615,"learnt":5}"#);
    write("jobs/j-1.json", r#"{"id":"j-1","query":"q","result":{"answer":"a"},"done":true}"#);
    write("chat-history", "stays\n");
    let database = database(folder.path());
    let answers = Answers::new(database.clone());
    let last = answers.last().await.unwrap().unwrap();
    assert_eq!(
        (last.id.as_str(), last.context.as_deref(), last.token.as_deref()),
        ("new", Some("c"), Some("t"))
    );
    assert_eq!(answers.ids().await.unwrap(), ["new", "old"]);
    let models = ModelList::new(database.clone()).read().await.unwrap().unwrap();
    assert_eq!((models.fetched, models.models.knows("m")), (7, true));
    assert!(Dialects::new(database.clone()).prefers_agent(-1, 6).await.unwrap());
    let job = Jobs::new(database.clone()).read("j-1").await.unwrap().unwrap();
    assert_eq!((job.done, job.result.unwrap()["answer"].as_str()), (true, Some("a")));
    assert_eq!(others(folder.path()), ["chat-history"]);
    assert!(database.take_warnings().is_empty());
}

#[tokio::test]
async fn an_unreadable_old_file_stays_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("pplx");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("threads.json"), "{\"threads\":[{\"token\":\"hush").unwrap();
    fs::write(state.join("models.json"), "{\"fetched\":7,\"models\":[],\"ids\":[]}").unwrap();
    let database = database(folder.path());
    assert_eq!(Answers::new(database.clone()).last().await.unwrap(), None);
    let warnings = database.take_warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("threads.json") && !warnings[0].contains("hush"), "{warnings:?}");
    assert_eq!(others(folder.path()), ["threads.json"]);
    assert!(database.take_warnings().is_empty());
}

#[tokio::test]
async fn the_responses_of_an_earlier_server_are_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("pplx");
    fs::create_dir_all(&state).unwrap();
    let old = Connection::open(state.join("serve.db")).unwrap();
    old.execute_batch(
        "PRAGMA journal_mode=WAL; CREATE TABLE responses (id TEXT PRIMARY KEY, created INTEGER NOT NULL,
            document TEXT NOT NULL, input TEXT NOT NULL, said TEXT NOT NULL, thread TEXT) STRICT;",
    )
    .unwrap();
    let sql = "INSERT INTO responses VALUES ('resp_1', ?, '{\"status\":\"in_progress\"}', '[]', '{\"turns\":[]}', NULL)";
    old.execute(sql, [chrono::Utc::now().timestamp()]).unwrap();
    let responses = Responses::new(database(folder.path()));
    responses.begin(None, "{}".to_owned()).await.unwrap();
    assert_eq!(responses.get("resp_1").await.unwrap(), None, "a server that runs keeps its file");
    drop(old);
    responses.begin(Some(i64::MAX), "{}".to_owned()).await.unwrap();
    let taken = responses.get("resp_1").await.unwrap().unwrap();
    assert_eq!((taken.transcript.as_str(), taken.document.contains("failed")), ("{\"turns\":[]}", true));
    assert_eq!(others(folder.path()), Vec::<String>::new());
}

#[tokio::test]
async fn a_newer_database_is_refused_by_name_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    Answers::new(database(folder.path())).remember(answered("a")).await.unwrap();
    let path = folder.path().join("pplx/state.db");
    let newer = Connection::open(&path).unwrap();
    newer.execute_batch("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE);").unwrap();
    drop(newer);
    let before = fs::read(&path).unwrap();
    let answers = Answers::new(database(folder.path()));
    for error in [answers.remember(answered("b")).await.unwrap_err(), answers.last().await.unwrap_err()] {
        let error = error.to_string();
        assert!(error.contains("state.db") && error.contains("99"), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(others(folder.path()), Vec::<String>::new());
}

#[tokio::test]
async fn a_damaged_database_is_set_aside_and_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("pplx");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("state.db"), "this is no database, whatever its name says".repeat(40)).unwrap();
    let database = database(folder.path());
    let answers = Answers::new(database.clone());
    answers.remember(answered("a")).await.unwrap();
    assert_eq!(answers.last().await.unwrap().unwrap().id, "a");
    let warnings = database.take_warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let aside = others(folder.path());
    assert!(aside.len() == 1 && aside[0].starts_with("state.db.damaged-"), "{aside:?}");
    assert!(warnings[0].contains(&aside[0]), "{warnings:?}");
}

#[tokio::test]
async fn damage_that_shows_late_is_set_aside_for_the_next_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pplx/state.db");
    let kept = Answers::new(database(folder.path()));
    for number in 0..150 {
        kept.remember(answered(&number.to_string())).await.unwrap();
    }
    drop(kept);
    Connection::open(&path).unwrap().execute_batch("PRAGMA wal_checkpoint(TRUNCATE);").unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let length = bytes.len();
    bytes[4096..length].fill(0xAA);
    fs::write(&path, bytes).unwrap();
    let answers = Answers::new(database(folder.path()));
    let first = answers.remember(answered("a")).await;
    assert!(matches!(first, Err(Error::DamagedState { .. })), "{first:?}");
    answers.remember(answered("b")).await.unwrap();
    assert_eq!(answers.ids().await.unwrap(), ["b"]);
}

#[tokio::test]
async fn a_database_that_is_held_is_given_up_within_two_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let answers = Answers::new(database(folder.path()));
    answers.remember(answered("a")).await.unwrap();
    let holder = Connection::open(folder.path().join("pplx/state.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let started = Instant::now();
    let error = answers.remember(answered("b")).await.unwrap_err();
    assert!(matches!(&error, Error::Busy { path } if path.ends_with("state.db")), "{error:?}");
    assert!(started.elapsed() < Duration::from_millis(2500), "{:?}", started.elapsed());
    assert_eq!(answers.last().await.unwrap().unwrap().id, "a", "reading goes on");
    drop(holder);
    answers.remember(answered("c")).await.unwrap();
    assert_eq!(answers.last().await.unwrap().unwrap().id, "c");
}

#[tokio::test]
async fn sixteen_that_create_it_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let tasks: Vec<_> = (0..16)
        .map(|number| {
            let answers = Answers::new(database(folder.path()));
            tokio::spawn(async move { answers.remember(answered(&number.to_string())).await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(Answers::new(database(folder.path())).ids().await.unwrap().len(), 16);
}

#[tokio::test]
async fn a_database_that_cannot_be_changed_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let list = ModelList::new(database(folder.path()));
    list.write(crate::state::ListedModels { fetched: 1, models: Models::built_in() }).await.unwrap();
    let path = folder.path().join("pplx/state.db");
    Connection::open(&path).unwrap().execute_batch("PRAGMA wal_checkpoint(TRUNCATE);").unwrap();
    let opening = Opening { path, warnings: Arc::default() };
    let connection = opening.unchanging().unwrap();
    let fetched: i64 = connection.query_row("SELECT fetched FROM model_list", [], |row| row.get(0)).unwrap();
    assert_eq!(fetched, 1);
    assert!(connection.execute("DELETE FROM model_list", []).is_err());
}
