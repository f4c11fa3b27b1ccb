//! Inline Markdown, such as emphasis, links and code, as styled spans.

use anstyle::Style;
use pulldown_cmark::{Event, Tag, TagEnd};

use super::citations::{Citations, linked};
use super::span::{CODE, Span, joined};
use crate::render::Paint;

/// The width, escape sequences and citations for drawing a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Canvas<'a> {
    pub(super) width: usize,
    pub(super) paint: Paint,
    pub(super) citations: &'a Citations,
}

pub(super) type Events<'e> = std::iter::Peekable<std::vec::IntoIter<Event<'e>>>;

/// Inline text up to the end of its block or the start of another one.
pub(super) fn inline(events: &mut Events<'_>, base: Style, canvas: Canvas<'_>) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut styles = vec![base];
    let mut links: Vec<String> = Vec::new();
    while let Some(event) = events.next_if(is_inline) {
        let style = styles.last().copied().unwrap_or_default();
        let mut push = |text: &str, style| {
            spans.push(Span { text: text.to_owned(), style, link: links.last().cloned() });
        };
        match event {
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => push(&text, style),
            Event::Code(code) => push(&code, CODE),
            Event::SoftBreak => push(" ", style),
            Event::HardBreak => push("\n", style),
            Event::TaskListMarker(done) => push(if done { "☑ " } else { "☐ " }, style),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                links.push(dest_url.into_string());
                styles.push(style.underline());
            }
            Event::Start(tag) => styles.push(emphasised(style, &tag)),
            Event::End(end) => {
                if matches!(end, TagEnd::Link | TagEnd::Image)
                    && let Some(url) = links.pop()
                    && !canvas.paint.links
                {
                    spans.push(Span::new(format!(" ({url})"), base.dimmed()));
                }
                if styles.len() > 1 {
                    styles.pop();
                }
            }
            _ => {}
        }
    }
    linked(joined(spans), canvas.citations)
}

pub(super) fn is_inline(event: &Event<'_>) -> bool {
    match event {
        Event::Start(tag) => is_inline_tag(tag.to_end()),
        Event::End(end) => is_inline_tag(*end),
        Event::Rule => false,
        _ => true,
    }
}

fn is_inline_tag(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Link
            | TagEnd::Image
            | TagEnd::Superscript
            | TagEnd::Subscript
    )
}

fn emphasised(style: Style, tag: &Tag<'_>) -> Style {
    match tag {
        Tag::Emphasis => style.italic(),
        Tag::Strong => style.bold(),
        Tag::Strikethrough => style.strikethrough(),
        _ => style,
    }
}
