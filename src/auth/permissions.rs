//! File modes and owners, where the platform has them. On Windows the user's profile is private by itself.

use std::fs::File;
use std::io;
use std::path::Path;

/// Any right of group and others.
pub(super) const OTHERS_ANY: u32 = 0o077;
/// The right of group and others to write.
pub(super) const OTHERS_WRITE: u32 = 0o022;

#[cfg(unix)]
mod unix {
    use super::{File, OTHERS_WRITE, Path, io};
    use std::fs::{self, DirBuilder, Permissions};
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};

    /// Makes the folder, and those above it, for this user alone.
    pub(in super::super) fn create_private_dir(path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    /// Takes `rights` away. True if there were any.
    pub(in super::super) fn tighten(path: &Path, rights: u32) -> io::Result<bool> {
        let mode = fs::metadata(path)?.mode();
        if mode & rights == 0 {
            return Ok(false);
        }
        fs::set_permissions(path, Permissions::from_mode(mode & 0o7777 & !rights))?;
        Ok(true)
    }

    /// Whether the link belongs to this user and stands in a folder that only this user may write to.
    pub(in super::super) fn is_ours_alone(folder: &Path, link: &Path) -> io::Result<bool> {
        let me = rustix::process::geteuid().as_raw();
        let folder = fs::metadata(folder)?;
        let link = fs::symlink_metadata(link)?;
        Ok(folder.uid() == me && link.uid() == me && folder.mode() & OTHERS_WRITE == 0)
    }

    /// A folder can be locked like a file, so no lock file is left behind.
    pub(in super::super) fn open_for_lock(folder: &Path) -> io::Result<File> {
        File::open(folder)
    }
}

#[cfg(not(unix))]
mod other {
    use super::{File, Path, io};

    pub(in super::super) fn create_private_dir(path: &Path) -> io::Result<()> {
        std::fs::create_dir_all(path)
    }

    pub(in super::super) fn tighten(_: &Path, _: u32) -> io::Result<bool> {
        Ok(false)
    }

    pub(in super::super) fn is_ours_alone(_: &Path, _: &Path) -> io::Result<bool> {
        Ok(true)
    }

    pub(in super::super) fn open_for_lock(folder: &Path) -> io::Result<File> {
        File::options().create(true).truncate(false).write(true).open(folder.join("auth.lock"))
    }
}

#[cfg(not(unix))]
pub(super) use other::{create_private_dir, is_ours_alone, open_for_lock, tighten};
#[cfg(unix)]
pub(super) use unix::{create_private_dir, is_ours_alone, open_for_lock, tighten};
