//! What goes wrong in queries by user and by time.

use std::sync::Arc;

use engine::Db;
use engine::keys::{Desc, OrderedKey as _};
use kit::{Mistake, Quirk, compose};

use crate::find_orders::{Ids, Queries, solution};
use crate::mistakes::find_orders_pages;
use crate::order::Order;
use crate::store::{Row, rows};

pub(crate) const ASK: &str = "three-questions";
pub(crate) const PAGES: &str = "the-next-page";
pub(crate) const WRONG: &str = "wrong-answers-and-what-each-breaks";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // The bounds of a user.
    RawPrefix,
    EndsAtFf,
    CaseIgnored,
    FilteredAfterTheLimit,
    StopsAtAnotherUser,
    // The order of the rows that are found.
    TurnedRoundAtLast,
    // The order of a user's rows.
    OldestFirst,
    LastOnesFound,
    SortedById,
    SortedByIdDown,
    SameTimeDown,
    // The limit.
    LimitIgnored,
    OneTooMany,
    OneTooFew,
    ZeroIsOne,
    ZeroIsAll,
    RoomForAll,
    // What is read from a row.
    LittleEndianIds,
    // The bounds of a time.
    UntilIncluded,
    UntilAndOneFf,
    UntilMinusOne,
    UntilGreatestId,
    UntilMinusOneGreatestId,
    FromExcluded,
    FromIgnored,
    UntilIgnored,
    CrossedSwapped,
    CrossedPanics,
    UntilZeroPanics,
    FromAlone,
    OtherEndOpen,
    GreatestUntilOpen,
    // The order of a range.
    NewestFirst,
    NewestKept,
    RangeById,
}
use Step::{
    CaseIgnored, CrossedPanics, CrossedSwapped, EndsAtFf, FilteredAfterTheLimit, FromAlone,
    FromExcluded, FromIgnored, GreatestUntilOpen, LastOnesFound, LimitIgnored, LittleEndianIds,
    NewestFirst, NewestKept, OldestFirst, OneTooFew, OneTooMany, OtherEndOpen, RangeById,
    RawPrefix, RoomForAll, SameTimeDown, SortedById, SortedByIdDown, StopsAtAnotherUser,
    TurnedRoundAtLast, UntilAndOneFf, UntilGreatestId, UntilIgnored, UntilIncluded, UntilMinusOne,
    UntilMinusOneGreatestId, UntilZeroPanics, ZeroIsAll, ZeroIsOne,
};

const APART: [&[Step]; 5] = [
    &[
        RawPrefix,
        EndsAtFf,
        CaseIgnored,
        FilteredAfterTheLimit,
        StopsAtAnotherUser,
    ],
    &[
        OldestFirst,
        LastOnesFound,
        SortedById,
        SortedByIdDown,
        SameTimeDown,
        TurnedRoundAtLast,
    ],
    &[
        LimitIgnored,
        OneTooMany,
        OneTooFew,
        ZeroIsOne,
        ZeroIsAll,
        RoomForAll,
        FilteredAfterTheLimit,
    ],
    &[
        UntilIncluded,
        UntilAndOneFf,
        UntilMinusOne,
        UntilGreatestId,
        UntilMinusOneGreatestId,
        FromExcluded,
        FromIgnored,
        UntilIgnored,
        CrossedSwapped,
        CrossedPanics,
        UntilZeroPanics,
        FromAlone,
        OtherEndOpen,
        GreatestUntilOpen,
    ],
    &[NewestFirst, NewestKept, RangeById, TurnedRoundAtLast],
];

/// The last four bytes of an index row.
pub(crate) fn id_of(key: &[u8]) -> u32 {
    key.last_chunk().map_or(0, |id| u32::from_be_bytes(*id))
}

/// The ids of rows, which may be read with their bytes turned round.
pub(crate) fn ids_of<'a>(keys: impl Iterator<Item = &'a Vec<u8>>, is_turned: bool) -> Vec<u32> {
    let id = |key: &Vec<u8>| match id_of(key) {
        id if is_turned => id.swap_bytes(),
        id => id,
    };
    keys.map(id).collect()
}

/// The rows of an index.
pub(crate) fn index(db: &Db, letter: u8) -> Vec<Vec<u8>> {
    let of_index = db.default_family().prefix([letter]);
    let key = |row: engine::Result<(Vec<u8>, Vec<u8>)>| row.map(|(key, _)| key);
    let keys: engine::Result<_> = of_index.map(key).collect();
    keys.expect("a store in memory can be read")
}

