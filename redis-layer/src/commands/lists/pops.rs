//! Commands that take elements from lists: pops, moves, and their blocking forms.
//!
//! A blocking command does the same as its plain form, but answers [`Reply::Wait`] if it finds nothing. How clients
//! wait, and in which order they are served, is in [`blocking`](crate::commands::dispatch::blocking).

use crate::commands::args::pops::{MultiPop, count_after_key, wait};
use crate::commands::lists::elements::{elements, finish_shorter, push_event, txn_event};
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::list::{List, Side};
use crate::types::{Class, Txn};

const fn pop_event(side: Side) -> &'static str {
    match side {
        Side::Left => "lpop",
        Side::Right => "rpop",
    }
}

/// `LPOP key [count]`
pub(crate) fn lpop(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    pop(txn, args, Side::Left)
}

/// `RPOP key [count]`
pub(crate) fn rpop(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    pop(txn, args, Side::Right)
}

fn pop(txn: &mut Txn<'_>, args: Args<'_>, side: Side) -> Outcome {
    if args.len() > 3 {
        return Err(CommandError::arity(args.spec.full_name));
    }
    let count = count_after_key(args)?;
    let key = args.get(1);
    let Some(mut list) = List::open(txn, key)? else {
        return Ok(match count {
            None => Reply::Null,
            Some(_) => Reply::NullArray,
        });
    };
    if count == Some(0) {
        return Ok(Reply::Array(Vec::new()));
    }
    let mut popped = list.pop(side, count.unwrap_or(1))?;
    finish_shorter(list, txn_event(key, pop_event(side)))?;
    Ok(match count {
        None => Reply::bulk_or_null(popped.pop()),
        Some(_) => elements(popped),
    })
}

/// `LEFT` or `RIGHT`.
fn side(args: Args<'_>, position: usize) -> Result<Side, CommandError> {
    if args.is(position, "LEFT") {
        Ok(Side::Left)
    } else if args.is(position, "RIGHT") {
        Ok(Side::Right)
    } else {
        Err(CommandError::SYNTAX)
    }
}

/// From which end of one list to which end of another.
#[derive(Debug, Clone, Copy)]
struct Move {
    from: Side,
    to: Side,
}

impl Move {
    const RIGHT_TO_LEFT: Self = Self {
        from: Side::Right,
        to: Side::Left,
    };

    /// The two words of `LMOVE`.
    fn parse(args: Args<'_>) -> Result<Self, CommandError> {
        Ok(Self {
            from: side(args, 3)?,
            to: side(args, 4)?,
        })
    }

    /// Moves an element from the first key to the second one. `None` if the first key does not exist.
    fn run(self, txn: &mut Txn<'_>, args: Args<'_>) -> Result<Option<Reply>, CommandError> {
        let (source, target) = (args.get(1), args.get(2));
        if source != target && txn.shared().is_observed() && txn.lookup(source)?.is_some() {
            // The element is popped first, but clients that keep copies of keys are told of the target first.
            txn.touch(target);
        }
        let Some(mut list) = List::open(txn, source)? else {
            return Ok(None);
        };
        let Self { from, to } = self;
        if source == target {
            // The list may be empty in between, but the key must not be removed and created again.
            let popped = list.pop(from, 1)?;
            for element in &popped {
                list.push(to, element.clone())?;
            }
            list.finish()?;
            txn.event(Class::List, push_event(to), target);
            txn.event(Class::List, pop_event(from), source);
            return Ok(popped.into_iter().next().map(Reply::Bulk));
        }
        let popped = list.pop(from, 1)?;
        let is_emptied = list.is_empty();
        list.finish()?;
        let mut list = List::open_or_create(txn, target)?;
        for element in &popped {
            list.push(to, element.clone())?;
        }
        list.finish()?;
        txn.event(Class::List, push_event(to), target);
        txn.event(Class::List, pop_event(from), source);
        if is_emptied {
            txn.event(Class::Generic, "del", source);
        }
        Ok(popped.into_iter().next().map(Reply::Bulk))
    }
}

/// `LMOVE source destination LEFT | RIGHT LEFT | RIGHT`
pub(crate) fn lmove(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let moved = Move::parse(args)?.run(txn, args)?;
    Ok(moved.unwrap_or(Reply::Null))
}

/// `RPOPLPUSH source destination`
pub(crate) fn rpoplpush(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let moved = Move::RIGHT_TO_LEFT.run(txn, args)?;
    Ok(moved.unwrap_or(Reply::Null))
}

/// `BLMOVE source destination LEFT | RIGHT LEFT | RIGHT timeout`
pub(crate) fn blmove(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let direction = Move::parse(args)?;
    let timeout_ms = args.timeout_ms(5)?;
    let moved = direction.run(txn, args)?;
    Ok(moved.unwrap_or_else(|| wait(timeout_ms, Reply::Null)))
}

/// `BRPOPLPUSH source destination timeout`
pub(crate) fn brpoplpush(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let timeout_ms = args.timeout_ms(3)?;
    let moved = Move::RIGHT_TO_LEFT.run(txn, args)?;
    Ok(moved.unwrap_or_else(|| wait(timeout_ms, Reply::Null)))
}

/// `BLPOP key [key ...] timeout`
pub(crate) fn blpop(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    blocking_pop(txn, args, Side::Left)
}

/// `BRPOP key [key ...] timeout`
pub(crate) fn brpop(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    blocking_pop(txn, args, Side::Right)
}

fn blocking_pop(txn: &mut Txn<'_>, args: Args<'_>, side: Side) -> Outcome {
    let last = args.len() - 1;
    let timeout_ms = args.timeout_ms(last)?;
    for position in 1..last {
        let key = args.get(position);
        if let Some(mut list) = List::open(txn, key)? {
            let popped = list.pop(side, 1)?;
            finish_shorter(list, txn_event(key, pop_event(side)))?;
            let element = Reply::bulk_or_null(popped.into_iter().next());
            return Ok(Reply::Array(vec![
                Reply::Bulk(args.bytes(position)),
                element,
            ]));
        }
    }
    Ok(wait(timeout_ms, Reply::NullArray))
}

/// `LMPOP numkeys key [key ...] LEFT | RIGHT [COUNT count]`
pub(crate) fn lmpop(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let popped = MultiPop::parse(args, 1, side)?.run(txn, args)?;
    Ok(popped.unwrap_or(Reply::NullArray))
}

/// `BLMPOP timeout numkeys key [key ...] LEFT | RIGHT [COUNT count]`
pub(crate) fn blmpop(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let pop = MultiPop::parse(args, 2, side)?;
    let timeout_ms = args.timeout_ms(1)?;
    let popped = pop.run(txn, args)?;
    Ok(popped.unwrap_or_else(|| wait(timeout_ms, Reply::NullArray)))
}

impl MultiPop<Side> {
    /// Pops from the first list that exists.
    fn run(self, txn: &mut Txn<'_>, args: Args<'_>) -> Result<Option<Reply>, CommandError> {
        for position in self.keys {
            let key = args.get(position);
            if let Some(mut list) = List::open(txn, key)? {
                let popped = list.pop(self.end, self.count)?;
                finish_shorter(list, txn_event(key, pop_event(self.end)))?;
                let key = Reply::Bulk(args.bytes(position));
                return Ok(Some(Reply::Array(vec![key, elements(popped)])));
            }
        }
        Ok(None)
    }
}
