//! Whether two replies to a command agree. Mostly: byte for byte.
//!
//! Exceptions, each for a reason:
//! - what has no order (`SMEMBERS`, `HGETALL`, `KEYS`) is compared as a set, of elements or of pairs;
//! - what is left to live may differ by the time that passes between the two servers;
//! - what is random (`SPOP`, `RANDOMKEY`) agrees in its shape: the types and the number of replies.
//!   That the elements are ones that were there, each as often as it should be, is a test of its own;
//! - what `SORT BY ... ALPHA` takes for equal comes in any order, whole groups of it with `GET`; with `LIMIT`, any of it. So does a
//!   set that is not sorted;
//! - what `SORT ALPHA` takes for equal, texts that differ behind a zero byte only, may come in any order;
//! - a score of -0 is 0 here, see `docs/differences.md`;
//! - `SCAN` and its like agree if both end at once with the same set. Who needs several steps may cut
//!   them differently.
//!
//! A transaction's replies are compared each by the rule of its own command.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::common::client::Command;

/// A reply as a tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Tree<'a> {
    /// A line: status, error, number, null.
    Line(&'a [u8]),
    /// Bytes with their length.
    Bulk(&'a [u8]),
    /// A kind and what it holds; of a map, keys and values in turn.
    List(u8, Vec<Tree<'a>>),
}

/// How replies to a command are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Exact,
    /// The sign of a zero does not count.
    Score,
    /// A positive number may differ by so much.
    Clock(u64),
    /// Groups of so many elements, in any order.
    Unordered(usize),
    /// C texts: what follows a zero byte does not count for the order, nor for which of them a limit leaves.
    Texts {
        may_leave_any: bool,
    },
    /// Types and numbers of elements.
    Shape,
    /// The number of elements, each of them text or null.
    Number,
    /// A cursor and elements in groups of so many.
    Scan(usize),
    /// A cursor and pairs of members and scores.
    ScanScores,
}

/// The rules of those that are not compared byte for byte.
fn rule(command: &Command) -> Rule {
    let word = |at: usize| command.get(at).map(|word| word.to_ascii_lowercase());
    let name = word(0).unwrap_or_default();
    let has = |wanted: &[u8]| command.iter().any(|arg| arg.eq_ignore_ascii_case(wanted));
    match name.as_slice() {
        b"ttl" | b"expiretime" => Rule::Clock(1),
        b"pttl" | b"pexpiretime" => Rule::Clock(2000),
        b"smembers" | b"sinter" | b"sunion" | b"sdiff" | b"hkeys" | b"hvals" | b"keys" => {
            Rule::Unordered(1)
        }
        b"hgetall" => Rule::Unordered(2),
        b"spop" | b"srandmember" | b"randomkey" | b"hrandfield" | b"zrandmember" | b"time"
        | b"lastsave" | b"slowlog" => Rule::Shape,
        // A second may have passed.
        b"object" if has(b"idletime") => Rule::Shape,
        b"scan" | b"sscan" => Rule::Scan(1),
        b"hscan" => Rule::Scan(2),
        b"zscan" => Rule::ScanScores,
        b"sort" | b"sort_ro" => rule_of_sort(command),
        [b'z', ..] | [b'b', b'z', ..] => Rule::Score,
        // It may return one.
        [b'e', b'v', b'a', b'l', ..] => Rule::Score,
        _ => Rule::Exact,
    }
}

/// Numbers have one order: what weighs the same is ordered by its bytes. So have the weights that the generator gives for
/// `w*`, which are all different. Texts as weights may be equal, and a set that is not sorted has any order.
fn rule_of_sort(command: &Command) -> Rule {
    let has = |wanted: &[u8]| command.iter().any(|arg| arg.eq_ignore_ascii_case(wanted));
    let follows = |wanted: &'static [u8]| {
        let pairs = command.iter().skip(2).zip(command.iter().skip(3));
        pairs.filter(move |(word, _)| word.eq_ignore_ascii_case(wanted))
    };
    let patterns: Vec<&Bytes> = follows(b"by").map(|(_, pattern)| pattern).collect();
    let is_unsorted = patterns.iter().any(|pattern| !pattern.contains(&b'*'));
    let is_known = patterns.iter().all(|pattern| pattern.starts_with(b"w"));
    match (has(b"alpha"), patterns.is_empty()) {
        (false, _) if !is_unsorted => Rule::Exact,
        (true, true) => Rule::Texts {
            may_leave_any: has(b"limit"),
        },
        (_, false) if is_known && !is_unsorted => Rule::Exact,
        _ if has(b"limit") => Rule::Number,
        _ => Rule::Unordered(follows(b"get").count().max(1)),
    }
}

