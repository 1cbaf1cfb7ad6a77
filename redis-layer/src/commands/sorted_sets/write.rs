//! `ZADD` and commands built on it. Other commands store their results through this module, too.

use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::zset::{AddRule, Added, Element, SortedSet};
use crate::types::{self, Class, Txn};

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

/// The options of a `ZADD`, and the position of the first score.
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
    let element = |position| Ok((args.double(position)?, args.get(position + 1)));
    let positions = (options.first_score..args.len()).step_by(2);
    // A single element is usual, and needs no vector.
    let tally = if positions.len() == 1 {
        add_all(txn, args.get(1), &[element(options.first_score)?], rule)?
    } else {
        let elements: Result<Vec<(f64, &[u8])>, CommandError> = positions.map(element).collect();
        add_all(txn, args.get(1), &elements?, rule)?
    };
    if rule.increment {
        return Ok(Reply::double_or_null(tally.sum));
    }
    Ok(Reply::count(if options.count_changed {
        tally.added + tally.changed
    } else {
        tally.added
    }))
}

/// What happened to several elements.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) added: u64,
    pub(crate) changed: u64,
    /// The last score that the rule allowed.
    sum: Option<f64>,
}

/// Adds scores with their members to the set under a key, as the rule says.
pub(crate) fn add_all(
    txn: &mut Txn<'_>,
    key: &[u8],
    elements: &[(f64, &[u8])],
    rule: AddRule,
) -> types::Result<Tally> {
    let mut tally = Tally::default();
    let set = if rule.only_existing {
        SortedSet::open(txn, key)?
    } else {
        Some(SortedSet::open_or_create(txn, key)?)
    };
    let Some(mut set) = set else {
        return Ok(tally);
    };
    for &(score, member) in elements {
        match set.add(member, score, rule)? {
            Added::New(score) => {
                tally.added += 1;
                tally.sum = Some(score);
            }
            Added::Changed(score) => {
                tally.changed += 1;
                tally.sum = Some(score);
            }
            Added::Same(score) => tally.sum = Some(score),
            Added::Refused => {}
        }
    }
    if tally.added + tally.changed > 0 {
        set.finish()?;
        let event = if rule.increment { "zincr" } else { "zadd" };
        txn.event(Class::SortedSet, event, key);
    }
    Ok(tally)
}

/// Stores the result of a command under a key, in place of what was there, and answers its size.
pub(crate) fn store(
    txn: &mut Txn<'_>,
    key: &[u8],
    elements: &[Element],
    event: &'static str,
) -> Outcome {
    let existed = SortedSet::replace(txn, key, elements)?;
    if !elements.is_empty() {
        txn.event(Class::SortedSet, event, key);
    } else if existed {
        txn.event(Class::Generic, "del", key);
    }
    Ok(Reply::count(elements.len() as u64))
}
