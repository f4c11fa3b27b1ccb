//! `pplx integrate`.

mod files;

use std::path::Path;

use self::files::{Found, Integration, Planned};
use super::args::IntegrateArgs;
use crate::outcome::failure::Failure;
use crate::state::env::Environment;
use crate::terminal::io::Io;

/// Writes, shows or removes the files by which an agent learns of this program.
pub(crate) fn run(args: &IntegrateArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let integration = Integration::for_agent(args.agent, env)?;
    if args.print {
        return print(&integration, io);
    }
    let found = find_all(&integration)?;
    let changed = found.iter().find(|(_, found)| *found == Found::Foreign);
    if let Some((file, _)) = changed {
        return Err(Failure::usage(
            format!("{} is not as pplx writes it, so it is left alone.", file.path.display()),
            "move it away first; --print shows what would be written",
        ));
    }
    for (file, found) in found {
        let path = file.path.display();
        let done = match (args.remove, found) {
            (false, Found::Same) => format!("{path} is up to date."),
            (true, Found::Nothing) => format!("{path} is not there."),
            (false, _) => {
                integration.write(file)?;
                format!("Wrote {path}.")
            }
            (true, _) => {
                integration.remove(file)?;
                format!("Removed {path}.")
            }
        };
        io.print(&done)?;
    }
    Ok(())
}

/// What stands at the place of each file, before any is touched.
fn find_all(integration: &Integration) -> Result<Vec<(&Planned, Found)>, Failure> {
    let found = |file| integration.found(file).map(|found| (file, found));
    integration.files.iter().map(found).collect::<crate::Result<_>>().map_err(Failure::from)
}

fn print(integration: &Integration, io: &mut Io) -> Result<(), Failure> {
    for file in &integration.files {
        let path: &Path = &file.path;
        io.print(&format!("==> {} <==\n{}", path.display(), file.content.trim_end()))?;
    }
    Ok(())
}