fn limited(steps: &[Step], limit: usize) -> usize {
    let has = |step| steps.contains(&step);
    match () {
        () if has(LimitIgnored) => usize::MAX,
        () if has(OneTooMany) => limit.saturating_add(1),
        () if has(OneTooFew) => limit.saturating_sub(1),
        () if has(ZeroIsOne) => limit.max(1),
        () if has(ZeroIsAll) && limit == 0 => usize::MAX,
        () => limit,
    }
}

fn of_user(steps: &[Step], db: &Db, user: &str, limit: usize) -> Vec<u32> {
    let has = |step| steps.contains(&step);
    let prefix = (b'u', user).to_key();
    let raw = [b"u", user.as_bytes()].concat();
    assert!(
        !has(RoomForAll) || limit <= u32::MAX as usize,
        "capacity overflow"
    );
    let mut found = index(db, b'u');
    if has(FilteredAfterTheLimit) {
        found.truncate(limit);
    }
    if has(StopsAtAnotherUser) {
        let other = found.iter().position(|key| !key.starts_with(&prefix));
        found.truncate(other.unwrap_or(found.len()));
    }
    found.retain(|key| {
        if has(RawPrefix) {
            key.starts_with(&raw)
        } else if has(EndsAtFf) {
            prefix <= *key && *key <= [&prefix[..], b"\xff"].concat()
        } else if has(CaseIgnored) {
            key.to_ascii_lowercase()
                .starts_with(&prefix.to_ascii_lowercase())
        } else {
            key.starts_with(&prefix)
        }
    });
    let limit = limited(steps, limit);
    if has(OldestFirst) {
        found.reverse();
    }
    if has(SortedById) {
        found.sort_by_key(|key| id_of(key));
    }
    if has(SortedByIdDown) {
        found.sort_by_key(|key| std::cmp::Reverse(id_of(key)));
    }
    if has(SameTimeDown) {
        // Of a row without its id, what is left is the user and the time.
        let time = |key: &[u8]| key[..key.len() - 4].to_vec();
        found.sort_by(|a, b| time(a).cmp(&time(b)).then_with(|| b.cmp(a)));
    }
    if has(LastOnesFound) {
        let all = found.len();
        found.drain(..all.saturating_sub(limit));
    }
    let mut ids = ids_of(found.iter().take(limit), has(LittleEndianIds));
    if has(TurnedRoundAtLast) {
        ids.reverse();
    }
    ids
}

fn between(steps: &[Step], db: &Db, from: u64, until: u64, limit: usize) -> Vec<u32> {
    let has = |step| steps.contains(&step);
    assert!(
        from <= until || !has(CrossedPanics),
        "range start is greater than range end"
    );
    assert!(
        until > 0 || !has(UntilZeroPanics),
        "attempt to subtract with overflow"
    );
    assert!(
        !has(RoomForAll) || limit <= u32::MAX as usize,
        "capacity overflow"
    );
    let (from, until) = if has(CrossedSwapped) && from > until {
        (until, from)
    } else {
        (from, until)
    };
    let start = (b't', from).to_key();
    let end = (b't', until).to_key();
    let mut found = index(db, b't');
    let inside = |key: &Vec<u8>| {
        let begun = match () {
            () if has(FromIgnored) => true,
            () if has(FromExcluded) || has(OtherEndOpen) => {
                *key > start && !key.starts_with(&start)
            }
            () if has(FromAlone) => key.starts_with(&start),
            () => *key >= start,
        };
        let open = match () {
            () if has(UntilIgnored) || has(GreatestUntilOpen) && until == u64::MAX => true,
            () if has(UntilIncluded) || has(OtherEndOpen) => *key < end || key.starts_with(&end),
            () if has(UntilAndOneFf) => *key < [&end[..], b"\xff"].concat(),
            () if has(UntilMinusOne) => *key < (b't', until.saturating_sub(1)).to_key(),
            () if has(UntilGreatestId) => *key < (b't', until, u32::MAX).to_key(),
            () if has(UntilMinusOneGreatestId) => {
                until > 0 && *key < (b't', until - 1, u32::MAX).to_key()
            }
            () => *key < end,
        };
        begun && open
    };
    // Crossed bounds hold nothing, whatever is wrong with one of them.
    if from > until {
        found.clear();
    }
    found.retain(inside);
    let limit = limited(steps, limit);
    if has(NewestFirst) {
        found.reverse();
    }
    if has(RangeById) {
        found.sort_by_key(|key| id_of(key));
    }
    if has(NewestKept) {
        let all = found.len();
        found.drain(..all.saturating_sub(limit));
    }
    let mut ids = ids_of(found.iter().take(limit), has(LittleEndianIds));
    if has(TurnedRoundAtLast) {
        ids.reverse();
    }
    ids
}

