//! Commands on one list: pushing, reading, changing the middle. Pops and moves are in [`pops`](super::pops).

use bytes::Bytes;

use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::list::{Beside, List, Side};
use crate::types::{Class, Txn};

/// `LPUSH key element [element ...]`
pub(crate) fn lpush(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    push(txn, args, Side::Left, IfAbsent::Create)
}

/// `RPUSH key element [element ...]`
pub(crate) fn rpush(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    push(txn, args, Side::Right, IfAbsent::Create)
}

/// `LPUSHX key element [element ...]`
pub(crate) fn lpushx(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    push(txn, args, Side::Left, IfAbsent::Refuse)
}

/// `RPUSHX key element [element ...]`
pub(crate) fn rpushx(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    push(txn, args, Side::Right, IfAbsent::Refuse)
}

/// What a push does if the list does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IfAbsent {
    Create,
    Refuse,
}

fn push(txn: &mut Txn<'_>, args: Args<'_>, side: Side, if_absent: IfAbsent) -> Outcome {
    let key = args.get(1);
    let list = match if_absent {
        IfAbsent::Create => Some(List::open_or_create(txn, key)?),
        IfAbsent::Refuse => List::open(txn, key)?,
    };
    let Some(mut list) = list else {
        return Ok(Reply::Integer(0));
    };
    for element in args.from(2) {
        list.push(side, element.clone())?;
    }
    let len = list.len();
    list.finish()?;
    txn.event(Class::List, push_event(side), key);
    Ok(Reply::count(len))
}

pub(super) const fn push_event(side: Side) -> &'static str {
    match side {
        Side::Left => "lpush",
        Side::Right => "rpush",
    }
}

/// `LLEN key`
pub(crate) fn llen(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let list = List::open(txn, args.get(1))?;
    Ok(Reply::count(list.map_or(0, |list| list.len())))
}

/// The index of an element, counted from the start. A negative index counts from the end. `None` if it lies before
/// the first element.
fn from_start(index: i64, len: u64) -> Option<u64> {
    match u64::try_from(index) {
        Ok(index) => Some(index),
        Err(_) => len.checked_sub(index.unsigned_abs()),
    }
}

/// The index of the first element and the number of elements between two indices, both included.
pub(super) fn window(start: i64, stop: i64, len: u64) -> (u64, u64) {
    let start = from_start(start, len).unwrap_or(0);
    let Some(stop) = from_start(stop, len) else {
        return (start, 0);
    };
    let behind = stop.saturating_add(1).min(len);
    (start, behind.saturating_sub(start))
}

/// `LINDEX key index`
pub(crate) fn lindex(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let Some(list) = List::open_counted(txn, args.get(1))? else {
        return Ok(Reply::Null);
    };
    let index = from_start(args.integer(2)?, list.len());
    let element = index.map(|index| list.get(index)).transpose()?;
    Ok(Reply::bulk_or_null(element.flatten()))
}

/// `LRANGE key start stop`
pub(crate) fn lrange(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let (start, stop) = (args.integer(2)?, args.integer(3)?);
    let Some(list) = List::open_counted(txn, args.get(1))? else {
        return Ok(Reply::Array(Vec::new()));
    };
    let (start, count) = window(start, stop, list.len());
    Ok(Reply::Strings(list.range(start, count)?))
}

pub(super) fn elements(elements: Vec<Bytes>) -> Reply {
    Reply::Array(elements.into_iter().map(Reply::Bulk).collect())
}

/// `LSET key index element`
pub(crate) fn lset(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let key = args.get(1);
    let Some(mut list) = List::open_counted(txn, key)? else {
        return Err(CommandError::NO_SUCH_KEY);
    };
    let index = from_start(args.integer(2)?, list.len());
    let is_set = match index {
        Some(index) => list.set(index, args.bytes(3))?,
        None => false,
    };
    if !is_set {
        return Err(CommandError::fixed("ERR index out of range"));
    }
    list.finish()?;
    txn.event(Class::List, "lset", key);
    Ok(Reply::OK)
}

/// `LINSERT key BEFORE | AFTER pivot element`
pub(crate) fn linsert(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let beside = if args.is(2, "AFTER") {
        Beside::After
    } else if args.is(2, "BEFORE") {
        Beside::Before
    } else {
        return Err(CommandError::SYNTAX);
    };
    let key = args.get(1);
    let Some(mut list) = List::open(txn, key)? else {
        return Ok(Reply::Integer(0));
    };
    if !list.insert(args.get(3), beside, args.bytes(4))? {
        return Ok(Reply::Integer(-1));
    }
    let len = list.len();
    list.finish()?;
    txn.event(Class::List, "linsert", key);
    Ok(Reply::count(len))
}

