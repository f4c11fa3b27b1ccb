//! Files that only their owner may read: modes and owners, where the platform has them (on Windows the user's profile
//! is private by itself), and writing that nobody sees half done.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Any right of group and others.
pub(crate) const OTHERS_ANY: u32 = 0o077;
/// The right of group and others to write.
pub(crate) const OTHERS_WRITE: u32 = 0o022;

/// The names of temporary files begin with this. One that is found under the lock was left by a killed run.
const TEMPORARY: &str = ".pplx-";

/// How long a lock is waited for. Less than what [`super::off_thread`] waits for the work that needs it.
const LOCK_LIMIT: Duration = Duration::from_millis(1800);
/// How often a lock that is held is tried again.
const LOCK_INTERVAL: Duration = Duration::from_millis(5);

/// Holds off other processes that change files in `folder`, until the result is dropped. Blocks for at most
/// [`LOCK_LIMIT`]; [`io::ErrorKind::WouldBlock`] where the lock is held for longer.
pub(crate) fn lock(folder: &Path) -> io::Result<File> {
    let file = open_for_lock(folder)?;
    let end = Instant::now() + LOCK_LIMIT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(LOCK_INTERVAL),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Makes sure that `target` can be written, as [`write()`] does it.
pub(crate) fn probe(target: &Path) -> io::Result<()> {
    temporary_beside(target).map(drop)
}

/// What a loss of power may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// The bytes are on the disk before the file is replaced.
    Synced,
    /// Whenever the system gets to it: losing the file costs little.
    Unsynced,
}

/// Replaces `target` under the lock of its folder: writes a 0600 file beside it, then renames that over it.
pub(crate) fn write(target: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    remove_leftovers(folder_of(target));
    let mut file = temporary_beside(target)?;
    file.write_all(bytes)?;
    if durability == Durability::Synced {
        file.as_file().sync_all()?;
    }
    file.persist(target).map_err(|error| error.error)?;
    Ok(())
}

fn temporary_beside(target: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder_of(target))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            // Nothing depends on it; the next write tries again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(unix)]
mod unix {
    use super::io;
    use super::{File, OTHERS_WRITE, Path};
    use std::fs::{self, DirBuilder, Permissions};
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};

    /// Makes the folder, and those above it, for this user alone.
    pub(crate) fn create_private_dir(path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    /// Takes `rights` away. True if there were any.
    pub(crate) fn tighten(path: &Path, rights: u32) -> io::Result<bool> {
        let mode = fs::metadata(path)?.mode();
        if mode & rights == 0 {
            return Ok(false);
        }
        fs::set_permissions(path, Permissions::from_mode(mode & 0o7777 & !rights))?;
        Ok(true)
    }

    /// Whether the link belongs to this user and stands in a folder that only this user may write to.
    pub(crate) fn is_ours_alone(folder: &Path, link: &Path) -> io::Result<bool> {
        let me = rustix::process::geteuid().as_raw();
        let folder = fs::metadata(folder)?;
        let link = fs::symlink_metadata(link)?;
        Ok(folder.uid() == me && link.uid() == me && folder.mode() & OTHERS_WRITE == 0)
    }

    /// Opens or creates a file that only this user may read.
    pub(crate) fn open_private(path: &Path) -> io::Result<File> {
        use std::os::unix::fs::OpenOptionsExt;
        File::options().create(true).truncate(false).write(true).mode(0o600).open(path)
    }

    /// A folder can be locked like a file, so no lock file is left behind.
    pub(crate) fn open_for_lock(folder: &Path) -> io::Result<File> {
        File::open(folder)
    }
}

#[cfg(not(unix))]
mod other {
    use super::io;
    use super::{File, Path};

    pub(crate) fn create_private_dir(path: &Path) -> io::Result<()> {
        std::fs::create_dir_all(path)
    }

    pub(crate) fn tighten(_: &Path, _: u32) -> io::Result<bool> {
        Ok(false)
    }

    pub(crate) fn is_ours_alone(_: &Path, _: &Path) -> io::Result<bool> {
        Ok(true)
    }

    pub(crate) fn open_private(path: &Path) -> io::Result<File> {
        File::options().create(true).truncate(false).write(true).open(path)
    }

    pub(crate) fn open_for_lock(folder: &Path) -> io::Result<File> {
        File::options().create(true).truncate(false).write(true).open(folder.join("auth.lock"))
    }
}

#[cfg(not(unix))]
use other::open_for_lock;
#[cfg(not(unix))]
pub(crate) use other::{create_private_dir, is_ours_alone, open_private, tighten};
#[cfg(unix)]
use unix::open_for_lock;
#[cfg(unix)]
pub(crate) use unix::{create_private_dir, is_ours_alone, open_private, tighten};