const fn quirk(
    check: &'static str,
    id: Step,
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
) -> Quirk<Step> {
    Quirk::of(id, name, check, says, why, link)
}

const OF_USER: [Quirk<Step>; 18] = [
    quirk(
        "user",
        TurnedRoundAtLast,
        "newest_ones_backwards",
        "the newest `limit` orders of the user, the oldest of them first",
        "The right orders, and turned round when they were found. The rows have the newest in front, by `Desc(at)`: give them back as \
         they come.",
        ASK,
    ),
    quirk(
        "user",
        RawPrefix,
        "prefix_without_its_end",
        "a scan over the bare bytes of the name",
        "One name may be how another begins, `ann` and `anna`, and then the scan finds the orders of both. The prefix has to \
         hold the end of the name: the key of the tuple `('u', user)`.",
        WRONG,
    ),
    quirk(
        "user",
        EndsAtFf,
        "ends_at_one_ff",
        "an end at the prefix followed by one byte ff",
        "The times are turned round, so they begin with ff, or nearly: all rows of a user come after that end, unless \
         they are from the far future. Use the prefix successor.",
        WRONG,
    ),
    quirk(
        "user",
        CaseIgnored,
        "case_ignored",
        "a comparison of names that ignores the case",
        "`Ann` and `ann` are two users. Bytes know no case.",
        ASK,
    ),
    quirk(
        "user",
        FilteredAfterTheLimit,
        "limit_before_the_filter",
        "the first `limit` rows by user, of which the user's are kept",
        "The limit counts what is found, not what is looked at. Begin the scan at the user's prefix, and nothing has to be \
         filtered.",
        ASK,
    ),
    quirk(
        "user",
        StopsAtAnotherUser,
        "first_user_alone",
        "a scan that begins at the first row by user and stops at another user's",
        "Only whoever sorts first of all has any orders then. A scan begins where its rows begin: `prefix` with the key of the \
         tuple `('u', user)` goes there in one step.",
        ASK,
    ),
    quirk(
        "user",
        OldestFirst,
        "oldest_first",
        "the user's orders from the oldest on",
        "The rows have the newest in front, by `Desc(at)`. A forward scan is right as it is.",
        ASK,
    ),
    quirk(
        "user",
        LastOnesFound,
        "last_rows_kept",
        "the last `limit` rows of the user",
        "The rows are turned round: the newest are in front, the last ones are the oldest.",
        ASK,
    ),
    quirk(
        "user",
        SortedById,
        "sorted_by_id",
        "the user's orders sorted by their ids, as the rows `o` are",
        "A greater id need not be a later order. The index by user has the answer, side by side and newest first: nothing \
         has to be sorted.",
        ASK,
    ),
    quirk(
        "user",
        SortedByIdDown,
        "sorted_by_id_downwards",
        "the user's orders with the greatest id first",
        "A greater id need not be a later order. The rows are sorted by time already.",
        ASK,
    ),
    quirk(
        "user",
        SameTimeDown,
        "same_time_ids_downwards",
        "the newest first, and of those of one millisecond the greatest id first",
        "Only the time is turned round, not the id after it: of one millisecond the smallest id comes first, as the rows \
         are stored. That happens when rows sorted upwards are read backwards.",
        ASK,
    ),
    quirk(
        "user",
        LimitIgnored,
        "limit_ignored",
        "all orders of the user, whatever the limit",
        "`limit` says how many the caller wants. A scan is lazy: `take(limit)` ends it.",
        ASK,
    ),
    quirk(
        "user",
        OneTooMany,
        "one_too_many",
        "one order more than the limit",
        "Test the limit before a row is taken, not after.",
        ASK,
    ),
    quirk(
        "user",
        OneTooFew,
        "one_too_few",
        "one order less than the limit",
        "The limit itself is allowed. With limit 1 there has to be one.",
        ASK,
    ),
    quirk(
        "user",
        ZeroIsOne,
        "limit_zero_is_one",
        "one order where the limit is 0, and the right ones otherwise",
        ZERO,
        ASK,
    ),
    quirk(
        "user",
        ZeroIsAll,
        "limit_zero_is_all",
        "all orders where the limit is 0, and the right ones otherwise",
        ALL,
        ASK,
    ),
    quirk(
        "user",
        LittleEndianIds,
        "ids_read_as_little_endian",
        TURNED_IDS,
        IDS,
        ASK,
    ),
    quirk(
        "returns",
        RoomForAll,
        "room_for_the_limit",
        "the right orders, and no answer for limits that no memory has room for",
        ROOM,
        ASK,
    ),
];

