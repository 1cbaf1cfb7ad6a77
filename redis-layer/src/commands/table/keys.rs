//! Which arguments of a command are keys: locks, `WATCH`, scripts and `COMMAND GETKEYS` ask here.

use bytes::Bytes;

use crate::commands::args::is_word;
use crate::types::number::parse_integer;

/// Which arguments of a command are keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keys {
    /// The position of the first key, 0 if there is none.
    pub first: i64,
    /// The position of the last key; if negative, counted from the end.
    pub last: i64,
    /// From one key to the next.
    pub step: i64,
    /// Keys at positions that depend on the arguments.
    pub more: More,
}

/// Keys at positions that depend on the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum More {
    /// There are none.
    Nothing,
    /// The argument at `at` says how many keys stand behind it.
    Counted {
        /// The position of the number.
        at: usize,
    },
    /// A key stands behind each of these words, from a position on.
    After {
        /// The position of the first argument that may be a word.
        from: usize,
        /// The words, in lower case.
        words: &'static [&'static str],
    },
}

impl Keys {
    /// No argument is a key.
    pub const NONE: Self = Self::between(0, 0, 0);
    /// The first argument is a key.
    pub const FIRST: Self = Self::between(1, 1, 1);
    /// The second argument is a key.
    pub const SECOND: Self = Self::between(2, 2, 1);
    /// The first two arguments are keys.
    pub const FIRST_TWO: Self = Self::between(1, 2, 1);
    /// All arguments are keys.
    pub const ALL: Self = Self::between(1, -1, 1);
    /// All arguments but the last are keys.
    pub const ALL_BUT_LAST: Self = Self::between(1, -2, 1);
    /// Every other argument is a key, from the first on.
    pub const PAIRS: Self = Self::between(1, -1, 2);

    /// Keys at fixed positions.
    #[must_use]
    pub const fn between(first: i64, last: i64, step: i64) -> Self {
        let more = More::Nothing;
        Self {
            first,
            last,
            step,
            more,
        }
    }

    /// As many keys as the argument at `at` says, behind it.
    #[must_use]
    pub const fn counted(at: usize) -> Self {
        Self::NONE.and(More::Counted { at })
    }

    /// These keys, and more.
    #[must_use]
    pub const fn and(self, more: More) -> Self {
        Self { more, ..self }
    }

    /// Whether no argument is ever a key.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.first == 0 && matches!(self.more, More::Nothing)
    }

    /// The keys among the arguments, the name of the command included.
    pub fn of<'a>(&self, args: &'a [Bytes]) -> impl Iterator<Item = &'a Bytes> + use<'a> {
        let count = i64::try_from(args.len()).unwrap_or(i64::MAX);
        let last = if self.last < 0 {
            count + self.last
        } else {
            self.last
        };
        let step = usize::try_from(self.step).unwrap_or(1).max(1);
        // Without keys the range is empty: it would start at 1 and end before it.
        let first = usize::try_from(self.first).unwrap_or(0);
        let behind = if self.first == 0 {
            0
        } else {
            usize::try_from(last + 1).unwrap_or(0)
        };
        let fixed = args.iter().take(behind).skip(first).step_by(step);
        fixed.chain(self.more.of(args))
    }
}

impl More {
    fn of<'a>(self, args: &'a [Bytes]) -> impl Iterator<Item = &'a Bytes> + use<'a> {
        let (counted, words) = match self {
            Self::Nothing => (&[][..], None),
            Self::Counted { at } => {
                let behind = args.get(at + 1..).unwrap_or(&[]);
                let count = args.get(at).and_then(|number| parse_integer(number));
                let count = count.and_then(|count| usize::try_from(count).ok());
                // More keys than arguments: the command will refuse that.
                (&behind[..count.unwrap_or(0).min(behind.len())], None)
            }
            Self::After { from, words } => (&[][..], Some((from, words))),
        };
        let after = words.into_iter().flat_map(move |(from, words)| {
            let pairs = args.windows(2).skip(from);
            pairs.filter_map(move |pair| {
                let is_word = words.iter().any(|word| is_word(&pair[0], word));
                is_word.then_some(&pair[1])
            })
        });
        counted.iter().chain(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stand_where_the_table_says() {
        let words = |line: &str| -> Vec<Bytes> {
            line.split(' ')
                .map(|word| Bytes::copy_from_slice(word.as_bytes()))
                .collect()
        };
        let show = |keys: Keys, line: &str| {
            let args = words(line);
            let keys = keys
                .of(&args)
                .map(|key| String::from_utf8_lossy(key).into_owned());
            keys.collect::<Vec<_>>().join(" ")
        };
        let counted = Keys::counted(2);
        let stored = Keys::FIRST.and(More::Counted { at: 2 });
        let after = Keys::FIRST.and(More::After {
            from: 2,
            words: &["store"],
        });
        for (keys, line, expected) in [
            (Keys::NONE, "cmd a b c", ""),
            (Keys::FIRST, "cmd a b c", "a"),
            (Keys::ALL, "cmd a b c", "a b c"),
            (Keys::PAIRS, "cmd a b c", "a c"),
            (Keys::ALL_BUT_LAST, "cmd a b c", "a b"),
            (counted, "eval s 2 a b c", "a b"),
            (counted, "eval s 0 a b c", ""),
            (counted, "eval s 9 a b c", "a b c"),
            (counted, "eval s -1 a", ""),
            (counted, "eval s x a", ""),
            (counted, "eval s", ""),
            (stored, "zunionstore d 1 a b", "d a"),
            (after, "sort k by store STORE d", "k STORE d"),
            (after, "sort k", "k"),
        ] {
            assert_eq!(show(keys, line), expected, "{line}");
        }
    }
}