/// The rule in a transaction. Redis counts what waits there as a user of the value that it has stored.
fn rule_within(command: &Command) -> Rule {
    match command.get(1) {
        Some(word) if word.eq_ignore_ascii_case(b"refcount") => Rule::Shape,
        _ => rule(command),
    }
}

/// Whether two replies agree. `queued` are the commands since `MULTI`, if `command` is an `EXEC`.
pub(crate) fn agree(command: &Command, queued: &[Command], real: &[u8], ours: &[u8]) -> bool {
    if real == ours {
        return true;
    }
    let (Some(real), Some(ours)) = (whole(real), whole(ours)) else {
        return false;
    };
    let is_exec = command[0].eq_ignore_ascii_case(b"exec");
    match (&real, &ours) {
        (Tree::List(b'*', real), Tree::List(b'*', ours)) if is_exec => {
            real.len() == ours.len()
                && queued.len() == real.len()
                && (queued.iter().zip(real).zip(ours))
                    .all(|((command, real), ours)| agree_by(rule_within(command), real, ours))
        }
        _ => agree_by(rule(command), &real, &ours),
    }
}

fn agree_by(rule: Rule, real: &Tree<'_>, ours: &Tree<'_>) -> bool {
    if real == ours {
        return true;
    }
    match (rule, real, ours) {
        (Rule::Clock(tolerance), _, _) => {
            let numbers = (positive(real), positive(ours));
            matches!(numbers, (Some(a), Some(b)) if a.abs_diff(b) <= tolerance)
        }
        (Rule::Shape, _, _) => same_shape(real, ours),
        (Rule::Number, Tree::List(a, real), Tree::List(b, ours)) => {
            let plain = |tree: &Tree<'_>| matches!(tree, Tree::Bulk(_) | Tree::Line(b"$-1" | b"_"));
            a == b && real.len() == ours.len() && real.iter().chain(ours).all(plain)
        }
        (Rule::Texts { may_leave_any }, Tree::List(a, real), Tree::List(b, ours)) => {
            let texts = real.iter().map(c_text).eq(ours.iter().map(c_text));
            a == b && texts && (may_leave_any || sorted(real, 1) == sorted(ours, 1))
        }
        (Rule::Score, _, _) => unsigned_zeros(real) == unsigned_zeros(ours),
        (Rule::ScanScores, _, _) => match (scanned_scores(real), scanned_scores(ours)) {
            (Some((b"0", real)), Some((b"0", ours))) => real == ours,
            (Some(_), Some(_)) => true,
            _ => false,
        },
        (Rule::Unordered(group), Tree::List(a, real), Tree::List(b, ours)) => {
            a == b && sorted(real, group) == sorted(ours, group)
        }
        (Rule::Scan(group), Tree::List(_, real), Tree::List(_, ours)) => match (&**real, &**ours) {
            ([Tree::Bulk(real_cursor), real], [Tree::Bulk(our_cursor), ours]) => {
                *real_cursor != b"0"
                    || *our_cursor != b"0"
                    || agree_by(Rule::Unordered(group), real, ours)
            }
            _ => false,
        },
        _ => false,
    }
}

/// The bytes before the first zero byte.
fn c_text<'a>(tree: &Tree<'a>) -> &'a [u8] {
    match tree {
        Tree::Bulk(text) | Tree::Line(text) => {
            let end = text.iter().position(|&byte| byte == 0);
            &text[..end.unwrap_or(text.len())]
        }
        Tree::List(..) => b"",
    }
}

