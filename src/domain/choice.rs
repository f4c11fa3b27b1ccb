//! Values that are chosen from a few by their names, wherever they are chosen: on the command line, in a file, by a
//! program.

/// A value that has a name. Each list of names stands with its type, once.
pub trait Choice: Copy + PartialEq + 'static {
    /// All values, in the order in which they are listed.
    const ALL: &'static [Self];

    /// The name.
    fn name(self) -> &'static str;

    /// The value of this name; case counts.
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|choice| choice.name() == name)
    }

    /// All names, as a sentence lists them.
    fn names() -> String {
        Self::ALL.iter().map(|choice| choice.name()).collect::<Vec<_>>().join(", ")
    }
}
