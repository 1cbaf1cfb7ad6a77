//! `ZRANGE` in all its forms, and the older commands that are special cases of it.
//!
//! One parser serves them all, as in Redis. The name of a command fixes some properties; options may choose the
//! others. The checks come in Redis's order: all options, then options that exclude each other, then the bounds, then
//! the key.

use std::ops::Bound;

use bytes::Bytes;

use crate::commands::sorted_sets::write::store;
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::store::Direction;
use crate::types::number::{c_text, parse_bound};
use crate::types::rows::Score;
use crate::types::zset::{
    Gather, LexBound, LexRange, Members, ScoreRange, SortedSet, Window, rank,
};
use crate::types::{self, Txn};

/// What the bounds of a range mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Rank,
    Score,
    Lex,
}

/// The properties of a range, from the options and the name of the command.
#[derive(Debug)]
struct RangeOptions {
    by: Option<By>,
    direction: Option<Direction>,
    with_scores: bool,
    offset: i64,
    limit: i64,
}

/// `ZRANGE key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]`
pub(crate) fn zrange(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    range(txn, args, None, None)
}

/// `ZRANGESTORE destination source start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count]`
pub(crate) fn zrangestore(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let options = RangeOptions::parse(args, 2, None, None)?;
    let members: Members = members_of(txn, args, 2, &options)?;
    let elements = members.into_elements();
    txn.count_reads();
    store(txn, args.get(1), &elements, "zrangestore")
}

/// `ZREVRANGE key start stop [WITHSCORES]`
pub(crate) fn zrevrange(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    range(txn, args, Some(By::Rank), Some(Direction::Backward))
}

/// `ZRANGEBYSCORE key min max [WITHSCORES] [LIMIT offset count]`
pub(crate) fn zrangebyscore(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    range(txn, args, Some(By::Score), Some(Direction::Forward))
}

/// `ZREVRANGEBYSCORE key max min [WITHSCORES] [LIMIT offset count]`
pub(crate) fn zrevrangebyscore(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    range(txn, args, Some(By::Score), Some(Direction::Backward))
}

/// `ZRANGEBYLEX key min max [LIMIT offset count]`
pub(crate) fn zrangebylex(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    range(txn, args, Some(By::Lex), Some(Direction::Forward))
}

/// `ZREVRANGEBYLEX key max min [LIMIT offset count]`
pub(crate) fn zrevrangebylex(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    range(txn, args, Some(By::Lex), Some(Direction::Backward))
}

impl RangeOptions {
    /// Reads the options after the bounds. If the key is at position 2 the result is stored, together with its
    /// scores.
    fn parse(
        args: Args<'_>,
        key_at: usize,
        by: Option<By>,
        direction: Option<Direction>,
    ) -> Result<Self, CommandError> {
        let mut options = Self {
            by,
            direction,
            with_scores: false,
            offset: 0,
            limit: -1,
        };
        let is_stored = key_at > 1;
        let mut position = key_at + 3;
        while position < args.len() {
            if !is_stored && args.is(position, "WITHSCORES") {
                options.with_scores = true;
            } else if args.is(position, "LIMIT") && position + 2 < args.len() {
                options.offset = args.integer(position + 1)?;
                options.limit = args.integer(position + 2)?;
                position += 2;
            } else if options.direction.is_none() && args.is(position, "REV") {
                options.direction = Some(Direction::Backward);
            } else if options.by.is_none() && args.is(position, "BYLEX") {
                options.by = Some(By::Lex);
            } else if options.by.is_none() && args.is(position, "BYSCORE") {
                options.by = Some(By::Score);
            } else {
                return Err(CommandError::SYNTAX);
            }
            position += 1;
        }
        Ok(options)
    }

    /// A negative offset skips everything; a negative limit means no limit.
    fn window(&self) -> Window {
        match u64::try_from(self.offset) {
            Ok(offset) => Window {
                offset,
                limit: u64::try_from(self.limit).unwrap_or(u64::MAX),
            },
            Err(_) => Window::first(0),
        }
    }
}

fn range(
    txn: &mut Txn<'_>,
    args: Args<'_>,
    by: Option<By>,
    direction: Option<Direction>,
) -> Outcome {
    let options = RangeOptions::parse(args, 1, by, direction)?;
    Ok(if options.with_scores {
        Reply::Scored(members_of(txn, args, 1, &options)?)
    } else {
        Reply::Strings(members_of(txn, args, 1, &options)?)
    })
}