/// `LREM key count element`: a negative count removes from the end, 0 removes all.
pub(crate) fn lrem(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let count = args.integer(2)?;
    let key = args.get(1);
    let Some(mut list) = List::open(txn, key)? else {
        return Ok(Reply::Integer(0));
    };
    let (from, most) = match count {
        0 => (Side::Left, u64::MAX),
        1.. => (Side::Left, count.unsigned_abs()),
        _ => (Side::Right, count.unsigned_abs()),
    };
    let removed = list.remove_equal(args.get(3), from, most)?;
    if removed > 0 {
        finish_shorter(list, txn_event(key, "lrem"))?;
    }
    Ok(Reply::count(removed))
}

/// `LTRIM key start stop`
pub(crate) fn ltrim(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let (start, stop) = (args.integer(2)?, args.integer(3)?);
    let key = args.get(1);
    let Some(mut list) = List::open(txn, key)? else {
        return Ok(Reply::OK);
    };
    let (start, count) = window(start, stop, list.len());
    if count == list.len() {
        // Redis counts this as a change, and flags clients that watch the key.
        txn.touch(key);
        txn.event(Class::List, "ltrim", key);
        return Ok(Reply::OK);
    }
    list.trim(start, count)?;
    finish_shorter(list, txn_event(key, "ltrim"))?;
    Ok(Reply::OK)
}

/// A key, and the event on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListEvent<'k> {
    key: &'k [u8],
    name: &'static str,
}

/// An event on a list.
pub(super) const fn txn_event<'k>(key: &'k [u8], name: &'static str) -> ListEvent<'k> {
    ListEvent { key, name }
}

/// Ends a change that removed elements: sends the event, and another one if the key is gone with its last element.
pub(super) fn finish_shorter(list: List<'_, '_>, event: ListEvent<'_>) -> Result<(), CommandError> {
    let is_emptied = list.is_empty();
    let txn = list.finish()?;
    txn.event(Class::List, event.name, event.key);
    if is_emptied {
        txn.event(Class::Generic, "del", event.key);
    }
    Ok(())
}

/// The options after the element of an `LPOS`.
#[derive(Debug)]
struct PosOptions {
    /// Which match is the first to return, counted from the end if negative.
    rank: i64,
    /// How many matches are wanted; 0 for all. Without it the answer is a single match instead of an array.
    count: Option<u64>,
    /// How many elements to compare at most; 0 for all.
    max_len: u64,
}

impl PosOptions {
    fn parse(args: Args<'_>) -> Result<Self, CommandError> {
        let mut options = Self {
            rank: 1,
            count: None,
            max_len: 0,
        };
        let not_negative = |position, message| {
            let number = args.not_negative(position);
            number.ok_or(CommandError::fixed(message))
        };
        for position in (3..args.len()).step_by(2) {
            if position + 1 == args.len() {
                return Err(CommandError::SYNTAX);
            }
            if args.is(position, "RANK") {
                options.rank = args.integer(position + 1)?;
                if options.rank == 0 {
                    return Err(CommandError::fixed(
                        "ERR RANK can't be zero: use 1 to start from the first match, 2 from the \
                         second ... or use negative to start from the end of the list",
                    ));
                }
            } else if args.is(position, "COUNT") {
                let count = not_negative(position + 1, "ERR COUNT can't be negative")?;
                options.count = Some(count);
            } else if args.is(position, "MAXLEN") {
                options.max_len = not_negative(position + 1, "ERR MAXLEN can't be negative")?;
            } else {
                return Err(CommandError::SYNTAX);
            }
        }
        Ok(options)
    }
}

/// `LPOS key element [RANK rank] [COUNT matches] [MAXLEN len]`
pub(crate) fn lpos(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let options = PosOptions::parse(args)?;
    let mut found = Vec::new();
    if let Some(list) = List::open(txn, args.get(1))? {
        let mut wanted = match options.count {
            None => 1,
            Some(0) => u64::MAX,
            Some(count) => count,
        };
        let rank = options.rank.checked_abs().unwrap_or_else(|| {
            // Redis cannot negate the least number: it begins with the first match, and no count ends it.
            if options.count.is_some() {
                wanted = u64::MAX;
            }
            1
        });
        let (mut to_skip, mut seen) = (rank.unsigned_abs() - 1, 0);
        let from = if options.rank > 0 {
            Side::Left
        } else {
            Side::Right
        };
        let len = list.len();
        list.walk(from, |element| {
            seen += 1;
            if element == args.get(2) {
                if to_skip == 0 {
                    let index = match from {
                        Side::Left => seen - 1,
                        Side::Right => len - seen,
                    };
                    found.push(Reply::count(index));
                } else {
                    to_skip -= 1;
                }
            }
            (found.len() as u64) < wanted && seen != options.max_len
        })?;
    }
    Ok(if options.count.is_some() {
        Reply::Array(found)
    } else {
        found.pop().unwrap_or(Reply::Null)
    })
}
