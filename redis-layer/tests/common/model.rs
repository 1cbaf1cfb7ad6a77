//! A key as Redis has it: what each command answers, and what it leaves. A few commands of each type.
//!
//! A command is a line of words without the name of its key, such as `zadd 3 m1`. Fields of hashes and scores are
//! whole numbers here, so that no two ways of writing one have to be told apart.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::random::Random;

/// Commands on a key, whatever it holds. For the letters see [`random_command`].
pub(crate) const ANY: &[&str] = &[
    "del",
    "exists",
    "type",
    "pexpireat T",
    "persist",
    "pexpiretime",
];
pub(crate) const STRINGS: &[&str] = &[
    "set N", "setnx N", "getset N", "get", "incr", "incr", "append N", "strlen",
];
pub(crate) const HASHES: &[&str] = &[
    "hset M N",
    "hget M",
    "hincrby M N",
    "hincrby M N",
    "hdel M",
    "hlen",
];
pub(crate) const LISTS: &[&str] = &[
    "lpush E",
    "rpush E",
    "rpush E",
    "lpop",
    "rpop",
    "llen",
    "lrange 0 -1",
];
pub(crate) const SETS: &[&str] = &["sadd M", "sadd M", "srem M", "scard", "sismember M"];
/// The answer to this says which member was chosen. Without an answer nobody knows what it left.
pub(crate) const CHOOSING: &[&str] = &["spop"];
pub(crate) const SORTED_SETS: &[&str] = &[
    "zadd N M",
    "zadd N M",
    "zincrby N M",
    "zincrby N M",
    "zrem M",
    "zscore M",
    "zpopmin",
    "zcard",
    "zrank M",
    "zrange 0 -1",
];
/// Those of each type.
pub(crate) const TYPES: [&[&str]; 5] = [STRINGS, HASHES, LISTS, SETS, SORTED_SETS];

/// The first milliseconds of 2100: no key expires while a test runs.
const FAR_AWAY_MS: usize = 4_102_444_800_000;

/// One of the lines, with its letters filled in: `M` is one of so many members or fields, `E` an element that seldom
/// comes twice, `N` a small number, `T` a time in the future.
pub(crate) fn random_command(random: &mut Random, lines: &[&str], members: usize) -> String {
    let words = random.pick(lines).split(' ').map(|word| match word {
        "M" => format!("m{}", random.below(members)),
        "E" => format!("e{}", random.below(1000)),
        "N" => random.below(5).to_string(),
        "T" => (FAR_AWAY_MS + random.below(3)).to_string(),
        word => word.to_owned(),
    });
    words.collect::<Vec<String>>().join(" ")
}

/// The words of a line, with the name of the key behind the command.
pub(crate) fn words<'a>(line: &'a str, key: &'a str) -> Vec<&'a str> {
    let mut words: Vec<&str> = line.split(' ').collect();
    words.insert(1, key);
    words
}

/// Whether a command with this answer changed nothing, whatever it met.
pub(crate) fn changed_nothing(line: &str, answer: &str) -> bool {
    match line.split(' ').next().unwrap() {
        "exists" | "type" | "pexpiretime" | "get" | "strlen" | "hget" | "hlen" | "llen"
        | "lrange" | "scard" | "sismember" | "zscore" | "zcard" | "zrank" | "zrange" => true,
        "del" | "pexpireat" | "persist" | "setnx" | "hdel" | "sadd" | "srem" | "zrem"
            if answer == NONE =>
        {
            true
        }
        "lpop" | "rpop" | "spop" if answer == NULL => true,
        "zpopmin" if answer == EMPTY => true,
        _ => answer.starts_with('-'),
    }
}

type Numbers = BTreeMap<String, i64>;

/// What a key holds. A collection that becomes empty is nothing.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    #[default]
    Nothing,
    Text(String),
    Hash(Numbers),
    List(VecDeque<String>),
    Set(BTreeSet<String>),
    SortedSet(Numbers),
}

/// A key, or where one may be.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) value: Value,
    pub(crate) expires_ms: Option<i64>,
}

const OK: &str = "+OK\r\n";
const NONE: &str = ":0\r\n";
const NULL: &str = "$-1\r\n";
const EMPTY: &str = "*0\r\n";
const WRONG_TYPE: &str = "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n";
const NOT_AN_INTEGER: &str = "-ERR value is not an integer or out of range\r\n";