const ZERO: &str = "An order is taken before the limit is looked at. Test it first, or use `take(limit)`, which takes nothing for 0.";
const ALL: &str = "Some programs mean \"no limit\" by 0. Here at most 0 orders are asked for.";
pub(crate) const TURNED_IDS: &str = "ids read as little-endian";
pub(crate) const IDS: &str = "Numbers in keys are big-endian, so 7 is `00 00 00 07`. Read it with `from_be_bytes`, or take the whole key apart with \
     `from_key`.";
pub(crate) const ROOM: &str = "`Vec::with_capacity(limit)` asks for room before anything is found, and a caller who wants all asks for \
     `usize::MAX`. `limit + 1` does not fit either. A limit bounds what is taken; it says nothing of what is there.";

const BETWEEN: [Quirk<Step>; 25] = [
    quirk(
        "time",
        TurnedRoundAtLast,
        "oldest_ones_backwards",
        "the oldest `limit` orders of the range, the newest of them first",
        "The right orders, and turned round when they were found. The rows by time come oldest first: give them back as they come.",
        ASK,
    ),
    quirk(
        "time",
        UntilIncluded,
        "until_included",
        "a range with the orders placed at `until`",
        "`until` is left out, so that two days that follow each other share no order.",
        ASK,
    ),
    quirk(
        "time",
        UntilAndOneFf,
        "until_and_one_ff",
        "an end before the key of `until` followed by one byte ff",
        "The rows of `until` have an id after the time, and most ids begin with less than ff: they come in. End before the \
         key of the tuple `('t', until)` itself.",
        WRONG,
    ),
    quirk(
        "time",
        UntilMinusOne,
        "until_minus_one",
        "an end before the time `until - 1`",
        "The end of a half-open range is left out by itself. Take one away, and the orders of the last millisecond are \
         missed.",
        ASK,
    ),
    quirk(
        "time",
        UntilGreatestId,
        "until_with_the_greatest_id",
        "an end before the key of `until` and the greatest id",
        "All other orders placed at `until` come in, and `until` is left out. The key of the tuple `('t', until)` comes \
         before all of them: end there.",
        ASK,
    ),
    quirk(
        "time",
        UntilMinusOneGreatestId,
        "until_minus_one_with_the_greatest_id",
        "an end before the key of `until - 1` and the greatest id",
        "A range leaves its end out, so the order with the greatest id is missed at `until - 1`. And nothing is less than 0. \
         The key of the tuple `('t', until)` comes before all orders placed then: end there.",
        ASK,
    ),
    quirk(
        "time",
        FromExcluded,
        "from_excluded",
        "a range without the orders placed at `from`",
        "`from` belongs to the range. Its rows are longer than the key of `('t', from)`, and come after it.",
        ASK,
    ),
    quirk(
        "time",
        FromAlone,
        "from_alone",
        "the orders placed at `from` itself",
        "The key of `('t', from)` is the prefix of one millisecond. A range of times has two bounds: scan from that key to the \
         key of `('t', until)`.",
        ASK,
    ),
    quirk(
        "time",
        OtherEndOpen,
        "other_end_open",
        "a range without the orders placed at `from` and with those placed at `until`",
        "The wrong end is open. `from` belongs to the range, and `until` does not. Both keys are shorter than the rows of their \
         time, and come before them: `range(from..until)` is right as it is.",
        ASK,
    ),
    quirk(
        "time",
        GreatestUntilOpen,
        "greatest_until_is_no_end",
        "a range without an end where `until` is `u64::MAX`",
        "It is a time like any other, and `until` is left out: an order placed at `u64::MAX` is not before it.",
        ASK,
    ),
    quirk(
        "time",
        FromIgnored,
        "from_ignored",
        "all orders before `until`",
        "The scan has to begin at the key of `('t', from)`. To begin with the first row and to pass over what is too early \
         reads rows that nobody wants.",
        ASK,
    ),
    quirk(
        "time",
        UntilIgnored,
        "until_ignored",
        "all orders from `from` on",
        "Nothing ends the scan but the limit. The key of `('t', until)` does.",
        ASK,
    ),
    quirk(
        "time",
        CrossedSwapped,
        "crossed_bounds_swapped",
        "a range that goes from the smaller bound to the greater one",
        "A range whose end lies before its beginning holds nothing.",
        ASK,
    ),
    quirk(
        "returns",
        CrossedPanics,
        "crossed_bounds_panic",
        "a panic for crossed bounds",
        "A `BTreeMap` panics when it is asked for a range that ends before it starts, and so does `until - from`. A query comes from outside: \
         answer an empty list.",
        ASK,
    ),
    quirk(
        "time",
        NewestFirst,
        "newest_first",
        "the newest order first",
        "Rows by time are not turned round. Without `rev()` they come oldest first.",
        ASK,
    ),
    quirk(
        "time",
        NewestKept,
        "newest_kept",
        "the newest `limit` orders of the range",
        "The oldest come first, and the limit ends the list. What is left out is what comes last.",
        ASK,
    ),
    quirk(
        "time",
        RangeById,
        "sorted_by_id_in_a_range",
        "the orders of the range sorted by their ids",
        "The rows come sorted by time. A greater id need not be a later order.",
        ASK,
    ),
    quirk(
        "time",
        LimitIgnored,
        "limit_ignored_in_a_range",
        "all orders of the range, whatever the limit",
        "`limit` says how many the caller wants. A scan is lazy: `take(limit)` ends it.",
        ASK,
    ),
    quirk(
        "time",
        OneTooMany,
        "one_too_many_in_a_range",
        "one order more than the limit",
        "Test the limit before a row is taken, not after.",
        ASK,
    ),
    quirk(
        "time",
        OneTooFew,
        "one_too_few_in_a_range",
        "one order less than the limit",
        "The limit itself is allowed. With limit 1 there has to be one.",
        ASK,
    ),
    quirk(
        "time",
        ZeroIsOne,
        "limit_zero_of_times_is_one",
        "one order where the limit is 0, and the right ones otherwise",
        ZERO,
        ASK,
    ),
    quirk(
        "time",
        ZeroIsAll,
        "limit_zero_of_times_is_all",
        "all orders where the limit is 0, and the right ones otherwise",
        ALL,
        ASK,
    ),
    quirk(
        "time",
        LittleEndianIds,
        "ids_read_as_little_endian_in_a_range",
        TURNED_IDS,
        IDS,
        ASK,
    ),
    quirk(
        "returns",
        RoomForAll,
        "room_for_the_limit_of_times",
        "the right orders, and no answer for limits that no memory has room for",
        ROOM,
        ASK,
    ),
    quirk(
        "returns",
        UntilZeroPanics,
        "until_zero_panics",
        "the right orders, with a panic where `until` is 0",
        "`until - 1` does not fit below 0. The range leaves its end out by itself: use the key of `('t', until)`.",
        ASK,
    ),
];

