//! Commands that remove members from sorted sets: by name, by range, from an end, and blocking forms that wait for a
//! member.

use crate::commands::args::pops::{MultiPop, count_after_key, wait};
use crate::commands::sorted_sets::range::{lex_range, rank_window, score_range};
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::store::Direction;
use crate::types::zset::{Element, SortedSet};
use crate::types::{self, Class, Txn};

/// Removes members with `work`, which returns how many it removed. Returns that number, or `None` if the key does not
/// exist.
fn remove(
    txn: &mut Txn<'_>,
    key: &[u8],
    event: &'static str,
    work: impl FnOnce(&mut SortedSet<'_, '_>) -> types::Result<u64>,
) -> types::Result<Option<u64>> {
    let Some(mut set) = SortedSet::open(txn, key)? else {
        return Ok(None);
    };
    let removed = work(&mut set)?;
    if removed > 0 {
        let is_gone = set.is_empty();
        set.finish()?;
        txn.event(Class::SortedSet, event, key);
        if is_gone {
            txn.event(Class::Generic, "del", key);
        }
    }
    Ok(Some(removed))
}

/// `ZREM key member [member ...]`
pub(crate) fn zrem(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let removed = remove(txn, args.get(1), "zrem", |set| {
        let mut removed = 0;
        for member in args.from(2) {
            removed += u64::from(set.remove(member)?);
        }
        Ok(removed)
    })?;
    Ok(Reply::count(removed.unwrap_or(0)))
}

/// `ZREMRANGEBYRANK key start stop`
pub(crate) fn zremrangebyrank(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let (start, stop) = (args.integer(2)?, args.integer(3)?);
    let removed = remove(
        txn,
        args.get(1),
        "zremrangebyrank",
        |set| match rank_window(set.len(), start, stop) {
            Some((first, count)) => set.remove_ranks(first, count),
            None => Ok(0),
        },
    )?;
    Ok(Reply::count(removed.unwrap_or(0)))
}

/// `ZREMRANGEBYSCORE key min max`
pub(crate) fn zremrangebyscore(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let range = score_range(args.get(2), args.get(3))?;
    let removed = remove(txn, args.get(1), "zremrangebyscore", |set| {
        set.remove_scores(&range)
    })?;
    Ok(Reply::count(removed.unwrap_or(0)))
}

/// `ZREMRANGEBYLEX key min max`
pub(crate) fn zremrangebylex(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let range = lex_range(&args.bytes(2), &args.bytes(3))?;
    let removed = remove(txn, args.get(1), "zremrangebylex", |set| {
        set.remove_members(&range)
    })?;
    Ok(Reply::count(removed.unwrap_or(0)))
}

/// Removes and returns the first members from an end, or `None` if the key does not exist.
fn pop(
    txn: &mut Txn<'_>,
    key: &[u8],
    count: u64,
    direction: Direction,
) -> types::Result<Option<Vec<Element>>> {
    let event = match direction {
        Direction::Forward => "zpopmin",
        Direction::Backward => "zpopmax",
    };
    let mut popped = Vec::new();
    let removed = remove(txn, key, event, |set| {
        popped = set.pop(count, direction)?;
        Ok(popped.len() as u64)
    })?;
    Ok(removed.map(|_| popped))
}

/// `ZPOPMIN key [count]`
pub(crate) fn zpopmin(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    pop_from_one(txn, args, Direction::Forward)
}

/// `ZPOPMAX key [count]`
pub(crate) fn zpopmax(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    pop_from_one(txn, args, Direction::Backward)
}

fn pop_from_one(txn: &mut Txn<'_>, args: Args<'_>, direction: Direction) -> Outcome {
    if args.len() > 3 {
        return Err(CommandError::SYNTAX);
    }
    let count = count_after_key(args)?;
    let mut popped = pop(txn, args.get(1), count.unwrap_or(1), direction)?.unwrap_or_default();
    if count.is_some() {
        return Ok(Reply::Scored(popped.into()));
    }
    // Without a count, the single pair is a flat array in both protocols.
    let pair = popped
        .pop()
        .map_or_else(Vec::new, |element| pair(element).into());
    Ok(Reply::Array(pair))
}

fn pair(element: Element) -> [Reply; 2] {
    [Reply::Bulk(element.member), Reply::Double(element.score)]
}

/// `BZPOPMIN key [key ...] timeout`
pub(crate) fn bzpopmin(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    pop_or_wait(txn, args, Direction::Forward)
}

/// `BZPOPMAX key [key ...] timeout`
pub(crate) fn bzpopmax(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    pop_or_wait(txn, args, Direction::Backward)
}

fn pop_or_wait(txn: &mut Txn<'_>, args: Args<'_>, direction: Direction) -> Outcome {
    let last = args.len() - 1;
    let timeout_ms = args.timeout_ms(last)?;
    for position in 1..last {
        let popped = pop(txn, args.get(position), 1, direction)?;
        if let Some(element) = popped.and_then(|mut popped| popped.pop()) {
            let [member, score] = pair(element);
            return Ok(Reply::Array(vec![
                Reply::Bulk(args.bytes(position)),
                member,
                score,
            ]));
        }
    }
    Ok(wait(timeout_ms, Reply::NullArray))
}

/// `ZMPOP numkeys key [key ...] MIN | MAX [COUNT count]`
pub(crate) fn zmpop(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let pops = MultiPop::parse(args, 1, end)?;
    Ok(pops.run(txn, args)?.unwrap_or(Reply::NullArray))
}

/// `BZMPOP timeout numkeys key [key ...] MIN | MAX [COUNT count]`
pub(crate) fn bzmpop(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let pops = MultiPop::parse(args, 2, end)?;
    let timeout_ms = args.timeout_ms(1)?;
    let popped = pops.run(txn, args)?;
    Ok(popped.unwrap_or_else(|| wait(timeout_ms, Reply::NullArray)))
}

/// `MIN` or `MAX`.
fn end(args: Args<'_>, position: usize) -> Result<Direction, CommandError> {
    if args.is(position, "MIN") {
        Ok(Direction::Forward)
    } else if args.is(position, "MAX") {
        Ok(Direction::Backward)
    } else {
        Err(CommandError::SYNTAX)
    }
}

impl MultiPop<Direction> {
    /// Pops from the first key that has members. `None` if none has any.
    fn run(self, txn: &mut Txn<'_>, args: Args<'_>) -> Result<Option<Reply>, CommandError> {
        for position in self.keys {
            if let Some(popped) = pop(txn, args.get(position), self.count, self.end)? {
                let pairs = popped.into_iter().map(|element| pair(element).to_vec());
                let pairs = pairs.map(Reply::Array).collect();
                return Ok(Some(Reply::Array(vec![
                    Reply::Bulk(args.bytes(position)),
                    Reply::Array(pairs),
                ])));
            }
        }
        Ok(None)
    }
}
