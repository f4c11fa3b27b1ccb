//! The paths that a source file names: in its `use` trees, and in its code.

use super::tokens::{Token, matches, program_tokens};

/// The segments of a path, or of a module's place under the crate's root.
pub type Path = Vec<String>;

/// A path as it is written.
#[derive(Debug)]
pub struct Named {
    /// The module that names it.
    pub module: Path,
    pub path: Path,
    pub line: usize,
    /// Whether code names it, or a `use`.
    pub import: Import,
}

/// What a `use` brings in.
#[derive(Debug, PartialEq, Eq)]
pub enum Import {
    /// The path stands in code.
    None,
    /// A name for what the path leads to.
    Name(String),
    /// Everything in it.
    Glob,
}

/// The paths that a file of the program names; `module` is what the file holds.
pub fn paths(source: &str, module: Path) -> Vec<Named> {
    let tokens = program_tokens(source);
    let mut reader =
        Reader { tokens: &tokens, at: 0, modules: vec![(module, 0)], depth: 0, found: Vec::new() };
    while reader.at < tokens.len() {
        reader.step();
    }
    reader.found
}

struct Reader<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    /// The module that the code stands in and those around it, each with the depth of its block.
    modules: Vec<(Path, usize)>,
    depth: usize,
    found: Vec<Named>,
}

impl Reader<'_> {
    fn text(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text)
    }

    fn begins_with(&self, texts: &[&str]) -> bool {
        matches(&self.tokens[self.at..], texts)
    }

    /// Reads one token, or everything that belongs to a path or a `use`.
    fn step(&mut self) {
        if self.begins_with(&["pub", "(", "in"]) {
            // Where something can be seen is no dependency.
            while self.text(0) != ")" {
                self.at += 1;
            }
        } else if self.text(0) == "use" && self.text(1) != "<" {
            self.at += 1;
            self.read_use(&Path::new());
        } else if self.begins_with(&["extern", "crate"]) {
            self.at += 2;
            self.read_use(&Path::new());
        } else if self.text(0) == "mod" && self.text(2) == "{" {
            let mut module = self.modules.last().unwrap().0.clone();
            module.push(self.text(1).to_owned());
            self.depth += 1;
            self.modules.push((module, self.depth));
            self.at += 3;
        } else if self.is_at_path() {
            self.at += usize::from(self.text(0) == "::");
            let line = self.tokens[self.at].line;
            let path = self.read_segments();
            self.note(path, line, Import::None);
        } else {
            self.read_brace();
            self.at += 1;
        }
    }

    fn is_at_path(&self) -> bool {
        let previous = |back: usize| self.at.checked_sub(back).map_or("", |at| self.tokens[at].text);
        if self.text(0) == "::" {
            // After the end of generics, the path before them goes on.
            return is_word(self.text(1)) && (previous(1) != ">" || previous(2) == "-");
        }
        let is_method = previous(1) == "." && previous(2) != ".";
        is_word(self.text(0)) && self.text(1) == "::" && previous(1) != "::" && !is_method
    }

    fn read_brace(&mut self) {
        match self.text(0) {
            "{" => self.depth += 1,
            "}" => {
                if self.modules.len() > 1 && self.modules.last().unwrap().1 == self.depth {
                    self.modules.pop();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
    }

    /// The words between `::` from here on.
    fn read_segments(&mut self) -> Path {
        let mut path = Path::new();
        while is_word(self.text(0)) {
            path.push(self.text(0).to_owned());
            self.at += 1;
            if self.text(0) != "::" || !is_word(self.text(1)) {
                break;
            }
            self.at += 1;
        }
        path
    }

    /// One branch of a `use` tree, with all that it branches into.
    fn read_use(&mut self, before: &Path) {
        if self.text(0) == "::" {
            self.at += 1;
        }
        let line = self.tokens.get(self.at).map_or(0, |token| token.line);
        let mut path = [before.clone(), self.read_segments()].concat();
        if self.text(0) == "::" {
            self.at += 1;
        }
        match self.text(0) {
            "{" => self.read_group(&path),
            "*" => {
                self.at += 1;
                self.note(path, line, Import::Glob);
            }
            _ => {
                if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                    path.pop();
                }
                let name = if self.text(0) == "as" {
                    self.at += 2;
                    self.tokens[self.at - 1].text.to_owned()
                } else {
                    path.last().cloned().unwrap_or_default()
                };
                self.note(path, line, Import::Name(name));
            }
        }
    }

    fn read_group(&mut self, before: &Path) {
        self.at += 1;
        while !["}", ""].contains(&self.text(0)) {
            if self.text(0) == "," {
                self.at += 1;
            } else {
                self.read_use(before);
            }
        }
        self.at += 1;
    }

    fn note(&mut self, path: Path, line: usize, import: Import) {
        let module = self.modules.last().unwrap().0.clone();
        self.found.push(Named { module, path, line, import });
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}
