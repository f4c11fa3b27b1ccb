//! `pplx man`: generated from the definitions of the arguments.

use clap::CommandFactory;

use super::args::Cli;
use super::topics::TOPICS;
use crate::outcome::failure::Failure;
use crate::terminal::io::Io;

/// Prints the manual page of the program, with a section for each command.
pub(crate) fn run(io: &mut Io) -> Result<(), Failure> {
    let command = Cli::command();
    let page = clap_mangen::Man::new(command.clone()).source(concat!("pplx ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_subcommands_section(&mut text)?;
    for subcommand in command.get_subcommands() {
        let name = format!("pplx {}", subcommand.get_name());
        let section =
            clap_mangen::Man::new(subcommand.clone().bin_name(name.clone()).display_name(name.clone()));
        text.extend(format!(".SH \"{}\"\n", name.to_uppercase()).into_bytes());
        let mut options = Vec::new();
        section.render_options_section(&mut options)?;
        let options = String::from_utf8_lossy(&options).replace(".SH OPTIONS\n", "");
        let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
        text.extend(format!("{about}\n{options}").into_bytes());
    }
    for topic in TOPICS {
        text.extend(roff_section(topic.name, &(topic.text)()).into_bytes());
    }
    io.out().write_all(&text)?;
    Ok(io.out().flush()?)
}

/// A section whose lines stay as they are.
fn roff_section(name: &str, text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace("\n.", "\n\\&.").replace('-', "\\-");
    format!(".SH \"{}\"\n.nf\n{text}\n.fi\n", name.to_uppercase().replace('-', " "))
}
