//! Commands that ask a sorted set about members and counts. Ranges are in `zset_range`.

use crate::commands::zset_range::{lex_range, score_range};
use crate::commands::{Args, Outcome, Reply};
use crate::store::Direction;
use crate::types::Txn;
use crate::types::zset::{SortedSet, rank};

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
    let Some(set) = SortedSet::open_ranked(txn, args.get(1))? else {
        return Ok(Reply::Integer(0));
    };
    Ok(Reply::count(rank::count_scores(&set, &range)?))
}

/// `ZLEXCOUNT key min max`
pub(crate) fn zlexcount(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let range = lex_range(&args.bytes(2), &args.bytes(3))?;
    let Some(set) = SortedSet::open_ranked(txn, args.get(1))? else {
        return Ok(Reply::Integer(0));
    };
    Ok(Reply::count(rank::count_members(&set, &range)?))
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
    let Some(set) = SortedSet::open_ranked(txn, args.get(1))? else {
        return Ok(Reply::Null);
    };
    let rank = rank::rank_of(&set, args.get(2), direction)?;
    Ok(rank.map_or(Reply::Null, Reply::count))
}
