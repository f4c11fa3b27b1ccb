//! A page of the documentation, taken apart.

use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The folder of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A page, and what was found in it.
#[derive(Debug, Default)]
pub struct Page {
    /// Its path in the repository.
    pub path: PathBuf,
    pub text: String,
    /// Language and text of each code block.
    pub blocks: Vec<(String, String)>,
    /// The code within the prose, the headings and the tables.
    pub spans: Vec<String>,
    /// Where links and pictures lead.
    pub links: Vec<String>,
    /// The names by which headings are linked.
    pub anchors: Vec<String>,
    tables: Vec<Table>,
}

#[derive(Debug, Default)]
struct Table {
    /// The heading above it.
    heading: String,
    /// The code in each cell of each row; the head of the table is left out.
    rows: Vec<Vec<Vec<String>>>,
}

impl Page {
    pub fn read(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref().to_owned();
        let text = fs::read_to_string(root().join(&path)).unwrap().replace("\r\n", "\n");
        let mut reader = Reader::default();
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            reader.take(event);
        }
        Self { path, text, ..reader.page }
    }

    /// The README and its like, and the pages in doc/.
    pub fn all() -> Vec<Self> {
        let pages = ["", "doc"].into_iter().flat_map(|folder| {
            let files = fs::read_dir(root().join(folder)).unwrap().map(|file| file.unwrap().file_name());
            let paths = files.map(move |file| Path::new(folder).join(file));
            paths.filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        });
        let mut pages: Vec<Self> = pages.map(Self::read).collect();
        pages.sort_by(|a, b| a.path.cmp(&b.path));
        assert!(pages.len() > 10, "the pages are missing");
        pages
    }

    pub fn name(&self) -> &str {
        self.path.to_str().unwrap()
    }

    pub fn blocks_in<'a>(&'a self, language: &'a str) -> impl Iterator<Item = &'a str> {
        self.blocks.iter().filter(move |(known, _)| known == language).map(|(_, text)| text.as_str())
    }

    /// The rows of the first table below a heading: the code in each of their cells.
    #[track_caller]
    pub fn rows(&self, heading: &str) -> &[Vec<Vec<String>>] {
        let table = self.tables.iter().find(|table| table.heading == heading);
        &table.unwrap_or_else(|| panic!("{} has no table below {heading:?}", self.name())).rows
    }

    /// The code in the first cells of that table, without the mark of a list.
    #[track_caller]
    pub fn names(&self, heading: &str) -> Vec<String> {
        let first_cells = self.rows(heading).iter().flat_map(|row| &row[0]);
        first_cells.map(|name| name.replace("[]", "")).collect()
    }
}

/// Where a piece of text stands.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Prose,
    Heading,
    Block,
    Row,
}

/// A page as far as it has been read.
#[derive(Debug, Default)]
struct Reader {
    page: Page,
    place: Place,
    /// The last heading.
    heading: String,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(TagEnd::Heading(_)) => {
                self.page.anchors.push(anchor(&self.heading));
                self.place = Place::Prose;
            }
            Event::End(TagEnd::CodeBlock | TagEnd::TableRow) => self.place = Place::Prose,
            Event::Text(text) => match self.place {
                Place::Heading => self.heading.push_str(&text),
                Place::Block => self.page.blocks.last_mut().unwrap().1.push_str(&text),
                Place::Prose | Place::Row => {}
            },
            Event::Code(code) => {
                match self.place {
                    Place::Heading => self.heading.push_str(&code),
                    Place::Row => self.row().last_mut().unwrap().push(code.to_string()),
                    Place::Prose | Place::Block => {}
                }
                self.page.spans.push(code.into_string());
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::CodeBlock(kind) => {
                let CodeBlockKind::Fenced(language) = kind else { panic!("a block without a fence") };
                self.page.blocks.push((language.into_string(), String::new()));
                self.place = Place::Block;
            }
            Tag::Heading { .. } => {
                self.heading.clear();
                self.place = Place::Heading;
            }
            Tag::Table(_) => {
                self.page.tables.push(Table { heading: self.heading.clone(), rows: Vec::new() });
            }
            Tag::TableRow => {
                self.page.tables.last_mut().unwrap().rows.push(Vec::new());
                self.place = Place::Row;
            }
            Tag::TableCell if self.place == Place::Row => self.row().push(Vec::new()),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.page.links.push(dest_url.into_string());
            }
            _ => {}
        }
    }

    /// The row of a table that is being read.
    fn row(&mut self) -> &mut Vec<Vec<String>> {
        self.page.tables.last_mut().unwrap().rows.last_mut().unwrap()
    }
}

/// How a heading is linked: its letters, digits, dashes and blanks.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}