fn apart(steps: &[Step]) -> bool {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    !APART.iter().any(both)
}

fn user_query(steps: &[Step]) -> Option<Queries> {
    let steps = steps.to_vec();
    apart(&steps).then(|| Queries {
        of_user: Arc::new(move |db, user, limit| Ok(of_user(&steps, db, user, limit))),
        ..solution()
    })
}

fn time_query(steps: &[Step]) -> Option<Queries> {
    let steps = steps.to_vec();
    apart(&steps).then(|| Queries {
        between: Arc::new(move |db, from, until, limit| {
            Ok(between(&steps, db, from, until, limit))
        }),
        ..solution()
    })
}

/// All orders, from their own rows.
fn orders(db: &Db) -> Vec<Order> {
    let read = |(key, value): Row| Order::read(id_of(&key), &value);
    let own = rows(db)
        .into_iter()
        .filter(|(key, _)| key.starts_with(b"o"));
    own.filter_map(read).collect()
}

fn ids<'a>(orders: impl Iterator<Item = &'a Order>, limit: usize) -> Ids {
    Ok(orders.take(limit).map(|order| order.id).collect())
}

/// Queries with this one wrong step.
pub(crate) fn named(name: &str) -> Option<Queries> {
    let of_user = OF_USER.iter().find(|quirk| quirk.name == name);
    let between = BETWEEN.iter().find(|quirk| quirk.name == name);
    match (of_user, between) {
        (Some(quirk), _) => user_query(&[quirk.id]),
        (_, Some(quirk)) => time_query(&[quirk.id]),
        _ => find_orders_pages::named(name),
    }
}

