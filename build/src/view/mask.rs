//! Blanking: which bytes of a file stay, and the text that results.

use std::ops::Range;

/// The bytes of one file that stay, and what is inserted into it.
pub(super) struct Mask {
    keep: Vec<bool>,
}

impl Mask {
    /// Starts with nothing kept of a file of `len` bytes.
    pub(super) fn new(len: usize) -> Mask {
        Mask { keep: vec![false; len] }
    }

    /// Keeps a range of bytes.
    pub(super) fn keep(&mut self, range: Range<usize>) {
        self.set(range, true);
    }

    /// Blanks a range of bytes, kept before or not.
    pub(super) fn cut(&mut self, range: Range<usize>) {
        self.set(range, false);
    }

    fn set(&mut self, range: Range<usize>, value: bool) {
        let end = range.end.min(self.keep.len());
        if let Some(bytes) = self.keep.get_mut(range.start..end) {
            bytes.fill(value);
        }
    }

    /// Returns the text with one space for each character that is not kept. ASCII white space always stays, so
    /// that lines and columns do.
    pub(super) fn apply(&self, text: &str) -> String {
        text.char_indices()
            .map(|(at, c)| if self.keep[at] || c.is_ascii_whitespace() { c } else { ' ' })
            .collect()
    }
}
