//! Commands that change sorted sets.

use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::store::Direction;
use crate::types::Txn;
use crate::types::number::parse_integer;
use crate::types::zset::{AddRule, Added, SortedSet};

/// `ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]`
pub(crate) fn zadd(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    add(txn, args, AddRule::default())
}

/// `ZINCRBY key increment member`: a `ZADD` with `INCR`.
pub(crate) fn zincrby(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let increment = AddRule {
        increment: true,
        ..AddRule::default()
    };
    add(txn, args, increment)
}

/// The options of a `ZADD`, and where its first score stands.
#[derive(Debug)]
struct AddOptions {
    rule: AddRule,
    count_changed: bool,
    first_score: usize,
}

impl AddOptions {
    fn parse(args: Args<'_>, rule: AddRule) -> Result<Self, CommandError> {
        let mut options = Self {
            rule,
            count_changed: false,
            first_score: 2,
        };
        while options.first_score < args.len() {
            let position = options.first_score;
            let flag = if args.is(position, "NX") {
                &mut options.rule.only_new
            } else if args.is(position, "XX") {
                &mut options.rule.only_existing
            } else if args.is(position, "CH") {
                &mut options.count_changed
            } else if args.is(position, "INCR") {
                &mut options.rule.increment
            } else if args.is(position, "GT") {
                &mut options.rule.only_greater
            } else if args.is(position, "LT") {
                &mut options.rule.only_less
            } else {
                break;
            };
            *flag = true;
            options.first_score += 1;
        }
        options.check(args)?;
        Ok(options)
    }

    fn check(&self, args: Args<'_>) -> Result<(), CommandError> {
        let left = args.len() - self.first_score;
        if left == 0 || !left.is_multiple_of(2) {
            return Err(CommandError::SYNTAX);
        }
        let rule = self.rule;
        if rule.only_new && rule.only_existing {
            return Err(CommandError::fixed(
                "ERR XX and NX options at the same time are not compatible",
            ));
        }
        let exclusive = [rule.only_new, rule.only_greater, rule.only_less];
        if exclusive.into_iter().filter(|&set| set).count() > 1 {
            return Err(CommandError::fixed(
                "ERR GT, LT, and/or NX options at the same time are not compatible",
            ));
        }
        if rule.increment && left > 2 {
            return Err(CommandError::fixed(
                "ERR INCR option supports a single increment-element pair",
            ));
        }
        Ok(())
    }
}

fn add(txn: &mut Txn<'_>, args: Args<'_>, rule: AddRule) -> Outcome {
    let options = AddOptions::parse(args, rule)?;
    let rule = options.rule;
    let positions = (options.first_score..args.len()).step_by(2);
    let scores = positions
        .clone()
        .map(|position| args.double(position))
        .collect::<Result<Vec<f64>, _>>()?;
    let key = args.get(1);
    let set = if rule.only_existing {
        SortedSet::open(txn, key)?
    } else {
        Some(SortedSet::open_or_create(txn, key)?)
    };
    let Some(mut set) = set else {
        return Ok(if rule.increment {
            Reply::Null
        } else {
            Reply::Integer(0)
        });
    };
    let (mut added, mut changed, mut sum) = (0, 0, None);
    for (position, score) in positions.zip(scores) {
        match set.add(args.get(position + 1), score, rule)? {
            Added::New(score) => {
                added += 1;
                sum = Some(score);
            }
            Added::Changed(score) => {
                changed += 1;
                sum = Some(score);
            }
            Added::Same(score) => sum = Some(score),
            Added::Refused => {}
        }
    }
    if added + changed > 0 {
        set.finish()?;
    }
    if rule.increment {
        return Ok(Reply::double_or_null(sum));
    }
    Ok(Reply::count(if options.count_changed {
        added + changed
    } else {
        added
    }))
}

/// `ZREM key member [member ...]`
pub(crate) fn zrem(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let Some(mut set) = SortedSet::open(txn, args.get(1))? else {
        return Ok(Reply::Integer(0));
    };
    let mut removed = 0;
    for member in args.from(2) {
        removed += u64::from(set.remove(member)?);
    }
    if removed > 0 {
        set.finish()?;
    }
    Ok(Reply::count(removed))
}

/// `ZPOPMIN key [count]`
pub(crate) fn zpopmin(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    pop(txn, args, Direction::Forward)
}

/// `ZPOPMAX key [count]`
pub(crate) fn zpopmax(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    pop(txn, args, Direction::Backward)
}

fn pop(txn: &mut Txn<'_>, args: Args<'_>, direction: Direction) -> Outcome {
    if args.len() > 3 {
        return Err(CommandError::SYNTAX);
    }
    let count = match args.len() {
        2 => None,
        _ => {
            let count = parse_integer(args.get(2)).and_then(|count| u64::try_from(count).ok());
            Some(count.ok_or(CommandError::NOT_POSITIVE)?)
        }
    };
    let Some(mut set) = SortedSet::open(txn, args.get(1))? else {
        return Ok(Reply::Array(Vec::new()));
    };
    let popped = set.pop(count.unwrap_or(1), direction)?;
    if !popped.is_empty() {
        set.finish()?;
    }
    if count.is_some() {
        return Ok(Reply::Scored(popped));
    }
    // Without a count the pair stands alone, in both protocols.
    let pair = popped
        .into_iter()
        .flat_map(|element| [Reply::Bulk(element.member), Reply::Double(element.score)]);
    Ok(Reply::Array(pair.collect()))
}