/// The members of a range. `key_at` is the position of the key.
fn members_of<M: Gather>(
    txn: &mut Txn<'_>,
    args: Args<'_>,
    key_at: usize,
    options: &RangeOptions,
) -> Result<M, CommandError> {
    let by = options.by.unwrap_or(By::Rank);
    let direction = options.direction.unwrap_or(Direction::Forward);
    if options.limit != -1 && by == By::Rank {
        return Err(CommandError::fixed(
            "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX",
        ));
    }
    if options.with_scores && by == By::Lex {
        return Err(CommandError::fixed(
            "ERR syntax error, WITHSCORES not supported in combination with BYLEX",
        ));
    }
    // In backward direction, the upper end of a range of scores or members is given first.
    let (min, max) = match (direction, by) {
        (Direction::Backward, By::Score | By::Lex) => (key_at + 2, key_at + 1),
        _ => (key_at + 1, key_at + 2),
    };
    let key = args.get(key_at);
    let members = match by {
        By::Rank => {
            let (start, stop) = (args.integer(min)?, args.integer(max)?);
            // Near an end the walk is short and needs no index.
            let is_far = |rank: i64| rank.unsigned_abs() > rank::WALKED;
            members_in(txn, key, is_far(start) && is_far(stop), |set| {
                by_rank(set, start, stop, direction)
            })
        }
        By::Score => {
            let range = score_range(args.get(min), args.get(max))?;
            let window = options.window();
            members_in(txn, key, window.offset > rank::WALKED, |set| {
                set.by_score(&range, direction, window)
            })
        }
        By::Lex => {
            let range = lex_range(&args.bytes(min), &args.bytes(max))?;
            members_in(txn, key, false, |set| {
                set.by_lex(&range, direction, options.window())
            })
        }
    };
    Ok(members?)
}

/// Some members of the set under a key. The set is opened with its rank index if that is worth it.
fn members_in<M: Gather>(
    txn: &mut Txn<'_>,
    key: &[u8],
    is_ranked: bool,
    choose: impl Fn(&SortedSet<'_, '_>) -> types::Result<M>,
) -> types::Result<M> {
    let members = if is_ranked {
        rank::ask(txn, key, choose)?
    } else {
        let set = SortedSet::open(txn, key)?;
        set.map(|set| choose(&set)).transpose()?
    };
    Ok(members.unwrap_or_default())
}

/// The elements from one rank to another, both included. Negative ranks count from the end.
fn by_rank<M: Gather>(
    set: &SortedSet<'_, '_>,
    start: i64,
    stop: i64,
    direction: Direction,
) -> types::Result<M> {
    match rank_window(set.len(), start, stop) {
        Some((first, count)) => rank::select(set, first, count, direction),
        None => Ok(M::default()),
    }
}

/// The first rank, and how many elements there are from one rank to another in a set of `size`. `None` if there are
/// none.
pub(crate) fn rank_window(size: u64, start: i64, stop: i64) -> Option<(u64, u64)> {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    let from_end = |rank: i64| {
        if rank < 0 {
            rank.saturating_add(size)
        } else {
            rank
        }
    };
    let start = from_end(start).max(0);
    let stop = from_end(stop).min(size - 1);
    (start <= stop).then(|| (start.unsigned_abs(), (stop - start + 1).unsigned_abs()))
}

/// A range of scores from its two arguments.
pub(crate) fn score_range(min: &[u8], max: &[u8]) -> Result<ScoreRange, CommandError> {
    Ok(ScoreRange {
        min: score_bound(min)?,
        max: score_bound(max)?,
    })
}

fn score_bound(text: &[u8]) -> Result<Bound<Score>, CommandError> {
    let (number, is_open) = match text.strip_prefix(b"(") {
        Some(number) => (number, true),
        None => (text, false),
    };
    let value = parse_bound(number).ok_or(CommandError::SCORE_RANGE)?;
    let score = Score::new(value).map_err(|_| CommandError::SCORE_RANGE)?;
    Ok(if is_open {
        Bound::Excluded(score)
    } else {
        Bound::Included(score)
    })
}

/// A range of members from its two arguments.
pub(crate) fn lex_range(min: &Bytes, max: &Bytes) -> Result<LexRange, CommandError> {
    Ok(LexRange {
        min: lex_bound(min)?,
        max: lex_bound(max)?,
    })
}

fn lex_bound(text: &Bytes) -> Result<LexBound, CommandError> {
    match text.first() {
        Some(b'-') if c_text(text).len() == 1 => Ok(LexBound::Least),
        Some(b'+') if c_text(text).len() == 1 => Ok(LexBound::Greatest),
        Some(b'[') => Ok(LexBound::Included(text.slice(1..))),
        Some(b'(') => Ok(LexBound::Excluded(text.slice(1..))),
        _ => Err(CommandError::LEX_RANGE),
    }
}
