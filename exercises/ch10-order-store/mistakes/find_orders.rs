//! What goes wrong in a step of a query by user or by time.

use std::sync::Arc;

use engine::Db;
use engine::keys::OrderedKey as _;
use kit::{Mistake, Quirk, compose};

use crate::find_orders::{Queries, solution};
use crate::mistakes::{find_orders_otherwise, find_orders_pages};

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
    ).why_beside("The orders are turned round when they were found. The rows have the newest in front, by `Desc(at)`: give them back as they come."),
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
    ).says_beside("one order where the limit is 0"),
    quirk(
        "user",
        ZeroIsAll,
        "limit_zero_is_all",
        "all orders where the limit is 0, and the right ones otherwise",
        ALL,
        ASK,
    ).says_beside("all orders where the limit is 0"),
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
    ).says_beside("no answer for limits that no memory has room for"),
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
    ).why_beside("The orders are turned round when they were found. The rows by time come oldest first: give them back as they come."),
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
    ).says_beside("one order where the limit is 0"),
    quirk(
        "time",
        ZeroIsAll,
        "limit_zero_of_times_is_all",
        "all orders where the limit is 0, and the right ones otherwise",
        ALL,
        ASK,
    ).says_beside("all orders where the limit is 0"),
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
    ).says_beside("no answer for limits that no memory has room for"),
    quirk(
        "returns",
        UntilZeroPanics,
        "until_zero_panics",
        "the right orders, with a panic where `until` is 0",
        "`until - 1` does not fit below 0. The range leaves its end out by itself: use the key of `('t', until)`.",
        ASK,
    ).says_beside("a panic where `until` is 0"),
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

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Queries>> {
    let mut mistakes = find_orders_otherwise::at_large();
    mistakes.extend(find_orders_otherwise::one_more());
    mistakes.extend(guarded_ends());
    mistakes.extend(find_orders_otherwise::errors());
    mistakes.extend(find_orders_otherwise::of_users());
    mistakes.extend(find_orders_otherwise::of_times());
    mistakes.extend(find_orders_otherwise::between_other_keys());
    mistakes.extend(find_orders_otherwise::cut_limits());
    mistakes.extend(compose("of_user", &OF_USER, user_query));
    mistakes.extend(compose("between", &BETWEEN, time_query));
    mistakes.extend(find_orders_pages::all());
    mistakes
}
