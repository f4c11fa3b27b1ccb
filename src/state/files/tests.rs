use super::*;

/// A store in a folder that does not exist yet.
fn store() -> (tempfile::TempDir, Files) {
    let folder = tempfile::tempdir().unwrap();
    let env = Environment::from_variables(&[("XDG_STATE_HOME", folder.path().to_str().unwrap())]);
    let files = Files::in_state_folder(&env).unwrap();
    (folder, files)
}

fn add(files: &Files, name: &str, content: &[u8], now: i64) -> StoredFile {
    files.add(name, "user_data", content, now).unwrap()
}

/// Puts a file in place as a store of other bounds would have: of `size` bytes that take up no room.
fn plant(files: &Files, digit: char, size: u64) -> String {
    let mut stored = StoredFile::new("big", "user_data", b"", 1);
    stored.id = format!("{ID_PREFIX}{}", String::from(digit).repeat(ID_DIGITS));
    stored.bytes = size;
    files.write(&stored, b"").unwrap();
    let file = File::options().write(true).open(files.folder.join(&stored.id)).unwrap();
    file.set_len(file.metadata().unwrap().len() + size).unwrap();
    stored.id
}

#[test]
fn a_file_is_kept_until_it_is_deleted() {
    let (_folder, files) = store();
    let stored = add(&files, "Übersicht 1.pdf", b"%PDF\n\0\nx", 7);
    assert!(is_id(&stored.id), "{}", stored.id);
    assert_eq!(files.get(&stored.id).as_ref(), Some(&stored));
    assert_eq!(files.content(&stored.id), Some((stored.clone(), b"%PDF\n\0\nx".to_vec())));
    assert_eq!(files.list(), std::slice::from_ref(&stored));
    assert!(files.delete(&stored.id).unwrap());
    assert!(!files.delete(&stored.id).unwrap());
    assert_eq!((files.get(&stored.id), files.content(&stored.id)), (None, None));
    assert!(files.list().is_empty());
}

#[test]
fn a_file_is_described_in_the_words_of_the_api() {
    let (_folder, files) = store();
    let stored = files.add("a.txt", "vision", b"abc", 12).unwrap();
    let expected = serde_json::json!({
        "id": stored.id, "object": "file", "bytes": 3, "created_at": 12, "expires_at": null,
        "filename": "a.txt", "purpose": "vision", "status": "processed",
    });
    assert_eq!(serde_json::to_value(&stored).unwrap(), expected);
}

#[test]
fn nothing_is_made_before_the_first_file() {
    let (folder, files) = store();
    assert!(files.list().is_empty());
    assert!(!files.delete(&format!("{ID_PREFIX}{}", "0".repeat(ID_DIGITS))).unwrap());
    files.add("a/b", "user_data", b"x", 1).unwrap_err();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    add(&files, "a", b"x", 1);
    assert!(folder.path().join("pplx/files").is_dir());
}

#[test]
fn the_newest_come_first_within_a_second_too() {
    let (_folder, files) = store();
    for (name, now) in [("b", 5), ("c", 5), ("a", 3), ("d", 5), ("e", 9)] {
        add(&files, name, b"x", now);
        std::thread::sleep(std::time::Duration::from_millis(15));
    }
    let names: Vec<_> = files.list().into_iter().map(|stored| stored.filename).collect();
    assert_eq!(names, ["e", "d", "c", "b", "a"]);
}

#[test]
fn names_that_are_none_are_refused() {
    let (_folder, files) = store();
    let long = "x".repeat(MAX_NAME + 1);
    for name in ["", ".", "..", "a/b", "a\\b", "/", "a\nb", "a\0", "a\u{7f}", "a\u{85}", &long] {
        let refused = files.add(name, "user_data", b"x", 1);
        assert!(matches!(refused, Err(FileError::Invalid { param: "file", .. })), "{name:?}");
    }
    for name in ["...", ".env", "a b", "\"ä\"", &"\"".repeat(MAX_NAME)] {
        let stored = add(&files, name, b"x", 1);
        assert_eq!(files.get(&stored.id).unwrap().filename, name);
    }
}

#[test]
fn purposes_that_are_unknown_are_refused() {
    let (_folder, files) = store();
    for purpose in ["", "batch", "fine-tune", "User_Data"] {
        let refused = files.add("a", purpose, b"x", 1);
        assert!(matches!(refused, Err(FileError::Invalid { param: "purpose", .. })), "{purpose}");
    }
    for purpose in PURPOSES {
        assert_eq!(files.add("a", purpose, b"x", 1).unwrap().purpose, purpose);
    }
}

#[test]
fn a_file_is_neither_empty_nor_too_large() {
    let (_folder, files) = store();
    let refused = files.add("a", "user_data", b"", 1);
    assert!(matches!(refused, Err(FileError::Invalid { param: "file", .. })));
    let mut content = vec![0; MAX_FILE];
    let stored = add(&files, "a", &content, 1);
    assert_eq!(files.content(&stored.id).unwrap().1.len(), MAX_FILE);
    content.push(0);
    assert!(matches!(files.add("a", "user_data", &content, 1), Err(FileError::TooLarge(_))));
}

#[test]
fn all_files_together_are_bounded() {
    let (_folder, files) = store();
    let first = add(&files, "a", b"x", 1);
    plant(&files, 'a', MAX_TOTAL - 3);
    add(&files, "b", b"xy", 1);
    assert!(matches!(files.add("c", "user_data", b"x", 1), Err(FileError::TooLarge(_))));
    files.delete(&first.id).unwrap();
    add(&files, "c", b"x", 1);
}

