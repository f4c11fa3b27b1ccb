//! Options that the provider which is asked does not have: each is refused with the reason.

use super::OutputSettings;
use crate::cli::args::{ApiArgs, SearchArgs};
use crate::outcome::failure::Failure;
use crate::render::Format;

/// Refuses what only the API has, where the subscription is asked.
pub(super) fn refuse_for_subscription(args: &ApiArgs) -> Result<(), Failure> {
    let options = [
        (args.api_dialect.is_some(), "--api-dialect"),
        (args.effort.is_some(), "--effort"),
        (!args.domains.is_empty(), "--domain"),
        (!args.excluded_domains.is_empty(), "--exclude-domain"),
        (args.after.is_some(), "--after"),
        (args.before.is_some(), "--before"),
        (args.context_size.is_some(), "--context-size"),
        (args.country.is_some(), "--country"),
        (args.max_tokens.is_some(), "--max-tokens"),
        (args.sources_only, "--sources-only"),
    ];
    match options.iter().find(|(given, _)| *given) {
        Some((_, option)) => Err(Failure::usage(
            format!("The subscription has nothing like {option}; the official API has."),
            "add --provider api, which needs a key and costs money, or leave it out",
        )),
        None => Ok(()),
    }
}

/// Refuses what only the subscription has, where the API is asked.
pub(super) fn refuse_for_api(args: &SearchArgs, output: &OutputSettings) -> Result<(), Failure> {
    let options = [
        (!args.ask.sources.is_empty(), "--source", "searches the web alone"),
        (args.ask.timezone.is_some(), "--timezone", "does not take a time zone"),
        (args.ask.save, "--save", "keeps no threads"),
        (args.ask.continue_last, "--continue", "keeps no threads"),
        (args.ask.thread.is_some(), "--thread", "keeps no threads"),
        (!args.attach.is_empty(), "--attach", "takes no files"),
        (args.research, "--research", "has --effort high in its place"),
        (args.record.is_some(), "--record", "is not recorded: recordings are replies of the subscription"),
        (args.replay.is_some(), "--replay", "has no recordings: they are replies of the subscription"),
    ];
    if let Some((_, option, reason)) = options.iter().find(|(given, ..)| *given) {
        let message = format!("{option} cannot be had from the official API, which {reason}.");
        return Err(Failure::usage(message, "leave it out, or ask the subscription with --provider web"));
    }
    if args.api.sources_only && output.format == Format::Answer {
        return Err(Failure::usage(
            "With --sources-only there is no answer to print.",
            "choose another --format",
        ));
    }
    if output.style.limit == Some(0) {
        return Err(Failure::usage("--limit must be at least 1 with --provider api.", "leave it out"));
    }
    Ok(())
}
