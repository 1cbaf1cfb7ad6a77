//! The arguments of one command, and how Redis reads them.
//!
//! Arguments that many commands share have a module each:
//!
//! ```text
//! glob      patterns: KEYS, CONFIG GET, PSUBSCRIBE
//! scan      cursor and options of SCAN, HSCAN, SSCAN, ZSCAN
//! pops      counts, keys and ends of commands that pop
//! random    the count of SRANDMEMBER, HRANDFIELD, ZRANDMEMBER
//! ```

pub(crate) mod glob;
pub(crate) mod pops;
pub(crate) mod random;
pub(crate) mod scan;

use bytes::Bytes;

use crate::commands::CommandError;
use crate::commands::table::Spec;
use crate::types::number::{LongDouble, parse_double, parse_integer};

/// The arguments of one command, its name at position 0. Never empty.
#[derive(Debug, Clone, Copy)]
pub struct Args<'a> {
    all: &'a [Bytes],
    /// The entry of the command in the table.
    pub spec: &'static Spec,
}

impl<'a> Args<'a> {
    /// The arguments of a command whose arity was checked.
    #[must_use]
    pub const fn new(all: &'a [Bytes], spec: &'static Spec) -> Self {
        Self { all, spec }
    }

    /// Whether other arguments are of the same command, judging by the first word and the number of arguments: then
    /// the command need not be looked up. Of a subcommand the first word does not tell.
    #[must_use]
    pub fn is_alike(&self, others: &[Bytes]) -> bool {
        let is_told_by_first_word = self.spec.name.len() == self.spec.full_name.len();
        is_told_by_first_word
            && self.spec.subcommands.is_empty()
            && others.len() == self.all.len()
            && others[0] == self.all[0]
    }

    /// How many there are, including the name.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.all.len()
    }

    /// Always false: the name is always there.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The argument at a position that is known to exist from the arity or `len`. Empty past the last one.
    #[must_use]
    pub fn get(&self, position: usize) -> &'a [u8] {
        self.all.get(position).map_or(&[], |arg| arg)
    }

    /// The argument at a position, sharing its memory.
    #[must_use]
    pub fn bytes(&self, position: usize) -> Bytes {
        self.all.get(position).cloned().unwrap_or_default()
    }

    /// All arguments from a position on.
    #[must_use]
    pub fn from(&self, position: usize) -> &'a [Bytes] {
        self.all.get(position..).unwrap_or(&[])
    }

    /// Whether the argument is this word, compared as Redis does: as C text, ignoring case.
    #[must_use]
    pub fn is(&self, position: usize, word: &str) -> bool {
        is_word(self.get(position), word)
    }

    /// The integer at a position.
    ///
    /// # Errors
    /// Redis's text for an argument that is not one.
    pub fn integer(&self, position: usize) -> Result<i64, CommandError> {
        parse_integer(self.get(position)).ok_or(CommandError::NOT_AN_INTEGER)
    }

    /// The number at a position, if there is one that is not negative. Each command has its own text for another one.
    pub fn not_negative(&self, position: usize) -> Option<u64> {
        u64::try_from(parse_integer(self.get(position))?).ok()
    }

    /// The time that a blocking command waits: seconds, with decimals; 0 for no limit.
    ///
    /// # Errors
    /// Redis's texts. A time that does not fit into a number of milliseconds counts as negative, as in Redis.
    pub fn timeout_ms(&self, position: usize) -> Result<u64, CommandError> {
        let seconds = LongDouble::parse(self.get(position)).ok_or(CommandError::fixed(
            "ERR timeout is not a float or out of range",
        ))?;
        // Redis goes on with a number that does not fit, which has become negative there.
        let millis = seconds
            .thousandfold()
            .and_then(|millis| u64::try_from(millis).ok());
        millis.ok_or(CommandError::fixed("ERR timeout is negative"))
    }

    /// The score or increment at a position.
    ///
    /// # Errors
    /// Redis's text for an argument that is not one.
    pub fn double(&self, position: usize) -> Result<f64, CommandError> {
        parse_double(self.get(position)).ok_or(CommandError::NOT_A_FLOAT)
    }
}

/// Copies of words in memory of their own, for a command that is kept: a word is a part of the buffer in which it arrived,
/// and would keep all of that, which nobody counts.
pub(crate) fn own_copies(words: &[Bytes]) -> Vec<Bytes> {
    let all = Bytes::from(words.concat());
    let mut end = 0;
    let copy = |word: &Bytes| {
        let start = end;
        end += word.len();
        all.slice(start..end)
    };
    words.iter().map(copy).collect()
}

/// Whether a text is this word, as C text and ignoring case.
#[must_use]
pub(crate) fn is_word(text: &[u8], word: &str) -> bool {
    let (head, behind) = text.split_at(word.len().min(text.len()));
    // Most words that are asked for are not there, so the end of the text is not looked for first.
    head.eq_ignore_ascii_case(word.as_bytes()) && behind.first().is_none_or(|&byte| byte == 0)
}

#[cfg(test)]
mod tests {
    use super::is_word;

    #[test]
    fn a_word_ends_with_the_text_or_at_a_zero_byte() {
        for same in [&b"NX"[..], b"nX", b"nx\0", b"nx\0xx"] {
            assert!(is_word(same, "NX"), "{same:?}");
        }
        for other in [&b""[..], b"n", b"nxx", b"n\0x", b"\0nx", b"ny"] {
            assert!(!is_word(other, "NX"), "{other:?}");
        }
    }
}