fn integer(number: i64) -> String {
    format!(":{number}\r\n")
}

fn count(number: usize) -> String {
    format!(":{number}\r\n")
}

fn flag(is_set: bool) -> String {
    integer(i64::from(is_set))
}

fn bulk(text: &str) -> String {
    format!("${}\r\n{text}\r\n", text.len())
}

fn bulk_or_null(text: Option<&str>) -> String {
    text.map_or_else(|| NULL.to_owned(), bulk)
}

fn number_or_null(number: Option<i64>) -> String {
    bulk_or_null(number.map(|number| number.to_string()).as_deref())
}

fn array<'a>(items: impl ExactSizeIterator<Item = &'a String>) -> String {
    let start = format!("*{}\r\n", items.len());
    items.fold(start, |array, item| array + &bulk(item))
}

/// Members, the least score first.
fn in_order(scores: &Numbers) -> Vec<(i64, &String)> {
    let pairs = scores.iter().map(|(member, score)| (*score, member));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    pairs
}

impl Key {
    /// Runs a command, and says what Redis answers, as it is sent. `answered` is what a server did answer: of a command
    /// that chooses, it says what.
    pub(crate) fn apply(&mut self, line: &str, answered: &str) -> String {
        let words: Vec<&str> = line.split(' ').collect();
        let answer = match words[0] {
            "del" | "exists" | "type" | "pexpireat" | "persist" | "pexpiretime" => self.any(&words),
            "set" | "setnx" | "getset" | "get" | "incr" | "append" | "strlen" => {
                self.string(&words)
            }
            "hset" | "hget" | "hincrby" | "hdel" | "hlen" => self.hash(&words),
            "lpush" | "rpush" | "lpop" | "rpop" | "llen" | "lrange" => self.list(&words),
            "sadd" | "srem" | "scard" | "sismember" | "spop" => self.set(&words, answered),
            _ => self.sorted_set(&words),
        };
        if self.value.is_empty() {
            *self = Self::default();
        }
        answer
    }

    fn any(&mut self, words: &[&str]) -> String {
        let exists = !self.value.is_empty();
        match words {
            ["del"] => {
                *self = Self::default();
                flag(exists)
            }
            ["exists"] => flag(exists),
            ["type"] => format!("+{}\r\n", self.value.type_name()),
            ["pexpireat", at] => {
                self.expires_ms = exists.then(|| at.parse().unwrap());
                flag(exists)
            }
            ["persist"] => flag(self.expires_ms.take().is_some()),
            ["pexpiretime"] => integer(self.expires_ms.unwrap_or(if exists { -1 } else { -2 })),
            _ => panic!("no model of {words:?}"),
        }
    }

    /// Puts a string in place of everything.
    fn replace(&mut self, text: &str) {
        *self = Self {
            value: Value::Text(text.to_owned()),
            expires_ms: None,
        };
    }