/// The same tree with every -0 as 0.
fn unsigned_zeros<'a>(tree: &Tree<'a>) -> Tree<'a> {
    match tree {
        Tree::Bulk(b"-0") => Tree::Bulk(b"0"),
        Tree::Line(b",-0") => Tree::Line(b",0"),
        Tree::List(kind, items) => Tree::List(*kind, items.iter().map(unsigned_zeros).collect()),
        other => other.clone(),
    }
}

/// Scores by member.
type Scores<'a> = BTreeMap<&'a [u8], f64>;

/// The cursor of a `ZSCAN`, and members with the values of their scores, which Redis writes in two ways.
fn scanned_scores<'a>(tree: &Tree<'a>) -> Option<(&'a [u8], Scores<'a>)> {
    let Tree::List(_, parts) = tree else {
        return None;
    };
    let [Tree::Bulk(cursor), Tree::List(_, items)] = &**parts else {
        return None;
    };
    let pair = |pair: &[Tree<'a>]| match pair {
        [Tree::Bulk(member), Tree::Bulk(score)] => {
            Some((*member, std::str::from_utf8(score).ok()?.parse().ok()?))
        }
        _ => None,
    };
    let pairs: Option<_> = items.chunks(2).map(pair).collect();
    Some((*cursor, pairs?))
}

fn positive(tree: &Tree<'_>) -> Option<u64> {
    let Tree::Line([b':', digits @ ..]) = tree else {
        return None;
    };
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (number > 0).then_some(number)
}

fn same_shape(real: &Tree<'_>, ours: &Tree<'_>) -> bool {
    match (real, ours) {
        (Tree::List(a, real), Tree::List(b, ours)) => {
            let pairs = real.iter().zip(ours);
            a == b && real.len() == ours.len() && pairs.into_iter().all(|(a, b)| same_shape(a, b))
        }
        (Tree::Bulk(_), Tree::Bulk(_)) => true,
        // Two numbers, but not two different errors.
        (Tree::Line([a, ..]), Tree::Line([b, ..])) => a == b && matches!(a, b':' | b','),
        _ => false,
    }
}

fn sorted<'t, 'a>(items: &'t [Tree<'a>], group: usize) -> Vec<&'t [Tree<'a>]> {
    let mut groups: Vec<_> = items.chunks(group).collect();
    groups.sort_unstable();
    groups
}

fn whole(reply: &[u8]) -> Option<Tree<'_>> {
    let (tree, rest) = parse(reply)?;
    rest.is_empty().then_some(tree)
}

fn parse(bytes: &[u8]) -> Option<(Tree<'_>, &[u8])> {
    let end = bytes.windows(2).position(|pair| pair == b"\r\n")?;
    let (line, rest) = (&bytes[..end], &bytes[end + 2..]);
    let number = || std::str::from_utf8(&line[1..]).ok()?.parse::<usize>().ok();
    let (kind, count) = match (line[0], number()) {
        (b'$' | b'=', Some(length)) => {
            return Some((Tree::Bulk(rest.get(..length)?), rest.get(length + 2..)?));
        }
        (kind @ (b'*' | b'~' | b'>'), Some(count)) => (kind, count),
        (b'%', Some(count)) => (b'%', 2 * count),
        // Null has the length -1.
        _ => return Some((Tree::Line(line), rest)),
    };
    let mut items = Vec::new();
    let mut rest = rest;
    for _ in 0..count {
        let (item, behind) = parse(rest)?;
        items.push(item);
        rest = behind;
    }
    Some((Tree::List(kind, items), rest))
}

