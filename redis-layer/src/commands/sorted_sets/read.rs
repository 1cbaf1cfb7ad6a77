//! Commands that ask a sorted set about members and counts. Ranges are in [`range`](super::range).

use bytes::Bytes;

use crate::commands::args::random::Choice;
use crate::commands::args::scan::{self, ScanOptions};
use crate::commands::sorted_sets::range::{lex_range, score_range};
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::store::Direction;
use crate::types::Txn;
use crate::types::number::format_double;
use crate::types::zset::{Element, SortedSet, rank};

/// `ZSCORE key member`
pub(crate) fn zscore(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let Some(set) = SortedSet::open(txn, args.get(1))? else {
        return Ok(Reply::Null);
    };
    Ok(Reply::double_or_null(set.score(args.get(2))?))
}

/// `ZMSCORE key member [member ...]`
pub(crate) fn zmscore(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let set = SortedSet::open(txn, args.get(1))?;
    let mut scores = Vec::with_capacity(args.len() - 2);
    for member in args.from(2) {
        let score = match &set {
            Some(set) => set.score(member)?,
            None => None,
        };
        scores.push(Reply::double_or_null(score));
    }
    Ok(Reply::Array(scores))
}

/// `ZCARD key`
pub(crate) fn zcard(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let set = SortedSet::open(txn, args.get(1))?;
    Ok(Reply::count(set.map_or(0, |set| set.len())))
}

/// `ZCOUNT key min max`
pub(crate) fn zcount(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let range = score_range(args.get(2), args.get(3))?;
    let count = rank::ask(txn, args.get(1), |set| rank::count_scores(set, &range))?;
    Ok(Reply::count(count.unwrap_or(0)))
}

/// `ZLEXCOUNT key min max`
pub(crate) fn zlexcount(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let range = lex_range(&args.bytes(2), &args.bytes(3))?;
    let count = rank::ask(txn, args.get(1), |set| rank::count_members(set, &range))?;
    Ok(Reply::count(count.unwrap_or(0)))
}

/// `ZRANK key member`
pub(crate) fn zrank(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    rank_from(txn, args, Direction::Forward)
}

/// `ZREVRANK key member`
pub(crate) fn zrevrank(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    rank_from(txn, args, Direction::Backward)
}

fn rank_from(txn: &mut Txn<'_>, args: Args<'_>, direction: Direction) -> Outcome {
    let member = args.get(2);
    let rank = rank::ask(txn, args.get(1), |set| {
        rank::rank_of(set, member, direction)
    })?;
    Ok(rank.flatten().map_or(Reply::Null, Reply::count))
}

/// `ZRANDMEMBER key [count [WITHSCORES]]`
pub(crate) fn zrandmember(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let choice = if args.len() > 2 {
        Some(Choice::parse(args, 2)?)
    } else {
        None
    };
    let with_scores = args.len() == 4 && args.is(3, "WITHSCORES");
    if args.len() > 3 && !with_scores {
        return Err(CommandError::SYNTAX);
    }
    if let Some(choice) = choice {
        if with_scores {
            choice.check_doubled()?;
        }
        choice.check_length()?;
    }
    let elements = rank::ask(txn, args.get(1), |set| match choice {
        None => rank::random_different(set, 1),
        Some(Choice::Different(count)) => rank::random_different(set, count),
        Some(Choice::Repeating(count)) => rank::random_repeating(set, count),
    })?;
    let elements = elements.unwrap_or_default();
    Ok(match choice {
        None => Reply::bulk_or_null(elements.into_iter().next().map(|element| element.member)),
        // The pairs share the bytes of members that repeat.
        Some(Choice::Repeating(_)) if with_scores => {
            let pair =
                |element: Element| (Reply::Bulk(element.member), Reply::Double(element.score));
            Reply::Pairs(elements.into_iter().map(pair).collect())
        }
        Some(_) if with_scores => Reply::Scored(elements.into()),
        Some(_) => Reply::members(elements),
    })
}

/// A set of up to this many members is returned at once, as Redis does with its compact form.
const COMPACT: u64 = 128;

/// `ZSCAN key cursor [MATCH pattern] [COUNT count]`
pub(crate) fn zscan(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let from = scan::cursor(args, 2)?;
    let Some(set) = SortedSet::open(txn, args.get(1))? else {
        return Ok(scan::page(0, Vec::new()));
    };
    let options = ScanOptions::parse(args, 3, false)?;
    let extent = options.extent(set.len(), COMPACT);
    let is_compact = set.len() <= COMPACT;
    let mut found: Vec<(Bytes, f64)> = Vec::new();
    let next = set.visit_page(from, extent, |member, score| {
        if options.wants(member) {
            found.push((Bytes::copy_from_slice(member), score));
        }
    })?;
    if is_compact && from == 0 && next == 0 {
        // The compact form is in the order of the set. Members with one score are in their order already.
        found.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    }
    let pair = |(member, score)| [member, scanned_score(score, is_compact)].map(Reply::Bulk);
    Ok(scan::page(next, found.into_iter().flat_map(pair).collect()))
}

/// A score as `ZSCAN` shows it. The compact form of Redis keeps whole numbers as integers, which are shown with all
/// their digits.
fn scanned_score(score: f64, is_compact: bool) -> Bytes {
    const INTEGERS: f64 = 4_611_686_018_427_387_904.0;
    if is_compact && score.trunc() == score && score.abs() <= INTEGERS {
        // It is at most 2^62, so the conversion is exact.
        return (score as i64).to_string().into();
    }
    format_double(score)
}