#[test]
fn an_id_never_leads_out_of_the_folder() {
    let (_folder, files) = store();
    let stored = add(&files, "a", b"x", 1);
    let digits = stored.id.strip_prefix(ID_PREFIX).unwrap();
    fs::copy(files.folder.join(&stored.id), files.folder.join("../outside")).unwrap();
    let bad = [
        String::new(),
        digits.to_owned(),
        format!("../files/{}", stored.id),
        format!("./{}", stored.id),
        format!("{}/", stored.id),
        format!("{}\0", stored.id),
        format!("{ID_PREFIX}{}", "A".repeat(ID_DIGITS)),
        format!("{ID_PREFIX}{}", "g".repeat(ID_DIGITS)),
        format!("{ID_PREFIX}{}", "0".repeat(ID_DIGITS + 1)),
        format!("{ID_PREFIX}{:/<32}", "../outside"),
        "../outside".to_owned(),
    ];
    for id in bad {
        assert!(!is_id(&id), "{id:?}");
        assert_eq!((files.get(&id), files.content(&id)), (None, None), "{id:?}");
        assert!(!files.delete(&id).unwrap(), "{id:?}");
    }
    assert!(files.get(&stored.id).is_some() && files.folder.join("../outside").exists());
}

#[test]
fn half_a_file_is_no_file() {
    let (_folder, files) = store();
    let file = add(&files, "a", b"0123456789", 1);
    let bytes = fs::read(files.folder.join(&file.id)).unwrap();
    for (digit, end) in [('1', bytes.len() - 1), ('2', bytes.len() - 11), ('3', 20), ('4', 0)] {
        let half =
            file.id.replace(file.id.split_at(ID_PREFIX.len()).1, &String::from(digit).repeat(ID_DIGITS));
        let text = bytes[..end].to_vec();
        let text = String::from_utf8(text).unwrap().replace(&file.id, &half);
        fs::write(files.folder.join(&half), text).unwrap();
        assert_eq!((files.get(&half), files.content(&half)), (None, None), "{digit}");
    }
    let renamed = format!("{ID_PREFIX}{}", "5".repeat(ID_DIGITS));
    fs::write(files.folder.join(&renamed), &bytes).unwrap();
    assert_eq!(files.get(&renamed), None);
    assert_eq!(files.list(), [file]);
}

#[test]
fn what_a_killed_upload_left_is_not_listed_and_goes() {
    let (_folder, files) = store();
    let file = add(&files, "a", b"x", 1);
    let leftover = files.folder.join(".pplx-left");
    fs::copy(files.folder.join(&file.id), &leftover).unwrap();
    assert_eq!(files.list(), [file]);
    add(&files, "b", b"x", 1);
    assert!(!leftover.exists());
}

#[test]
fn two_processes_never_exceed_the_bound_together() {
    let (_folder, files) = store();
    add(&files, "a", b"x", 1);
    plant(&files, 'a', MAX_TOTAL - 4);
    let upload = |_| {
        let files = files.clone();
        std::thread::spawn(move || files.add("b", "user_data", b"x", 1).is_ok())
    };
    let uploads: Vec<_> = (0..12).map(upload).collect();
    assert_eq!(uploads.into_iter().map(|upload| upload.join().unwrap()).filter(|stored| *stored).count(), 3);
}

#[cfg(unix)]
#[test]
fn only_the_user_may_look_at_them() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let (_folder, files) = store();
    fs::create_dir_all(&files.folder).unwrap();
    fs::set_permissions(&files.folder, fs::Permissions::from_mode(0o755)).unwrap();
    let stored = add(&files, "a", b"x", 1);
    assert_eq!(mode(&files.folder), 0o700);
    assert_eq!(mode(&files.folder.join(stored.id)), 0o600);
}

#[cfg(unix)]
#[test]
fn a_planted_link_leads_nowhere() {
    use std::os::unix::fs::symlink;
    let (folder, files) = store();
    let stored = add(&files, "a", b"secret", 1);
    let inside = files.folder.join(&stored.id);
    let outside = folder.path().join("outside");
    fs::rename(&inside, &outside).unwrap();
    symlink(&outside, &inside).unwrap();
    assert_eq!((files.get(&stored.id), files.content(&stored.id)), (None, None));
    assert!(files.list().is_empty());
    assert!(!files.delete(&stored.id).unwrap());
    assert!(outside.exists());
}

#[cfg(unix)]
#[test]
fn a_link_for_the_folder_leads_nowhere() {
    let (folder, files) = store();
    let stored = add(&files, "a", b"secret", 1);
    let outside = folder.path().join("outside");
    fs::rename(&files.folder, &outside).unwrap();
    std::os::unix::fs::symlink(&outside, &files.folder).unwrap();
    assert!(files.list().is_empty());
    assert_eq!(files.get(&stored.id), None);
    assert!(!files.delete(&stored.id).unwrap());
    assert!(matches!(files.add("b", "user_data", b"x", 1), Err(FileError::Io(_))));
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn another_file_in_between_is_not_the_same() {
    let (_folder, files) = store();
    let [one, two] = ["a", "b"].map(|name| files.folder.join(add(&files, name, b"x", 1).id));
    let metadata = |path: &Path| fs::symlink_metadata(path).unwrap();
    assert!(is_same_file(&metadata(&one), &metadata(&one)));
    assert!(!is_same_file(&metadata(&one), &metadata(&two)));
}
