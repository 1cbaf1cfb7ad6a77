//! What a test has got from an encoder, where a decoder is to be asked for nothing else.

use std::cell::RefCell;
use std::collections::HashSet;

/// What an encoder wrote in one call of a test.
///
/// A decoder may do anything with what no encoder wrote: right ones differ there, and wrong ones are no worse.
#[derive(Default)]
pub struct Written(RefCell<HashSet<Vec<u8>>>);

impl Written {
    /// Remembers the bytes of what the test gets.
    pub fn remember(&self, bytes: &[u8]) {
        self.0.borrow_mut().insert(bytes.to_vec());
    }

    /// Lets bytes pass that were written. Call it where the decoder is called, with the names of both functions.
    ///
    /// # Panics
    /// If they were not written.
    #[track_caller]
    pub fn expect(&self, bytes: &[u8], decode: &str, encode: &str) {
        assert!(
            self.0.borrow().contains(bytes),
            "your test asks `{decode}` for what no `{encode}` has returned"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Answer;
    use crate::guard;

    #[test]
    fn what_nobody_wrote_is_refused() {
        let written = Written::default();
        written.remember(&[1, 2]);
        let asked = |key: &[u8]| {
            let ask = || {
                written.expect(key, "decode", "encode");
                Answer::text("passes")
            };
            guard::call(ask).brief()
        };
        let refused = "your test asks `decode` for what no `encode` has returned";
        assert_eq!(asked(&[1, 2]), "passes");
        assert!(asked(&[1]).ends_with(refused));
        assert!(asked(&[]).ends_with(refused));
    }
}
