//! Which arguments of a command are keys, and what it does with them. Used for locks, `WATCH`, scripts and `COMMAND`.

use std::ops::Range;

use bytes::Bytes;

use crate::commands::args::is_word;
use crate::commands::table::Spec;
use crate::types::number::leading_integer;

/// The keys among the arguments of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keys(pub &'static [Key]);

/// Some of the keys: those that are used in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// What the command does with them.
    pub usage: Use,
    /// Where they are.
    pub place: Place,
}

/// What a command does with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Asks about the key but not for its value: type, length, existence.
    Ask,
    /// Returns or copies what it holds.
    Read,
    /// Adds to it.
    Add,
    /// Changes it.
    Change,
    /// Removes from it.
    Remove,
    /// Changes it and returns what it holds.
    ReadAndChange,
    /// Removes from it and returns what was removed.
    Take,
    /// What it does depends on the arguments.
    MayChange,
    /// Replaces it, whatever it held.
    Overwrite,
    /// Creates it, if it does not exist.
    Create,
    /// Removes it, whatever it holds.
    Drop,
    /// It is not a key but a channel, which belongs to a shard as keys do.
    Channel,
}

impl Use {
    /// Redis's words for it: the access, then the kind of use.
    #[must_use]
    pub const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Ask => &["RO"],
            Self::Read => &["RO", "access"],
            Self::Add => &["RW", "insert"],
            Self::Change => &["RW", "update"],
            Self::Remove => &["RW", "delete"],
            Self::ReadAndChange => &["RW", "access", "update"],
            Self::Take => &["RW", "access", "delete"],
            Self::MayChange => &["RW", "access", "update", "variable_flags"],
            Self::Overwrite => &["OW", "update"],
            Self::Create => &["OW", "insert"],
            Self::Drop => &["RM", "delete"],
            Self::Channel => &["not_key"],
        }
    }
}

/// Where keys are among the arguments. The name of the command is argument 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At fixed positions.
    Between {
        /// The position of the first key.
        first: usize,
        /// The position of the last key; if negative, counted from the end.
        last: i64,
        /// The distance from one key to the next.
        step: usize,
    },
    /// The argument at `at` says how many keys follow it.
    Counted {
        /// The position of the number.
        at: usize,
    },
    /// The key follows a word. If the word is there twice, the last one counts.
    Behind {
        /// The word, in lower case.
        word: &'static str,
        /// The position of the first argument that may be the word.
        from: usize,
        /// Other words, with the number of arguments that follow each and are not words.
        others: &'static [(&'static str, usize)],
        /// Whether Redis tells clients about the word.
        is_told: bool,
    },
    /// Their names are computed from the values of other keys.
    Unknown,
}

impl Place {
    /// The first argument.
    pub const FIRST: Self = Self::between(1, 1, 1);
    /// The second argument.
    pub const SECOND: Self = Self::between(2, 2, 1);
    /// The first two arguments.
    pub const FIRST_TWO: Self = Self::between(1, 2, 1);
    /// All arguments.
    pub const ALL: Self = Self::between(1, -1, 1);
    /// All arguments but the first.
    pub const FROM_SECOND: Self = Self::between(2, -1, 1);
    /// All arguments but the first two.
    pub const FROM_THIRD: Self = Self::between(3, -1, 1);
    /// All arguments but the last.
    pub const ALL_BUT_LAST: Self = Self::between(1, -2, 1);
    /// Every other argument, from the first on.
    pub const PAIRS: Self = Self::between(1, -1, 2);
    /// Where `SORT` puts the result.
    pub const STORED: Self = Self::Behind {
        word: "store",
        from: 2,
        others: &[("by", 1), ("get", 1), ("limit", 2)],
        is_told: false,
    };
    /// The keys that the patterns of `SORT` name.
    pub const UNKNOWN: Self = Self::Unknown;

    const fn between(first: usize, last: i64, step: usize) -> Self {
        Self::Between { first, last, step }
    }

    /// The keys after the argument at `at`, as many as it says.
    #[must_use]
    pub const fn counted(at: usize) -> Self {
        Self::Counted { at }
    }

    /// Where the older geo searches store the result.
    #[must_use]
    pub const fn behind(word: &'static str, from: usize) -> Self {
        Self::Behind {
            word,
            from,
            others: &[("store", 1), ("storedist", 1), ("count", 1)],
            is_told: true,
        }
    }

