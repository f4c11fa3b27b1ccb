//! Where code begins and ends in Markdown, as far as a reader needs to know who passes over it.

/// Whether a text that is gone through is inside of code.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Code {
    /// How many backticks opened it.
    opened: Option<usize>,
    after_line: bool,
}

/// From so many backticks on, code goes on over blank lines.
const FENCE: usize = 3;

impl Code {
    pub(crate) fn is_open(self) -> bool {
        self.opened.is_some()
    }

    /// Takes a run of so many backticks.
    pub(crate) fn ticks(&mut self, run: usize) {
        self.after_line = false;
        self.opened = match self.opened {
            None => Some(run),
            Some(opened) if opened == run || (opened >= FENCE && run >= opened) => None,
            opened => opened,
        };
    }

    /// Takes another character. A backtick without its like opens nothing beyond its paragraph.
    pub(crate) fn character(&mut self, character: char) {
        let is_line = character == '\n';
        if is_line && self.after_line {
            self.opened = self.opened.filter(|opened| *opened >= FENCE);
        }
        self.after_line = is_line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_ends_with_its_like_and_a_span_with_its_paragraph() {
        let mut code = Code::default();
        code.ticks(1);
        code.ticks(2);
        assert!(code.is_open());
        code.ticks(1);
        assert!(!code.is_open());
        code.ticks(1);
        "\n x\n\n".chars().for_each(|character| code.character(character));
        assert!(!code.is_open());
        code.ticks(3);
        "\n\n".chars().for_each(|character| code.character(character));
        assert!(code.is_open());
        code.ticks(4);
        assert!(!code.is_open());
    }
}