    fn string(&mut self, words: &[&str]) -> String {
        let exists = !self.value.is_empty();
        let before = match &self.value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        };
        match words {
            ["set", text] => {
                self.replace(text);
                OK.to_owned()
            }
            ["setnx", text] => {
                if !exists {
                    self.replace(text);
                }
                flag(!exists)
            }
            _ if exists && before.is_none() => WRONG_TYPE.to_owned(),
            ["get"] => bulk_or_null(before.as_deref()),
            ["getset", text] => {
                self.replace(text);
                bulk_or_null(before.as_deref())
            }
            ["strlen"] => count(before.map_or(0, |text| text.len())),
            ["append", more] => {
                let text = before.unwrap_or_default() + more;
                let length = text.len();
                self.value = Value::Text(text);
                count(length)
            }
            ["incr"] => {
                let before = before.unwrap_or_else(|| "0".to_owned());
                // What has a zero in front is no number in Redis.
                let number = before.parse::<i64>().ok();
                let number = number.filter(|number| number.to_string() == before);
                let Some(after) = number.map(|number| number + 1) else {
                    return NOT_AN_INTEGER.to_owned();
                };
                self.value = Value::Text(after.to_string());
                integer(after)
            }
            _ => panic!("no model of {words:?}"),
        }
    }

    fn hash(&mut self, words: &[&str]) -> String {
        if self.value.is_empty() {
            self.value = Value::Hash(Numbers::new());
        }
        let Value::Hash(fields) = &mut self.value else {
            return WRONG_TYPE.to_owned();
        };
        match words {
            ["hset", field, value] => {
                let before = fields.insert((*field).to_owned(), value.parse().unwrap());
                flag(before.is_none())
            }
            ["hget", field] => number_or_null(fields.get(*field).copied()),
            ["hincrby", field, by] => {
                let value = fields.entry((*field).to_owned()).or_default();
                *value += by.parse::<i64>().unwrap();
                integer(*value)
            }
            ["hdel", field] => flag(fields.remove(*field).is_some()),
            ["hlen"] => count(fields.len()),
            _ => panic!("no model of {words:?}"),
        }
    }

    fn list(&mut self, words: &[&str]) -> String {
        if self.value.is_empty() {
            self.value = Value::List(VecDeque::new());
        }
        let Value::List(elements) = &mut self.value else {
            return WRONG_TYPE.to_owned();
        };
        match words {
            ["lpush", element] => {
                elements.push_front((*element).to_owned());
                count(elements.len())
            }
            ["rpush", element] => {
                elements.push_back((*element).to_owned());
                count(elements.len())
            }
            ["lpop"] => bulk_or_null(elements.pop_front().as_deref()),
            ["rpop"] => bulk_or_null(elements.pop_back().as_deref()),
            ["llen"] => count(elements.len()),
            ["lrange", "0", "-1"] => array(elements.iter()),
            _ => panic!("no model of {words:?}"),
        }
    }

    fn set(&mut self, words: &[&str], answered: &str) -> String {
        if self.value.is_empty() {
            self.value = Value::Set(BTreeSet::new());
        }
        let Value::Set(members) = &mut self.value else {
            return WRONG_TYPE.to_owned();
        };
        match words {
            ["sadd", member] => flag(members.insert((*member).to_owned())),
            ["srem", member] => flag(members.remove(*member)),
            ["scard"] => count(members.len()),
            ["sismember", member] => flag(members.contains(*member)),
            ["spop"] => {
                let chosen = members.iter().find(|member| bulk(member) == answered);
                let chosen = chosen.or(members.first()).cloned();
                bulk_or_null(chosen.and_then(|member| members.take(&member)).as_deref())
            }
            _ => panic!("no model of {words:?}"),
        }
    }

    fn sorted_set(&mut self, words: &[&str]) -> String {
        if self.value.is_empty() {
            self.value = Value::SortedSet(Numbers::new());
        }
        let Value::SortedSet(scores) = &mut self.value else {
            return WRONG_TYPE.to_owned();
        };
        match words {
            ["zadd", score, member] => {
                let before = scores.insert((*member).to_owned(), score.parse().unwrap());
                flag(before.is_none())
            }
            ["zincrby", by, member] => {
                let score = scores.entry((*member).to_owned()).or_default();
                *score += by.parse::<i64>().unwrap();
                bulk(&score.to_string())
            }
            ["zrem", member] => flag(scores.remove(*member).is_some()),
            ["zscore", member] => number_or_null(scores.get(*member).copied()),
            ["zpopmin"] => {
                let first = in_order(scores)
                    .first()
                    .map(|(_, member)| (*member).clone());
                let popped = first.and_then(|member| scores.remove_entry(&member));
                let popped = popped.map(|(member, score)| [member, score.to_string()]);
                array(popped.iter().flatten().collect::<Vec<_>>().into_iter())
            }
            ["zcard"] => count(scores.len()),
            ["zrank", member] => {
                let members = in_order(scores);
                let rank = members.iter().position(|(_, other)| other == member);
                rank.map_or_else(|| NULL.to_owned(), count)
            }
            ["zrange", "0", "-1"] => array(in_order(scores).into_iter().map(|(_, member)| member)),
            _ => panic!("no model of {words:?}"),
        }
    }
}

impl Value {
    /// No string is empty in these tests.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text(_) => false,
            Self::Hash(numbers) | Self::SortedSet(numbers) => numbers.is_empty(),
            Self::List(elements) => elements.is_empty(),
            Self::Set(members) => members.is_empty(),
        }
    }

    fn type_name(&self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Text(_) => "string",
            Self::Hash(_) => "hash",
            Self::List(_) => "list",
            Self::Set(_) => "set",
            Self::SortedSet(_) => "zset",
        }
    }
}