/// A user or times compared in another way than as the bytes of a key.
fn compared_otherwise() -> Vec<Mistake<Queries>> {
    let by_user = |name, query: fn(&Db, &str, usize) -> Ids| {
        let queries = Queries {
            of_user: Arc::new(query),
            ..solution()
        };
        Mistake::new(name, "of_user", "user", queries)
    };
    fn oldest_first(db: &Db) -> Vec<Order> {
        let mut all = orders(db);
        all.sort_by_key(|order| (order.at, order.id));
        all
    }
    let by_time = |name, inside: fn(u64, u64, u64) -> bool| {
        let query = move |db: &Db, from, until, limit| {
            let inside = |order: &&Order| inside(order.at, from, until);
            ids(oldest_first(db).iter().filter(inside), limit)
        };
        let queries = Queries {
            between: Arc::new(query),
            ..solution()
        };
        Mistake::new(name, "between", "time", queries)
    };
    let limited_first = Queries {
        between: Arc::new(|db, from, until, limit| {
            let first = oldest_first(db).into_iter().take(limit);
            let inside = first.filter(|order| (from..until).contains(&order.at));
            Ok(inside.map(|order| order.id).collect())
        }),
        ..solution()
    };
    vec![
        by_user("one_order_a_millisecond", |db, user, limit| {
            let mut mine: Vec<Order> = orders(db).into_iter().filter(|order| order.user == user).collect();
            mine.sort_by_key(|order| (Desc(order.at), order.id));
            mine.dedup_by_key(|order| order.at);
            ids(mine.iter(), limit)
        })
        .says("one order of each millisecond")
        .why("Two orders may have the same time, and the id tells them apart. A map or a `dedup` by the time loses all but one.")
        .link(ASK),
        by_user("runs_into_the_next_user", |db, user, limit| {
            let mut found = index(db, b'u');
            found.retain(|key| *key >= (b'u', user).to_key());
            Ok(ids_of(found.iter().take(limit), false))
        })
        .says("a scan that begins at the user and runs on into the next ones")
        .why(
            "A start is not enough: after the last order of ann comes the first one of bob. `prefix` ends the scan with the user, and a range has to end at the prefix \
             successor.",
        )
        .link(ASK),
        by_user("user_asked_for_not_escaped", |db, user, limit| {
            let prefix = [b"u", user.as_bytes(), &[0, 1]].concat();
            let mut found = index(db, b'u');
            found.retain(|key| key.starts_with(&prefix));
            Ok(ids_of(found.iter().take(limit), false))
        })
        .says("a scan over the bytes of the name and `00 01`")
        .why(
            "A zero byte in a name becomes `00 ff` in the rows, so such a user has no orders here. Escape the name as `place` does: the key of the tuple \
             `('u', user)`.",
        )
        .link("the-bytes-of-a-row"),
        by_user("found_ones_sorted_by_id", |db, user, limit| {
            let mut ids = of_user(&[], db, user, limit);
            ids.sort_unstable();
            Ok(ids)
        })
        .says("the newest `limit` orders, sorted by their ids")
        .why("The right orders, put in another order when they were found. The rows come newest first, and those of one millisecond by id: give them back as they come.")
        .link(ASK),
        by_user("last_order_of_a_millisecond", |db, user, limit| {
            let mut mine: Vec<Order> = orders(db).into_iter().filter(|order| order.user == user).collect();
            mine.sort_by_key(|order| (Desc(order.at), std::cmp::Reverse(order.id)));
            mine.dedup_by_key(|order| order.at);
            ids(mine.iter(), limit)
        })
        .says("the last order of each millisecond")
        .why("Two orders may have the same time, and the id tells them apart. In a map by the time, the second one takes the place of the first.")
        .link(ASK),
        by_user("user_without_a_letter_refused", |db, user, limit| {
            if user.is_empty() {
                return Ok(Vec::new());
            }
            Ok(of_user(&[], db, user, limit))
        })
        .says("an empty list for the user whose name has no letter")
        .why("An empty name is a text like any other, and its key ends by itself: such a user has orders as well.")
        .link(ASK),
        Mistake::new(
            "limit_minus_one_panics",
            "of_user",
            "returns",
            Queries {
                of_user: Arc::new(|db, user, limit| {
                    let last = limit.checked_sub(1).expect("attempt to subtract with overflow");
                    Ok(of_user(&[], db, user, last + 1))
                }),
                ..solution()
            },
        )
        .says("the right orders, with a panic for the limit 0")
        .why("Is there a `limit - 1`? Nothing is less than 0, and a limit of 0 asks for no order. `take(limit)` takes nothing then.")
        .link(ASK),
        by_user("user_asked_for_is_trimmed", |db, user, limit| Ok(of_user(&[], db, user.trim(), limit)))
            .says("the orders of the user whose name is left when the spaces around it are cut off")
            .why("A space is a character like any other: `ann` and `ann ` are two users. Clean up what people type before it is stored.")
            .link(ASK),
        by_user("user_asked_for_in_small_letters", |db, user, limit| Ok(of_user(&[], db, &user.to_lowercase(), limit)))
            .says("the orders of the user whose name is the given one in small letters")
            .why("`Ann` and `ann` are two users. The rows hold the name as it was given, so `Ann` finds none of her own orders.")
            .link(ASK),
        Mistake::new(
            "found_ones_sorted_by_id_in_a_range",
            "between",
            "time",
            Queries {
                between: Arc::new(|db, from, until, limit| {
                    let mut ids = between(&[], db, from, until, limit);
                    ids.sort_unstable();
                    Ok(ids)
                }),
                ..solution()
            },
        )
        .says("the first `limit` orders of the range, sorted by their ids")
        .why("The right orders, put in another order when they were found. The rows come oldest first, and those of one millisecond by id: give them back as they come.")
        .link(ASK),
        Mistake::new("limit_before_the_range", "between", "time", limited_first)
            .says("those of the first `limit` orders of all that lie in the range")
            .why("The limit counts what is returned. Seek to `from` first, and count there.")
            .link(ASK),
        by_time("until_only_in_a_guard", |at, from, until| from < until && at >= from)
            .says("all orders from `from` on, unless `until` is not after it")
            .why("`until` was looked at once and is no end. Where the range ends, only `until` tells: the key of this time, left out.")
            .link(ASK),
        by_time("times_compared_as_signed", |at, from, until| {
            (from.cast_signed()..until.cast_signed()).contains(&at.cast_signed())
        })
        .says("times compared as `i64`")
        .why("From 2^63 on a `u64` is a negative `i64`: `u64::MAX` becomes -1, and no time lies between 0 and -1.")
        .link(ASK),
        by_time("times_read_as_little_endian", |at, from, until| (from..until).contains(&at.swap_bytes()))
            .says("times that are read from the rows in little-endian")
            .why("A key has the highest byte of the time first, or the rows would not be in order. Read it by `from_be_bytes`, or by `from_key`.")
            .link(ASK),
        by_time("times_compared_in_32_bits", |at, from, until| (from as u32..until as u32).contains(&(at as u32)))
            .says("times cut by `as u32` before they are compared")
            .why("Milliseconds since 1970 need 41 bits today. `as u32` keeps 32, so times 49 days apart become the same.")
            .link(ASK),
        by_time("times_compared_as_text", |at, from, until| {
            (from.to_string()..until.to_string()).contains(&at.to_string())
        })
        .says("times compared as decimal text")
        .why("As text 500 comes after 1000. Compare the numbers, or eight bytes, big-endian, as the keys have them.")
        .link(ASK),
        by_time("one_bound_is_enough", |at, from, until| at >= from || at < until)
            .says("orders that lie on the right side of one of the two bounds: `||` in place of `&&`")
            .why("From 500 to 700 every time is either at least 500 or less than 700. It has to be both.")
            .link(ASK),
        by_time("until_saturated", |at, from, until| from <= at && at <= until.saturating_sub(1))
            .says("the orders up to and with `until.saturating_sub(1)`")
            .why(
                "Nothing lies below 0, so the difference stays 0, and a range from 0 to 0 holds an order placed at 0. `from..until` leaves \
                 out its end without a subtraction.",
            )
            .link(ASK),
    ]
}

