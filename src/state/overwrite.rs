//! Writing over a file of the user's, without losing it when a run fails before its first byte.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// A file whose old content stays until the first byte of the new one.
#[derive(Debug)]
pub struct Overwrite {
    file: File,
    started: bool,
}

impl Overwrite {
    /// Opens or creates the file. A link is followed, and a device can be written to as well.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().create(true).truncate(false).write(true).open(path)?;
        Ok(Self { file, started: false })
    }
}

impl Write for Overwrite {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let first = !std::mem::replace(&mut self.started, true);
        if first && self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes `text` to a file of the user's.
pub fn save(text: &str, path: &Path) -> io::Result<()> {
    Overwrite::open(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_content_stays_until_the_first_byte() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        std::fs::write(&path, "old and longer").unwrap();
        let mut file = Overwrite::open(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old and longer");
        file.write_all(b"n").unwrap();
        file.write_all(b"ew").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
    }
}