    /// The positions of the keys in these arguments.
    fn positions(self, args: &[Bytes]) -> impl Iterator<Item = usize> + use<> {
        let count = args.len();
        let (range, step) = match self {
            Self::Between { first, last, step } => {
                let behind = match usize::try_from(last) {
                    Ok(last) => count.min(last + 1),
                    Err(_) => {
                        (count + 1).saturating_sub_signed(isize::try_from(-last).unwrap_or(0))
                    }
                };
                (first..behind, step)
            }
            Self::Counted { at } => (counted_by(args, at), 1),
            Self::Behind {
                word, from, others, ..
            } => {
                let found = last_behind(args, word, from, others);
                (found.map_or(0..0, |at| at..at + 1), 1)
            }
            Self::Unknown => (0..0, 1),
        };
        range.step_by(step)
    }
}

/// The positions after a number, as many as it says. If there are fewer arguments, the command will be refused
/// anyway.
fn counted_by(args: &[Bytes], at: usize) -> Range<usize> {
    let first = at + 1;
    let left = args.len().saturating_sub(first);
    first..first + key_count(args, at).unwrap_or(0).min(left)
}

/// How many keys follow the number at `at`, if it is not negative. As in Redis, it is what the argument begins with that
/// looks like a number: the command itself refuses `1.5`, but `COMMAND GETKEYS` does not.
fn key_count(args: &[Bytes], at: usize) -> Option<usize> {
    usize::try_from(leading_integer(args.get(at)?)).ok()
}

/// The position after the last occurrence of a word that is not the argument of another word.
fn last_behind(args: &[Bytes], word: &str, from: usize, others: &[(&str, usize)]) -> Option<usize> {
    let mut found = None;
    let mut at = from;
    while at + 1 < args.len() {
        if is_word(&args[at], word) {
            found = Some(at + 1);
            at += 1;
        } else if let Some((_, taken)) = others.iter().find(|(other, _)| is_word(&args[at], other))
        {
            at += taken;
        }
        at += 1;
    }
    found
}

impl Keys {
    /// Whether no argument is ever a key.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.iter().all(|key| key.usage == Use::Channel)
    }

    /// Whether each number of keys is at least 1, and no greater than the number of arguments after it.
    pub fn counts_fit(&self, args: &[Bytes]) -> bool {
        self.0.iter().all(|key| match key.place {
            Place::Counted { at } => {
                let left = args.len().saturating_sub(at + 1);
                key_count(args, at).is_some_and(|count| (1..=left).contains(&count))
            }
            _ => true,
        })
    }

    /// The first argument, if commands of this kind have exactly that one key, as most have. It spares them the
    /// search.
    #[inline]
    pub fn only<'a>(&self, args: &'a [Bytes]) -> Option<&'a Bytes> {
        match self.0 {
            [key] if key.place == Place::FIRST && key.usage != Use::Channel => args.get(1),
            _ => None,
        }
    }

    /// The keys among the arguments, which include the name of the command.
    pub fn of<'a>(&self, args: &'a [Bytes]) -> impl Iterator<Item = &'a Bytes> + use<'a> {
        self.positions(args).map(|(at, _)| &args[at])
    }

    /// The positions of the keys among the arguments, each with its use as the table says it: what depends on the
    /// arguments is [`Use::MayChange`].
    fn positions<'a>(&self, args: &'a [Bytes]) -> impl Iterator<Item = (usize, Use)> + use<'a> {
        let keys = self.0.iter().filter(|key| key.usage != Use::Channel);
        keys.flat_map(move |key| {
            let positions = key.place.positions(args);
            positions.filter_map(move |at| (at < args.len()).then_some((at, key.usage)))
        })
    }

    /// The older form: first position, last position and step, as far as they are fixed; zeros if they are not.
    #[must_use]
    pub fn range(&self) -> (usize, i64, usize) {
        if let [only] = self.0
            && let Place::Between { first, last, step } = only.place
        {
            return (first, last, step);
        }
        let mut whole: Option<(usize, i64)> = None;
        for key in self.0 {
            let Place::Between {
                first,
                last,
                step: 1,
            } = key.place
            else {
                continue;
            };
            whole = match whole {
                None => Some((first, last)),
                Some((start, end)) if usize::try_from(end + 1) == Ok(first) => Some((start, last)),
                Some(before) => Some(before),
            };
        }
        whole.map_or((0, 0, 0), |(first, last)| (first, last, 1))
    }
}

