//! The values that are chosen from a few.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RecencyArg {
    Hour,
    Day,
    Week,
    Month,
    Year,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentArg {
    /// oh-my-pi: an extension with a tool, and a skill
    Omp,
    /// pi: the same
    Pi,
    /// Claude Code: a skill
    Claude,
    /// Codex: a skill
    Codex,
    /// opencode: a skill
    Opencode,
    /// The folder where several agents look for skills
    Agents,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ProviderArg {
    /// Your subscription
    Web,
    /// The official API: needs a key, and costs money
    Api,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DialectArg {
    Auto,
    Agent,
    Chat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EffortArg {
    Fast,
    Low,
    Medium,
    High,
    Xhigh,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ContextSizeArg {
    Low,
    Medium,
    High,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FormatArg {
    /// Answer, sources and meta data as text
    Report,
    /// The same for people: Markdown drawn, links to follow
    Pretty,
    /// The answer's text alone
    Answer,
    /// One JSON object
    Json,
    /// One JSON object a line, as things happen
    Ndjson,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ColorArg {
    Auto,
    Always,
    Never,
}
