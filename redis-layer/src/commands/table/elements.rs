//! Which arguments of a command name elements of its key: fields of a hash, members of a set.
//!
//! They are known before the command runs, so they are looked up together with those of the commands beside it. Only
//! commands that Redis marks as fast are here. Any other has its elements looked up one by one as it runs, which is slower
//! but finds the same.

use bytes::Bytes;

use crate::commands::table::Spec;

/// Where elements are named. The key is argument 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elements {
    /// Nowhere.
    None,
    /// In this one argument.
    At(usize),
    /// In the argument behind the key, and in every so many after it.
    Every(usize),
    /// In every second argument up to the last one: each member comes behind its score. Some of the options before the first
    /// score are taken for members, and looked up in vain.
    BehindScores,
}

impl Elements {
    /// Those of the command with this full name.
    pub(super) const fn of(full_name: &str) -> Self {
        match full_name.as_bytes() {
            b"hexists" | b"hget" | b"hincrby" | b"hincrbyfloat" | b"hsetnx" | b"hstrlen"
            | b"sismember" | b"zrank" | b"zrevrank" | b"zscore" => Self::At(2),
            // Behind the other key, or behind the increment.
            b"smove" | b"zincrby" => Self::At(3),
            b"hdel" | b"hmget" | b"sadd" | b"smismember" | b"srem" | b"zmscore" | b"zrem" => {
                Self::Every(1)
            }
            b"hmset" | b"hset" => Self::Every(2),
            b"zadd" => Self::BehindScores,
            _ => Self::None,
        }
    }
}

impl Spec {
    /// The elements that a command names, each with the key. `words` begin with its name.
    pub(crate) fn named_elements<'c>(
        &self,
        words: &'c [Bytes],
    ) -> impl Iterator<Item = (&'c Bytes, &'c Bytes)> {
        let (first, step, most) = match self.elements {
            Elements::None => (0, 1, 0),
            Elements::At(at) => (at, 1, 1),
            Elements::Every(step) => (2, step, usize::MAX),
            Elements::BehindScores => (2 + (words.len() + 1) % 2, 2, usize::MAX),
        };
        let names = words.iter().skip(first).step_by(step).take(most);
        names.map(move |name| (&words[1], name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::table::{COMMANDS, Flag, find};

    #[test]
    fn only_elements_that_a_command_names_are_looked_up_before_it_runs() {
        for (line, expected) in [
            ("spop k 2", ""),
            ("zpopmin k 2", ""),
            ("zpopmax k 2", ""),
            ("zcount k 0 1", ""),
            ("zlexcount k - +", ""),
            ("zcard k", ""),
            ("get k", ""),
            ("smembers k", ""),
            ("smove k to a", "a"),
            ("zincrby k 1 a", "a"),
            ("zrank k a", "a"),
            ("zscore k a", "a"),
            ("hincrby k a 1", "a"),
            ("hget k a", "a"),
            ("sismember k a", "a"),
            ("hset k a 1 b 2", "a b"),
            ("hmget k a b", "a b"),
            ("zadd k 1 a 2 b", "a b"),
            ("zadd k nx 1 a 2 b", "nx a b"),
            ("zadd k nx ch 1 a", "ch a"),
        ] {
            let words: Vec<Bytes> = line.split(' ').map(Bytes::from).collect();
            let spec = find(&words[0]).unwrap();
            let named = spec.named_elements(&words).map(|(key, name)| {
                assert_eq!(key, "k", "{line}");
                std::str::from_utf8(name).unwrap()
            });
            assert_eq!(named.collect::<Vec<_>>().join(" "), expected, "{line}");
        }
    }

    #[test]
    fn commands_that_name_elements_are_fast() {
        let name_some = || {
            COMMANDS
                .iter()
                .filter(|spec| spec.elements != Elements::None)
        };
        assert_eq!(name_some().count(), 22);
        for spec in name_some() {
            assert!(spec.has(Flag::Fast), "{}", spec.name);
        }
    }
}