#[test]
fn only_what_has_no_order_or_is_chance_may_differ() {
    let same = |line: &'static str, real: &[u8], ours: &[u8]| {
        let command: Command = line
            .split(' ')
            .map(|word| Bytes::from_static(word.as_bytes()))
            .collect();
        agree(&command, &[], real, ours)
    };
    let ab = b"*2\r\n$1\r\na\r\n$1\r\nb\r\n";
    let ba = b"*2\r\n$1\r\nb\r\n$1\r\na\r\n";
    let ac = b"*2\r\n$1\r\na\r\n$1\r\nc\r\n";
    assert!(same("ttl k", b":100\r\n", b":99\r\n"));
    assert!(!same("ttl k", b":100\r\n", b":98\r\n"));
    assert!(!same("ttl k", b":-1\r\n", b":-2\r\n"));
    assert!(same("PTTL k", b":5000\r\n", b":4000\r\n"));
    assert!(!same("zcard k", b":5\r\n", b":4\r\n"));
    assert!(same("smembers k", ab, ba));
    assert!(!same("smembers k", ab, ac));
    assert!(!same("hgetall k", ab, ba));
    assert!(!same("zrange k 0 -1", ab, ba));
    assert!(same("zscore k a", b"$2\r\n-0\r\n", b"$1\r\n0\r\n"));
    assert!(!same("zscore k a", b"$2\r\n-1\r\n", b"$1\r\n1\r\n"));
    assert!(!same("get k", b"$2\r\n-0\r\n", b"$1\r\n0\r\n"));
    assert!(same("spop k 2", ab, ac));
    assert!(!same("spop k 2", ab, b"$1\r\na\r\n"));
    let groups = b"*4\r\n$-1\r\n$1\r\na\r\n$1\r\nv\r\n$1\r\nb\r\n";
    let turned = b"*4\r\n$1\r\nv\r\n$1\r\nb\r\n$-1\r\n$1\r\na\r\n";
    let broken = b"*4\r\n$-1\r\n$1\r\nb\r\n$1\r\nv\r\n$1\r\na\r\n";
    assert!(same("sort k by h->* get x* get # alpha", groups, turned));
    assert!(same("sort k by nosort get x* get #", groups, turned));
    assert!(!same("sort k by h->* get x* get #", groups, turned));
    assert!(!same("sort k by h->* get x* get # alpha", groups, broken));
    assert!(!same("sort k get x* get #", groups, turned));
    assert!(!same("sort k alpha get x* get #", groups, turned));
    assert!(same("sort k by h->* limit 0 2 alpha", ab, ac));
    assert!(!same("sort k by w* limit 0 2 alpha", ab, ba));
    assert!(!same("sort k by h->* limit 0 2", ab, ba));
    assert!(!same("sort k by h->* limit 0 2 alpha", ab, groups));
    assert!(!same("sort k by h->* limit 0 2 alpha", ab, b"-ERR a\r\n"));
    let zeros = b"*2\r\n$2\r\na\0\r\n$3\r\na\0b\r\n";
    let other_zeros = b"*2\r\n$3\r\na\0b\r\n$2\r\na\0\r\n";
    let more_zeros = b"*2\r\n$2\r\na\0\r\n$3\r\na\0c\r\n";
    assert!(same("sort k alpha", zeros, other_zeros));
    assert!(!same("sort k alpha", zeros, more_zeros));
    assert!(same("sort k alpha limit 0 2", zeros, more_zeros));
    let refusal = b"-ERR One or more scores can't be converted into double\r\n";
    assert!(!same("sort k", refusal, ab));
    assert!(!same("spop k", b"-ERR a\r\n", b"-ERR b\r\n"));
    let scan =
        |cursor: &str, items: &[u8]| [b"*2\r\n$1\r\n", cursor.as_bytes(), b"\r\n", items].concat();
    assert!(same("scan 0", &scan("0", ab), &scan("0", ba)));
    assert!(!same("scan 0", &scan("0", ab), &scan("0", ac)));
    assert!(same("scan 0", &scan("7", ab), &scan("0", ac)));
}

#[test]
fn the_replies_of_a_transaction_are_compared_each_by_its_rule() {
    let command = |word: &'static str| vec![Bytes::from_static(word.as_bytes())];
    let queued = [command("smembers"), command("zcard")];
    let exec = command("EXEC");
    let replies =
        |members: &str, number: u8| format!("*2\r\n*2\r\n{members}:{number}\r\n").into_bytes();
    let real = replies("$1\r\na\r\n$1\r\nb\r\n", 1);
    assert!(agree(
        &exec,
        &queued,
        &real,
        &replies("$1\r\nb\r\n$1\r\na\r\n", 1)
    ));
    assert!(!agree(
        &exec,
        &queued,
        &real,
        &replies("$1\r\na\r\n$1\r\nb\r\n", 2)
    ));
    assert!(!agree(
        &exec,
        &queued[..1],
        &real,
        &replies("$1\r\nb\r\n$1\r\na\r\n", 1)
    ));
}
