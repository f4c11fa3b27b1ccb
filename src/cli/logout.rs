//! `pplx logout`.

use crate::auth::{self, Store};
use crate::outcome::failure::Failure;
use crate::state::env::Environment;
use crate::terminal::io::Io;

/// Deletes the stored session, and says whether there was one.
pub(super) fn run(env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let store = Store::for_user(env)?;
    // A file that cannot be read is deleted all the same.
    let had_key = store.key().is_ok_and(|key| key.is_some());
    if store.delete()? {
        let key = if had_key { ", with the API key in it" } else { "" };
        io.print(&format!("Logged out: {} is deleted{key}.", store.path().display()))?;
    } else {
        io.print("There was no stored session.")?;
    }
    if let Some(origin) = auth::environment_origin(env) {
        io.report_as("warning", &format!("{origin} is still set and is used for searches"));
    }
    Ok(())
}
