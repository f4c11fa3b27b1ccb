//! Where code begins and ends in Markdown, for those who pass over it.

/// Whether a position in a text, which moves forward, is inside of code.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CodeScanner {
    /// How many backticks opened it.
    opened: Option<usize>,
    is_line_start: bool,
}

/// Code that is opened by this many backticks or more goes on over blank lines.
const FENCE: usize = 3;

impl CodeScanner {
    pub(crate) fn is_open(self) -> bool {
        self.opened.is_some()
    }

    /// Moves over a run of so many backticks.
    pub(crate) fn backticks(&mut self, run: usize) {
        self.is_line_start = false;
        self.opened = match self.opened {
            None => Some(run),
            Some(opened) if opened == run || (opened >= FENCE && run >= opened) => None,
            opened => opened,
        };
    }

    /// Moves over another character. A span that is not closed ends with its paragraph.
    pub(crate) fn character(&mut self, character: char) {
        let is_line_end = character == '\n';
        if is_line_end && self.is_line_start {
            self.opened = self.opened.filter(|opened| *opened >= FENCE);
        }
        self.is_line_start = is_line_end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_ends_with_its_like_and_a_span_with_its_paragraph() {
        let mut code = CodeScanner::default();
        code.backticks(1);
        code.backticks(2);
        assert!(code.is_open());
        code.backticks(1);
        assert!(!code.is_open());
        code.backticks(1);
        "\n x\n\n".chars().for_each(|character| code.character(character));
        assert!(!code.is_open());
        code.backticks(3);
        "\n\n".chars().for_each(|character| code.character(character));
        assert!(code.is_open());
        code.backticks(4);
        assert!(!code.is_open());
    }
}