/// One added to `until`, whose greatest value has no next one.
fn one_more() -> [Mistake<Queries>; 3] {
    fn end_at(next: fn(u64) -> u64, is_guarded: bool) -> Queries {
        let query = move |db: &Db, from, until, limit| {
            if is_guarded && from >= until {
                return Ok(Vec::new());
            }
            let end = next(until);
            let mut found = orders(db);
            found.retain(|order| (from..end).contains(&order.at));
            found.sort_by_key(|order| (order.at, order.id));
            ids(found.iter(), limit)
        };
        Queries {
            between: Arc::new(query),
            ..solution()
        }
    }
    let mistake = |name, check, next: fn(u64) -> u64| {
        Mistake::new(name, "between", check, end_at(next, false))
            .or(end_at(next, true))
            .why(
                "`until` is left out, so that two days that follow each other share no order. The key of the tuple `('t', until)` comes \
                 before all orders placed at `until`: end there, and add nothing.",
            )
            .link(ASK)
    };
    [
        mistake("until_plus_one_saturated", "time", |until| {
            until.saturating_add(1)
        })
        .says("an end at `until.saturating_add(1)`"),
        mistake("until_plus_one_wraps", "time", |until| {
            until.wrapping_add(1)
        })
        .says("an end at `until.wrapping_add(1)`"),
        mistake("until_plus_one_panics", "returns", |until| {
            until.checked_add(1).expect("attempt to add with overflow")
        })
        .says("an end at `until + 1`, with a panic for `u64::MAX`"),
    ]
}

