//! The modules of the crate, and what the paths in them lead to.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{Import, Named, Path, paths};

/// That a file names something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// The file, by its path under `src`.
    pub file: String,
    pub line: usize,
    pub to: Target,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A module of the crate; without segments its root.
    Module(Path),
    Library(String),
}

/// No chain of imports is longer.
const LONGEST_CHAIN: usize = 8;

/// The source files of a crate.
pub struct Tree {
    /// Each module that is a file.
    modules: BTreeSet<Path>,
    /// What the names in a module stand for that a `use` brought in.
    imports: BTreeMap<Path, BTreeMap<String, Path>>,
    /// The modules of which a module imports everything.
    globs: BTreeMap<Path, Vec<Path>>,
    files: Vec<String>,
    named: Vec<(String, Named)>,
}

impl Tree {
    /// Reads source files, each with its path under `src`. Files of tests alone are left out.
    pub fn read<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut tree = Self {
            modules: BTreeSet::from([Path::new()]),
            imports: BTreeMap::new(),
            globs: BTreeMap::new(),
            files: Vec::new(),
            named: Vec::new(),
        };
        for (file, text) in files {
            let is_for_tests = file.split('/').any(|part| part == "tests" || part == "tests.rs");
            if !is_for_tests {
                tree.add(file, text);
            }
        }
        tree
    }

    fn add(&mut self, file: &str, text: &str) {
        let module = module_of(file);
        self.modules.insert(module.clone());
        self.files.push(file.to_owned());
        for named in paths(text, module) {
            match &named.import {
                Import::Name(name) => {
                    let names = self.imports.entry(named.module.clone()).or_default();
                    names.insert(name.clone(), named.path.clone());
                }
                Import::Glob => {
                    self.globs.entry(named.module.clone()).or_default().push(named.path.clone());
                }
                Import::None => {}
            }
            self.named.push((file.to_owned(), named));
        }
    }

    /// The files that were read.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Everything that is named anywhere: the module that a path is written with, and the one that it leads to.
    pub fn arrows(&self) -> BTreeSet<Arrow> {
        let mut arrows = BTreeSet::new();
        for (file, named) in &self.named {
            for to in self.targets(named) {
                arrows.insert(Arrow { file: file.clone(), line: named.line, to });
            }
        }
        arrows
    }

    fn targets(&self, named: &Named) -> Vec<Target> {
        let Some(written) = self.absolute(&named.module, &named.path, LONGEST_CHAIN) else {
            return named.path.first().cloned().map(Target::Library).into_iter().collect();
        };
        let target = self.follow(&written);
        let by = self.module_in(&written);
        // The crate's root is named by what it leads to, if it leads anywhere.
        let targets = if by.is_empty() || by == target { vec![target] } else { vec![by, target] };
        targets.into_iter().map(Target::Module).collect()
    }

    /// A path from the crate's root on; `None` if it leads out of the crate.
    fn absolute(&self, module: &[String], path: &[String], chain: usize) -> Option<Path> {
        let (first, rest) = path.split_first()?;
        let chain = chain.checked_sub(1)?;
        match first.as_str() {
            "crate" | "pplx" => Some(rest.to_vec()),
            "self" | "super" => {
                let module = if first == "super" { module.split_last()?.1 } else { module };
                if rest.first().is_some_and(|next| next == "super") {
                    return self.absolute(module, rest, chain);
                }
                Some([module, rest].concat())
            }
            name => Some([self.lookup(module, name, chain)?, rest.to_vec()].concat()),
        }
    }

    /// What a name stands for in a module: an import, a module of its own, or what a glob brings in.
    fn lookup(&self, module: &[String], name: &str, chain: usize) -> Option<Path> {
        let import = self.imports.get(module).and_then(|names| names.get(name));
        let import = import.filter(|path| path.first().is_some_and(|first| first != name));
        if let Some(found) = import.and_then(|path| self.absolute(module, path, chain)) {
            return Some(found);
        }
        let child = [module, &[name.to_owned()]].concat();
        if self.modules.contains(&child) {
            return Some(child);
        }
        let globs = self.globs.get(module).into_iter().flatten();
        let mut sources = globs.filter_map(|path| self.absolute(module, path, chain));
        sources.find_map(|source| self.lookup(&source, name, chain.checked_sub(1)?))
    }

    /// The longest part of a path that is a module.
    fn module_in(&self, path: &[String]) -> Path {
        let lengths = (0..=path.len()).rev();
        let mut prefixes = lengths.map(|length| path[..length].to_vec());
        prefixes.find(|prefix| self.modules.contains(prefix)).unwrap_or_default()
    }

    /// The module that a path leads to, through what is imported on the way.
    fn follow(&self, path: &[String]) -> Path {
        let mut path = path.to_vec();
        for _ in 0..LONGEST_CHAIN {
            let module = self.module_in(&path);
            let Some((name, rest)) = path[module.len()..].split_first() else { break };
            let Some(found) = self.lookup(&module, name, LONGEST_CHAIN) else { break };
            path = [found, rest.to_vec()].concat();
        }
        self.module_in(&path)
    }
}

/// The module that a file holds.
fn module_of(file: &str) -> Path {
    let path = file.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if ["lib", "main"].contains(&path) { Path::new() } else { path.split('/').map(str::to_owned).collect() }
}
