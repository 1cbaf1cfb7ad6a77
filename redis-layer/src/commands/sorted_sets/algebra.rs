//! `ZUNION`, `ZINTER` and `ZDIFF`, alone and with `STORE`, and `ZINTERCARD`.

use crate::commands::sorted_sets::write::store;
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::Txn;
use crate::types::number::{parse_double, parse_integer};
use crate::types::zset::Element;
use crate::types::zset::algebra::{Aggregate, Source, Weighted, difference, intersection, union};

/// What is computed from several sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Union,
    Intersection,
    Difference,
    /// Only the size of the intersection.
    Size,
}

/// The arguments of such a command, with its sets opened.
#[derive(Debug)]
struct Question {
    operation: Operation,
    sets: Vec<Weighted>,
    aggregate: Aggregate,
    with_scores: bool,
    limit: u64,
}

/// `ZUNION numkeys key [key ...] [WEIGHTS ...] [AGGREGATE SUM | MIN | MAX] [WITHSCORES]`
pub(crate) fn zunion(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    answer(txn, args, Operation::Union)
}

/// `ZINTER numkeys key [key ...] [WEIGHTS ...] [AGGREGATE SUM | MIN | MAX] [WITHSCORES]`
pub(crate) fn zinter(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    answer(txn, args, Operation::Intersection)
}

/// `ZDIFF numkeys key [key ...] [WITHSCORES]`
pub(crate) fn zdiff(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    answer(txn, args, Operation::Difference)
}

/// `ZUNIONSTORE destination numkeys key [key ...] [WEIGHTS ...] [AGGREGATE ...]`
pub(crate) fn zunionstore(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    answer_into(txn, args, Operation::Union, "zunionstore")
}

/// `ZINTERSTORE destination numkeys key [key ...] [WEIGHTS ...] [AGGREGATE ...]`
pub(crate) fn zinterstore(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    answer_into(txn, args, Operation::Intersection, "zinterstore")
}

/// `ZDIFFSTORE destination numkeys key [key ...]`
pub(crate) fn zdiffstore(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    answer_into(txn, args, Operation::Difference, "zdiffstore")
}

/// `ZINTERCARD numkeys key [key ...] [LIMIT limit]`
pub(crate) fn zintercard(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let found = Question::parse(txn, args, 1, Operation::Size)?.ask(txn)?;
    Ok(Reply::count(found.len() as u64))
}

fn answer(txn: &Txn<'_>, args: Args<'_>, operation: Operation) -> Outcome {
    let question = Question::parse(txn, args, 1, operation)?;
    let elements = question.ask(txn)?;
    Ok(if question.with_scores {
        Reply::Scored(elements.into())
    } else {
        Reply::members(elements)
    })
}

fn answer_into(
    txn: &mut Txn<'_>,
    args: Args<'_>,
    operation: Operation,
    event: &'static str,
) -> Outcome {
    let question = Question::parse(txn, args, 2, operation);
    let elements = question.and_then(|question| question.ask(txn));
    txn.count_reads();
    store(txn, args.get(1), &elements?, event)
}

impl Question {
    /// Reads the arguments from the number of keys on. The checks come in Redis's order: the sets are opened before
    /// the options are read.
    fn parse(
        txn: &Txn<'_>,
        args: Args<'_>,
        numkeys_at: usize,
        operation: Operation,
    ) -> Result<Self, CommandError> {
        let keys = args.integer(numkeys_at)?;
        if keys < 1 {
            let name = args.spec.full_name.as_bytes();
            return Err(CommandError::quoting(&[
                b"ERR at least 1 input key is needed for '",
                name,
                b"' command",
            ]));
        }
        let first_key = numkeys_at + 1;
        let keys = usize::try_from(keys).unwrap_or(usize::MAX);
        if keys > args.len() - first_key {
            return Err(CommandError::SYNTAX);
        }
        let sets = args.from(first_key)[..keys].iter().map(|key| {
            let source = Source::open(txn, key)?;
            let weight = 1.0;
            Ok(Weighted { source, weight })
        });
        let mut question = Self {
            operation,
            sets: sets.collect::<Result<_, CommandError>>()?,
            aggregate: Aggregate::default(),
            with_scores: false,
            limit: u64::MAX,
        };
        question.parse_options(args, first_key + keys, numkeys_at > 1)?;
        Ok(question)
    }

    fn parse_options(
        &mut self,
        args: Args<'_>,
        mut position: usize,
        is_stored: bool,
    ) -> Result<(), CommandError> {
        let takes_weights = matches!(self.operation, Operation::Union | Operation::Intersection);
        let takes_scores = !is_stored && self.operation != Operation::Size;
        while position < args.len() {
            let left = args.len() - position;
            if takes_weights && left > self.sets.len() && args.is(position, "WEIGHTS") {
                for set in &mut self.sets {
                    position += 1;
                    set.weight = parse_double(args.get(position))
                        .ok_or(CommandError::fixed("ERR weight value is not a float"))?;
                }
            } else if takes_weights && left >= 2 && args.is(position, "AGGREGATE") {
                position += 1;
                self.aggregate = if args.is(position, "SUM") {
                    Aggregate::Sum
                } else if args.is(position, "MIN") {
                    Aggregate::Min
                } else if args.is(position, "MAX") {
                    Aggregate::Max
                } else {
                    return Err(CommandError::SYNTAX);
                };
            } else if takes_scores && args.is(position, "WITHSCORES") {
                self.with_scores = true;
            } else if self.operation == Operation::Size && left >= 2 && args.is(position, "LIMIT") {
                position += 1;
                let limit = parse_integer(args.get(position));
                let limit = limit.and_then(|limit| u64::try_from(limit).ok());
                let limit = limit.ok_or(CommandError::fixed("ERR LIMIT can't be negative"))?;
                // 0 means no limit.
                self.limit = if limit == 0 { u64::MAX } else { limit };
            } else {
                return Err(CommandError::SYNTAX);
            }
            position += 1;
        }
        Ok(())
    }

    fn ask(&self, txn: &Txn<'_>) -> Result<Vec<Element>, CommandError> {
        Ok(match self.operation {
            Operation::Union => union(txn, &self.sets, self.aggregate)?,
            Operation::Intersection | Operation::Size => {
                intersection(txn, &self.sets, self.aggregate, self.limit)?
            }
            Operation::Difference => difference(txn, &self.sets)?,
        })
    }
}
