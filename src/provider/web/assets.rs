//! The report of deep research, which is an asset; the markdown beside it is only a cover note
//! (fixture `tests/streams/research-report.sse`).

use serde::Deserialize;
use serde_json::{Value, json};

use super::lenient::{object, objects, text};
use super::patch::{Change, Patch, Pointer, patch_fields};
use super::text::GrowingText;

/// `unified_assets_block`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Assets {
    #[serde(deserialize_with = "objects")]
    assets: Option<Vec<Asset>>,
}
patch_fields!(Assets, "assets" => assets);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Asset {
    #[serde(deserialize_with = "object")]
    research_report: Option<ResearchReport>,
}
patch_fields!(Asset, "research_report" => research_report);

#[derive(Debug, Default, Deserialize)]
#[serde(from = "ResearchReportWire")]
struct ResearchReport {
    content: GrowingText,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ResearchReportWire {
    #[serde(deserialize_with = "text")]
    source_content: Option<String>,
}

impl From<ResearchReportWire> for ResearchReport {
    fn from(wire: ResearchReportWire) -> Self {
        Self { content: GrowingText::new(wire.source_content, Vec::new()) }
    }
}

impl Patch for ResearchReport {
    fn patch(&mut self, path: Pointer<'_>, change: Change<'_>) {
        match path.split() {
            None => *self = change.value().unwrap_or_default(),
            Some((field, rest)) => self.content.patch_field(&field, "source_content", rest, change, false),
        }
    }

    fn to_json(&self) -> Value {
        json!({ "source_content": self.content.as_str() })
    }
}

impl Assets {
    /// The last report with text, and its index.
    pub(super) fn report(&self) -> Option<(usize, &GrowingText)> {
        let reports = self.assets.iter().flatten().map(|asset| asset.research_report.as_ref()).enumerate();
        let texts = reports.filter_map(|(index, report)| Some((index, &report?.content)));
        texts.filter(|(_, content)| !content.is_blank()).last()
    }

    /// All reports.
    pub(super) fn reports_mut(&mut self) -> impl Iterator<Item = &mut GrowingText> {
        let reports = self.assets.iter_mut().flatten().filter_map(|asset| asset.research_report.as_mut());
        reports.map(|report| &mut report.content)
    }
}