/// Ends behind `until`, where bounds that are equal are answered before.
fn guarded_ends() -> [Mistake<Queries>; 3] {
    let guarded = |name, step| {
        let query = move |db: &Db, from, until, limit| {
            Ok(if from < until {
                between(&[step], db, from, until, limit)
            } else {
                Vec::new()
            })
        };
        let queries = Queries {
            between: Arc::new(query),
            ..solution()
        };
        Mistake::new(name, "between", "time", queries)
    };
    [
        guarded("until_included_but_for_itself", UntilIncluded)
            .says("a range with the orders placed at `until`, and none where `from` is `until`")
            .why("`until` is left out, so that two days that follow each other share no order.")
            .link(ASK),
        guarded("until_and_one_ff_but_for_itself", UntilAndOneFf)
            .says("an end before the key of `until` and one byte ff, and no order where `from` is `until`")
            .why(
                "The rows of `until` have an id after the time, and most ids begin with less than ff: they come in. End before the key of the tuple `('t', until)` \
                 itself.",
            )
            .link(WRONG),
        guarded("until_with_the_greatest_id_but_for_itself", UntilGreatestId)
            .says("an end before the key of `until` and the greatest id, and no order where `from` is `until`")
            .why(
                "Other orders placed at `until` come in, and `until` is left out. The key of the tuple `('t', until)` comes before \
                 all of them: end there.",
            )
            .link(ASK),
    ]
}

/// Questions whose answer is "none", or that nobody should have to ask, taken for faults.
fn errors() -> Vec<Mistake<Queries>> {
    let crossed = |name, is_refused: fn(u64, u64) -> bool| {
        let queries = Queries {
            between: Arc::new(move |db, from, until, limit| {
                if is_refused(from, until) {
                    return Err(engine::Error::invalid("the end is not after the beginning"));
                }
                (solution().between)(db, from, until, limit)
            }),
            ..solution()
        };
        Mistake::new(name, "between", "time", queries)
            .why(
                "No order was placed in such a time, so the answer is an empty list. An error says that the store could not do \
                 its work.",
            )
            .link(ASK)
    };
    vec![
        crossed("error_for_crossed_bounds", |from, until| until < from)
            .says("an error when `until` is before `from`"),
        crossed("error_for_an_empty_time", |from, until| until <= from)
            .says("an error when `until` is not after `from`"),
        Mistake::new(
            "error_for_a_user_without_orders",
            "of_user",
            "user",
            Queries {
                of_user: Arc::new(move |db, user, limit| {
                    if (solution().of_user)(db, user, usize::MAX)?.is_empty() {
                        return Err(engine::Error::invalid("no such user"));
                    }
                    (solution().of_user)(db, user, limit)
                }),
                ..solution()
            },
        )
        .says("an error for a user without orders")
        .why(
            "The store knows no users, only orders. Of somebody who has placed none it finds none: an empty list. An error says \
             that the store could not do its work.",
        )
        .link(ASK),
        Mistake::new(
            "vanished_cursor_is_an_error",
            "with_status",
            "pages",
            Queries {
                with_status: Arc::new(move |db, status, limit, after| {
                    if let Some(after) = after
                        && db.get(after)?.is_none()
                    {
                        return Err(engine::Error::invalid("no such cursor"));
                    }
                    (solution().with_status)(db, status, limit, after)
                }),
                ..solution()
            },
        )
        .says("an error when the order of the cursor is gone")
        .why(
            "You look for the cursor among the rows. Its row may be gone: an order that was paid is no longer new. Seek to the \
             first key after it, whether it is there or not.",
        )
        .link(PAGES),
    ]
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Queries>> {
    let mut mistakes = vec![
        Mistake::new(
            "no_order_of_a_user",
            "of_user",
            "user",
            Queries {
                of_user: Arc::new(|_, _, _| Ok(Vec::new())),
                ..solution()
            },
        )
        .says("an empty list for every user")
        .why(
            "If you meant to find something: a row by user begins with the letter `u`, and then come the user, escaped and ended, the time and the id. Print a key of \
             the store and your prefix, and compare their bytes.",
        )
        .link(ASK),
        Mistake::new(
            "sorted_after_the_limit",
            "of_user",
            "user",
            Queries {
                of_user: Arc::new(|db, user, limit| {
                    let mut mine: Vec<Order> =
                        orders(db).into_iter().filter(|order| order.user == user).collect();
                    mine.truncate(limit);
                    mine.sort_by_key(|order| (Desc(order.at), order.id));
                    ids(mine.iter(), limit)
                }),
                ..solution()
            },
        )
        .says("the orders with the smallest ids, then sorted by time")
        .why(
            "The limit was applied before the order was right, so it kept the wrong ones. From the index by user nothing \
             needs sorting.",
        )
        .link(ASK),
    ];
    mistakes.extend(one_more());
    mistakes.extend(guarded_ends());
    mistakes.extend(errors());
    mistakes.extend(compared_otherwise());
    mistakes.extend(compose("of_user", &OF_USER, user_query));
    mistakes.extend(compose("between", &BETWEEN, time_query));
    mistakes.extend(find_orders_pages::all());
    mistakes
}