impl Spec {
    /// The positions of the keys among the arguments, each with what the command does with it, given these arguments.
    pub fn key_uses(&self, args: &[Bytes]) -> impl Iterator<Item = (usize, Use)> {
        let positions = self.keys.positions(args);
        positions.map(move |(at, usage)| match usage {
            Use::MayChange => (at, self.change_in(args)),
            usage => (at, usage),
        })
    }

    /// What a command that [may change](Use::MayChange) its key does with it, given these arguments.
    fn change_in(&self, args: &[Bytes]) -> Use {
        let has_word = |from: usize, word: &str| {
            let mut words = args.iter().skip(from);
            words.any(|arg| is_word(arg, word))
        };
        match self.full_name {
            "set" if !has_word(3, "get") => Use::Overwrite,
            "bitfield" if only_reads(args.get(2..).unwrap_or(&[])) => Use::Read,
            _ => Use::ReadAndChange,
        }
    }
}

/// Whether the operations of a `BITFIELD` are complete and only read.
fn only_reads(mut operations: &[Bytes]) -> bool {
    loop {
        operations = match operations {
            [] => return true,
            [word, _, rest @ ..] if is_word(word, "overflow") => rest,
            [word, _, _, rest @ ..] if is_word(word, "get") => rest,
            _ => return false,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::table::find;

    #[test]
    fn keys_stand_where_the_table_says() {
        const fn read(place: Place) -> Key {
            let usage = Use::Read;
            Key { usage, place }
        }
        const NONE: Keys = Keys(&[]);
        const FIRST: Keys = Keys(&[read(Place::FIRST)]);
        const ALL: Keys = Keys(&[read(Place::ALL)]);
        const PAIRS: Keys = Keys(&[read(Place::PAIRS)]);
        const ALL_BUT_LAST: Keys = Keys(&[read(Place::ALL_BUT_LAST)]);
        const COUNTED: Keys = Keys(&[read(Place::counted(2))]);
        const STORED: Keys = Keys(&[read(Place::FIRST), read(Place::counted(2))]);
        const SORTED: Keys = Keys(&[
            read(Place::FIRST),
            read(Place::UNKNOWN),
            read(Place::STORED),
        ]);
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
        for (keys, line, expected) in [
            (NONE, "cmd a b c", ""),
            (FIRST, "cmd a b c", "a"),
            (FIRST, "cmd", ""),
            (ALL, "cmd a b c", "a b c"),
            (ALL, "cmd", ""),
            (PAIRS, "cmd a b c", "a c"),
            (ALL_BUT_LAST, "cmd a b c", "a b"),
            (ALL_BUT_LAST, "cmd", ""),
            (COUNTED, "eval s 2 a b c", "a b"),
            (COUNTED, "eval s 0 a b c", ""),
            (COUNTED, "eval s 9 a b c", "a b c"),
            (COUNTED, "eval s -1 a", ""),
            (COUNTED, "eval s x a", ""),
            (COUNTED, "eval s 1.5 a b", "a"),
            (COUNTED, "eval s +1 a b", "a"),
            (COUNTED, "eval s 01x a b", "a"),
            (COUNTED, "eval s 4294967297 a b", "a"),
            (COUNTED, "eval s 99999999999999999999 a b", ""),
            (COUNTED, "eval s -99999999999999999999 a b", ""),
            (COUNTED, "eval s", ""),
            (STORED, "zunionstore d 1 a b", "d a"),
            (SORTED, "sort k by x STORE d", "k d"),
            (SORTED, "sort k store d store e", "k e"),
            (SORTED, "sort k store d get store desc", "k d"),
            (SORTED, "sort k limit store store store d", "k d"),
            (SORTED, "sort k store", "k"),
        ] {
            assert_eq!(show(keys, line), expected, "{line}");
        }
    }

    #[test]
    fn what_is_done_with_a_key_may_depend_on_the_arguments() {
        for (line, expected) in [
            ("get k", Use::Read),
            ("set k v", Use::Overwrite),
            ("set get get", Use::Overwrite),
            ("set k v ex 9 GET", Use::ReadAndChange),
            ("bitfield k", Use::Read),
            ("bitfield k get u8 0 overflow sat get u8 8", Use::Read),
            ("bitfield k get u8 0 incrby u8 0 1", Use::ReadAndChange),
            ("bitfield k get u8", Use::ReadAndChange),
        ] {
            let args: Vec<Bytes> = line.split(' ').map(|word| word.to_owned().into()).collect();
            let spec = find(&args[0]).unwrap();
            let uses: Vec<_> = spec.key_uses(&args).collect();
            assert_eq!(uses, [(1, expected)], "{line}");
        }
    }
}
