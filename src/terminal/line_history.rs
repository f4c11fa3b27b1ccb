//! The lines that were typed in earlier chats: `chat-history` in the state folder. Nothing is locked: a line is appended
//! with one write.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

use crate::state::private::{self, Durability};

/// How many lines are read back.
pub(crate) const LIMIT: usize = 1_000;
/// The first line of the file: what follows has `\n` for a line break and `\\` for a backslash.
const HEADER: &str = "#V2";

/// The file of the lines.
#[derive(Debug)]
pub(crate) struct LineHistory {
    path: PathBuf,
}

impl LineHistory {
    /// The history at `path`, whose folder is made if need be; `None` where there can be no folder.
    pub(crate) fn open(path: PathBuf) -> Option<Self> {
        private::create_private_dir(path.parent()?).ok()?;
        Some(Self { path })
    }

    /// The newest lines, oldest first. A file that has grown to twice [`LIMIT`] is cut down to them.
    pub(crate) fn lines(&self) -> Vec<String> {
        let bytes = fs::read(&self.path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let kept: Vec<&str> = text.lines().filter(|line| *line != HEADER).collect();
        let newest = kept.get(kept.len().saturating_sub(LIMIT)..).unwrap_or_default();
        if kept.len() > 2 * LIMIT {
            let text = format!("{HEADER}\n{}\n", newest.join("\n"));
            // A history that stays long costs a moment at the next start.
            let _ = private::write(&self.path, text.as_bytes(), Durability::Unsynced);
        }
        newest.iter().map(|line| unescaped(line)).collect()
    }

    /// Adds a line, which may have line breaks in it.
    pub(crate) fn append(&self, line: &str) -> io::Result<()> {
        private::open_private(&self.path)?;
        let mut file = File::options().append(true).open(&self.path)?;
        let header = if file.metadata()?.len() == 0 { format!("{HEADER}\n") } else { String::new() };
        let line = line.replace('\\', "\\\\").replace('\n', "\\n");
        file.write_all(format!("{header}{line}\n").as_bytes())
    }
}

fn unescaped(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => text.push('\n'),
            Some(other) => text.push(other),
            None => text.push('\\'),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_as_they_were_and_a_long_file_is_cut_down() {
        let folder = tempfile::tempdir().unwrap();
        let history = LineHistory::open(folder.path().join("state/chat-history")).unwrap();
        assert!(history.lines().is_empty());
        let typed = ["why?", "two\nlines", r"C:\new", r"ends in \", "#V3"];
        for line in typed {
            history.append(line).unwrap();
        }
        assert_eq!(history.lines(), typed);
        for number in 0..2 * LIMIT {
            history.append(&number.to_string()).unwrap();
        }
        assert_eq!(history.lines().first().unwrap(), "1000");
        assert_eq!(history.lines().len(), LIMIT);
        assert_eq!(fs::read_to_string(&history.path).unwrap().lines().count(), LIMIT + 1);
    }
}
