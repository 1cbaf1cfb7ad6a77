//! What goes wrong from one page to the next.

use std::sync::Arc;

use engine::Db;
use engine::keys::{DecodeKey as _, OrderedKey as _};
use kit::{Mistake, Quirk, compose};

use crate::find_orders::{Paged, Queries, solution};
use crate::mistakes::find_orders::{
    ASK, IDS, PAGES, ROOM, TURNED_IDS, WRONG, id_of, ids_of, index,
};
use crate::order::{Page, Status};

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // What the cursor is, and where the next page begins.
    LastRepeated,
    NextSkipped,
    OneSkipped,
    TimeSkipped,
    TimeRepeated,
    Offset,
    IdGreater,
    StartsOver,
    VanishedStartsOver,
    VanishedEnds,
    VanishedPanics,
    NextVanishedEnds,
    // When there is one.
    NextIfFull,
    NextIfAny,
    NextNever,
    EmptyAtTheEnd,
    EmptyForAnEmptyPage,
    EmptyForEver,
    // Which rows.
    EndForgotten,
    EndsAtFf,
    StatusIgnored,
    NewestFirst,
    PageTurnedRound,
    // How many.
    LimitIgnored,
    OneTooMany,
    RoomForAll,
    // What is read from a row.
    LittleEndianIds,
}
use Step::{
    EmptyAtTheEnd, EmptyForAnEmptyPage, EmptyForEver, EndForgotten, EndsAtFf, IdGreater,
    LastRepeated, LimitIgnored, LittleEndianIds, NewestFirst, NextIfAny, NextIfFull, NextNever,
    NextSkipped, NextVanishedEnds, Offset, OneSkipped, OneTooMany, PageTurnedRound, RoomForAll,
    StartsOver, StatusIgnored, TimeRepeated, TimeSkipped, VanishedEnds, VanishedPanics,
    VanishedStartsOver,
};

const APART: [&[Step]; 7] = [
    &[
        LastRepeated,
        NextSkipped,
        OneSkipped,
        TimeSkipped,
        TimeRepeated,
        Offset,
        IdGreater,
        StartsOver,
        VanishedStartsOver,
        VanishedEnds,
        VanishedPanics,
        NextVanishedEnds,
        NewestFirst,
        NextNever,
        LimitIgnored,
        EndForgotten,
        EndsAtFf,
        StatusIgnored,
    ],
    &[NextIfFull, NextVanishedEnds],
    &[NextIfAny, NextVanishedEnds],
    &[
        NextIfFull,
        NextIfAny,
        NextNever,
        EmptyAtTheEnd,
        EmptyForAnEmptyPage,
        EmptyForEver,
        LimitIgnored,
    ],
    &[
        EndForgotten,
        EndsAtFf,
        StatusIgnored,
        NewestFirst,
        PageTurnedRound,
    ],
    &[LimitIgnored, OneTooMany],
    &[LimitIgnored, RoomForAll],
];

fn time_of(key: &[u8]) -> u64 {
    <(u8, u8, u64, u32)>::from_key(key).map_or(0, |fields| fields.2)
}

fn found(steps: &[Step], db: &Db, status: Status) -> Vec<Vec<u8>> {
    let has = |step| steps.contains(&step);
    let prefix = (b's', status.byte()).to_key();
    let mut rows = index(db, b's');
    rows.retain(|key| {
        if has(StatusIgnored) {
            true
        } else if has(EndForgotten) {
            *key >= prefix
        } else if has(EndsAtFf) {
            prefix <= *key && *key < [&prefix[..], b"\xff"].concat()
        } else {
            key.starts_with(&prefix)
        }
    });
    if has(NewestFirst) {
        rows.reverse();
    }
    rows
}

/// How many rows of the list come before the page.
fn passed(steps: &[Step], rows: &[Vec<u8>], after: &[u8]) -> usize {
    let has = |step| steps.contains(&step);
    let number = |bytes: &[u8]| bytes.iter().fold(0, |n, byte| n << 8 | u64::from(*byte));
    let first =
        |behind: &dyn Fn(&Vec<u8>) -> bool| rows.iter().position(behind).unwrap_or(rows.len());
    if has(StartsOver) {
        0
    } else if has(Offset) {
        (number(after) as usize).min(rows.len())
    } else if has(LastRepeated) {
        first(&|key| **key >= *after)
    } else if has(OneSkipped) {
        first(&|key| **key >= *after) + 1
    } else if has(TimeSkipped) {
        first(&|key| time_of(key) > number(after))
    } else if has(TimeRepeated) {
        first(&|key| time_of(key) >= number(after))
    } else if has(VanishedStartsOver) || has(VanishedEnds) || has(VanishedPanics) {
        let at = rows.iter().position(|key| **key == *after);
        assert!(
            at.is_some() || !has(VanishedPanics),
            "called `Option::unwrap()` on a `None` value"
        );
        let gone = if has(VanishedEnds) { rows.len() } else { 0 };
        at.map_or(gone, |at| at + 1)
    } else if has(NextVanishedEnds) {
        first(&|key| **key == *after)
    } else if has(NewestFirst) {
        first(&|key| **key < *after)
    } else {
        first(&|key| **key > *after)
    }
}

fn page(steps: &[Step], db: &Db, status: Status, limit: usize, after: Option<&[u8]>) -> Paged {
    let has = |step| steps.contains(&step);
    assert!(!has(RoomForAll) || limit < usize::MAX, "capacity overflow");
    let limit = match () {
        () if has(LimitIgnored) => usize::MAX,
        () if has(OneTooMany) => limit.saturating_add(1),
        () => limit,
    };
    let mut rows = found(steps, db, status);
    let skipped = match after {
        Some(after) if has(IdGreater) => {
            rows.retain(|key| id_of(key).to_be_bytes()[..] > *after);
            0
        }
        Some(after) => passed(steps, &rows, after),
        None => 0,
    };
    let shown: Vec<&Vec<u8>> = rows.iter().skip(skipped).take(limit).collect();
    let following = rows.get(skipped + shown.len());
    let more = match () {
        () if has(NextIfFull) => shown.len() == limit,
        () if has(NextIfAny) => !shown.is_empty(),
        () if has(NextNever) => false,
        () => following.is_some(),
    };
    let cursor = |last: &Vec<u8>| match () {
        () if has(Offset) => ((skipped + shown.len()) as u64).to_be_bytes().to_vec(),
        () if has(TimeSkipped) || has(TimeRepeated) => time_of(last).to_be_bytes().to_vec(),
        () if has(IdGreater) => id_of(last).to_be_bytes().to_vec(),
        () if has(NextSkipped) || has(NextVanishedEnds) => following.unwrap_or(last).clone(),
        () => last.clone(),
    };
    let next = shown.last().filter(|_| more).map(|last| cursor(last));
    let is_ended = after.is_some_and(<[u8]>::is_empty);
    let (shown, next) = match () {
        () if has(EmptyAtTheEnd) => (shown, next.or_else(|| Some(Vec::new()))),
        () if has(EmptyForAnEmptyPage) => {
            let last = shown.last().map_or_else(Vec::new, |last| cursor(last));
            (shown, Some(last))
        }
        () if has(EmptyForEver) && is_ended => (Vec::new(), Some(Vec::new())),
        () if has(EmptyForEver) => (shown, next.or_else(|| Some(Vec::new()))),
        () => (shown, next),
    };
    let mut ids = ids_of(shown.iter().copied(), has(LittleEndianIds));
    if has(PageTurnedRound) {
        ids.reverse();
    }
    Ok(Page { ids, next })
}

const fn quirk(
    id: Step,
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
) -> Quirk<Step> {
    Quirk::of(id, name, "pages", says, why, link)
}

const QUIRKS: [Quirk<Step>; 27] = [
    quirk(
        OneSkipped,
        "row_at_the_cursor_skipped",
        "a next page that starts at the last row of this one and skips the first row it finds",
        "As long as the last row is there, that is right. If its order is gone when the next page is asked for, the first row found is \
         another one, and it is lost. Begin after the last key: that key with a zero byte is the smallest one that is greater.",
        PAGES,
    ),
    quirk(
        LastRepeated,
        "last_row_repeated",
        "a next page that begins with the last row of this one",
        "A range includes its start. Begin after the last key: that key with a zero byte is the smallest one that is \
         greater.",
        PAGES,
    ),
    quirk(
        NextSkipped,
        "first_of_next_page_skipped",
        "a cursor that names the first row of the next page, and a page that begins after it",
        "One of the two must give way: name the last row and begin after it, or name the next row and begin with it.",
        PAGES,
    ),
    quirk(
        TimeSkipped,
        "time_alone_as_cursor",
        "a cursor that is the time of the last row, and a page that begins at a later time",
        "Two orders may have the same time. If the page ends between them, the second is never shown. The id belongs into \
         the cursor: take the whole key.",
        PAGES,
    ),
    quirk(
        TimeRepeated,
        "same_time_again",
        "a cursor that is the time of the last row, and a page that begins at that time",
        "The last row comes again, and with enough orders of one time the walk never ends. The id belongs into the cursor: \
         take the whole key.",
        PAGES,
    ),
    quirk(
        Offset,
        "offset_as_cursor",
        "a cursor that counts the orders shown so far",
        "If an order before it goes, all others move up and one is skipped. If one comes, one is shown twice. And to count to \
         the offset is to read all rows before it.",
        PAGES,
    ),
    quirk(
        IdGreater,
        "id_as_cursor",
        "a cursor that is the id of the last row, and a page of greater ids",
        "The rows are sorted by time, and ids need not be given in that order. A later order with a smaller id is never \
         shown.",
        PAGES,
    ),
    quirk(
        StartsOver,
        "after_ignored",
        "the first page, whatever `after` is",
        "`after` is where the page before ended. Begin the scan after it.",
        PAGES,
    ),
    quirk(
        VanishedStartsOver,
        "vanished_cursor_starts_over",
        "a page that begins anew when the order of the cursor is gone",
        "You look for the cursor among the rows. Its row may be gone: an order that was paid is no longer new. Seek to the \
         first key after it, whether it is there or not.",
        PAGES,
    ),
    quirk(
        VanishedEnds,
        "vanished_cursor_ends",
        "an empty last page when the order of the cursor is gone",
        "You look for the cursor among the rows. Its row may be gone: an order that was paid is no longer new. Seek to the \
         first key after it, whether it is there or not.",
        PAGES,
    ),
    quirk(
        NextVanishedEnds,
        "vanished_next_row_ends",
        "a cursor that names the first row of the next page, and an empty page when that row is gone",
        "You look for the cursor among the rows. Its row may be gone: an order that was paid is no longer new. Seek to the \
         first key from it on, whether it is there or not.",
        PAGES,
    ),
    Quirk::of(
        VanishedPanics,
        "vanished_cursor_panics",
        "returns",
        "a panic when the order of the cursor is gone",
        "You look for the cursor among the rows. Its row may be gone: an order that was paid is no longer new. Seek to the \
         first key after it, whether it is there or not.",
        PAGES,
    ),
    quirk(
        NextIfFull,
        "next_if_full",
        "a cursor whenever the page is full",
        "The last page may be full as well. Then the caller asks once more and gets an empty page. Look one row further.",
        PAGES,
    ),
    quirk(
        NextIfAny,
        "next_if_any",
        "a cursor whenever the page holds an order",
        "`None` says that no order follows. Look one row further than the limit.",
        PAGES,
    ),
    quirk(
        NextNever,
        "never_a_next_page",
        "the first page, and never a cursor",
        "The caller believes that there is nothing more. `next` has to lead to the next page.",
        PAGES,
    ),
    quirk(
        EmptyAtTheEnd,
        "empty_cursor_at_the_end",
        "a cursor without bytes on the last page, which leads back to the first one",
        "`Some(vec![])` is a cursor like any other: the caller gives it back, and all keys come after it. That no order follows \
         is said by `None`.",
        PAGES,
    ),
    quirk(
        EmptyForAnEmptyPage,
        "cursor_of_an_empty_page",
        "a cursor on every page, without bytes where the page holds no order",
        "`Some(last)` is a cursor also if no row was read and `last` is still empty: the caller gives it back, and all keys come after \
         it, so the walk begins anew. Look one row further than the limit, and say `None` if there is none.",
        PAGES,
    ),
    quirk(
        EmptyForEver,
        "empty_cursor_for_ever",
        "a cursor without bytes on the last page, and the same cursor again on the empty page after it",
        "Inside of your function a cursor without bytes means the end. The caller does not know what its bytes mean, and asks on as long \
         as there is one. That no order follows is said by `None`.",
        PAGES,
    ),
    quirk(
        EndForgotten,
        "runs_into_the_next_status",
        "a scan that runs on into the later statuses",
        "After the last new order comes the first paid one. End the scan at the prefix successor of the status.",
        WRONG,
    ),
    quirk(
        EndsAtFf,
        "status_ends_at_one_ff",
        "a scan that ends at the prefix and one byte ff",
        "After the status comes the time, and the greatest times begin with ff. The end of a prefix scan is the prefix \
         successor.",
        WRONG,
    ),
    quirk(
        StatusIgnored,
        "status_ignored",
        "the orders of every status",
        "The status is the first field after the letter, so that it is a prefix: the key of the tuple `('s', \
         status.byte())`.",
        ASK,
    ),
    quirk(
        NewestFirst,
        "newest_first_by_status",
        "the newest order first",
        "It is a queue: who waits longest comes first. Rows by status are not turned round.",
        ASK,
    ),
    quirk(
        PageTurnedRound,
        "pages_backwards",
        "the right pages, each with its newest order first",
        "The pages follow each other rightly, and each is turned round in itself. It is a queue: who waits longest comes first. The rows come \
         in that order.",
        ASK,
    ).says_beside("pages with their newest order first").why_beside("A page is turned round in itself. It is a queue: who waits longest comes first. The rows come in that order."),
    quirk(
        LimitIgnored,
        "limit_ignored_on_pages",
        "all orders on one page",
        "`limit` says how many the caller wants on a page.",
        PAGES,
    ),
    quirk(
        OneTooMany,
        "page_with_one_too_many",
        "pages with one order more than the limit",
        "To know whether something follows, look at one row more. It must not be on the page.",
        PAGES,
    ),
    quirk(
        LittleEndianIds,
        "ids_read_as_little_endian_on_pages",
        TURNED_IDS,
        IDS,
        ASK,
    ),
    Quirk::of(
        RoomForAll,
        "greatest_limit_of_pages_panics",
        "returns",
        "the right pages, with a panic for the limit `usize::MAX`",
        ROOM,
        PAGES,
    ).says_beside("a panic for the limit `usize::MAX`"),
];

/// Queries with these wrong steps, unless they exclude each other.
fn paging(steps: &[Step]) -> Option<Queries> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    Some(Queries {
        with_status: Arc::new(move |db, status, limit, after| {
            page(&steps, db, status, limit, after)
        }),
        ..solution()
    })
}

/// The queries with this one wrong step.
pub(crate) fn named(name: &str) -> Option<Queries> {
    let quirk = QUIRKS.iter().find(|quirk| quirk.name == name)?;
    paging(&[quirk.id])
}

/// Pages over a range that begins with the cursor and a zero byte, which is a cursor without bytes on the last page.
fn ranged(
    db: &Db,
    status: Status,
    limit: usize,
    after: Option<&[u8]>,
    id: fn(&[u8]) -> u32,
) -> Paged {
    let prefix = (b's', status.byte()).to_key();
    let end = [b's', status.byte() + 1];
    let start = after.map_or_else(|| prefix, |last| [last, &[0]].concat());
    let mut page = Page {
        ids: Vec::new(),
        next: Some(Vec::new()),
    };
    let mut last = Vec::new();
    for row in db.default_family().range(start..end.to_vec()) {
        let (key, _) = row?;
        if page.ids.len() == limit {
            page.next = Some(last);
            break;
        }
        page.ids.push(id(&key));
        last = key;
    }
    Ok(page)
}

/// The rows of a status after a cursor that is the last key.
fn queue(db: &Db, status: Status, after: Option<&[u8]>) -> Vec<Vec<u8>> {
    let of_status = (b's', status.byte()).to_key();
    let mut rows = index(db, b's');
    rows.retain(|key| key.starts_with(&of_status) && after.is_none_or(|after| **key > *after));
    rows
}

/// A page whose cursor is its last key with the last byte raised, and which begins at such a cursor.
fn page_before_raised(
    db: &Db,
    status: Status,
    limit: usize,
    after: Option<&[u8]>,
    raise: fn(u8) -> u8,
) -> Paged {
    let of_status = (b's', status.byte()).to_key();
    let mut rows = index(db, b's');
    rows.retain(|key| key.starts_with(&of_status) && after.is_none_or(|after| **key >= *after));
    let last = rows[..limit.min(rows.len())]
        .last()
        .filter(|_| limit < rows.len());
    let next = last.map(|last| {
        let mut next = last.clone();
        let end = next.last_mut().expect("a key has bytes");
        *end = raise(*end);
        next
    });
    Ok(Page {
        ids: ids_of(rows.iter().take(limit), false),
        next,
    })
}

fn with_pages(
    name: &str,
    check: &'static str,
    pages: fn(&Db, Status, usize, Option<&[u8]>) -> Paged,
) -> Mistake<Queries> {
    let queries = Queries {
        with_status: Arc::new(pages),
        ..solution()
    };
    Mistake::new(name, "with_status", check, queries).link(PAGES)
}

pub(crate) fn all() -> Vec<Mistake<Queries>> {
    let mut mistakes = vec![
        with_pages("row_after_an_empty_cursor_panics", "returns", |db, status, limit, after| {
            ranged(db, status, limit, after, |key| {
                let fields = <(u8, u8, u64, u32)>::from_key(key);
                fields.unwrap_or_else(|error| panic!("called `Result::unwrap()` on an `Err` value: {error:?}")).3
            })
        })
        .says("a cursor without bytes on the last page, and a scan from it that meets rows of another kind and panics")
        .why(
            "`Some(vec![])` is a cursor like any other: the caller gives it back. With a zero byte it comes before all rows of the store, and \
             those of the orders are not read like those by status. That no order follows is said by `None`.",
        ),
        with_pages("time_of_the_next_row_as_cursor", "pages", |db, status, limit, after| {
            let of_status = (b's', status.byte()).to_key();
            let mut rows = index(db, b's');
            rows.retain(|key| key.starts_with(&of_status) && after.is_none_or(|after| &key[2..10] >= after));
            let next = rows.get(limit).map(|key| key[2..10].to_vec());
            Ok(Page { ids: ids_of(rows.iter().take(limit), false), next })
        })
        .says("a cursor that is the time of the next row, and a page that begins at that time")
        .why(
            "Two orders may have the same time. If the page ends between them, the next one begins with the first of them again, and the walk may never end. The id \
             belongs into the cursor: take the whole key.",
        ),
        with_pages("next_one_too_late", "pages", |db, status, limit, after| {
            let rows = queue(db, status, after);
            let next = rows[..limit.min(rows.len())].last().filter(|_| limit.saturating_add(1) < rows.len());
            Ok(Page { ids: ids_of(rows.iter().take(limit), false), next: next.cloned() })
        })
        .says("a cursor only where two orders or more follow")
        .why("One order that follows is a page as well. Without a cursor nobody asks for it, and it is never found. Look for one row more than the limit.")
        .link(PAGES),
        with_pages("limit_and_one_wraps", "pages", |db, status, limit, after| {
            let mut rows = queue(db, status, after);
            rows.truncate(limit.wrapping_add(1));
            let more = rows.len() > limit;
            rows.truncate(limit);
            let next = rows.last().filter(|_| more).cloned();
            Ok(Page { ids: ids_of(rows.iter(), false), next })
        })
        .says("one row more than the limit, which is none where the limit is `usize::MAX`")
        .why("`usize::MAX` is a limit, and one more wraps around to 0. `saturating_add(1)` stays where it is: no list has more rows than that.")
        .link(PAGES),
        with_pages("so_many_rows_at_most", "pages", |db, status, limit, after| {
            let mut rows = queue(db, status, after);
            rows.truncate(4096);
            let next = rows[..limit.min(rows.len())].last().filter(|_| limit < rows.len());
            Ok(Page { ids: ids_of(rows.iter().take(limit), false), next: next.cloned() })
        })
        .or(Queries {
            with_status: Arc::new(|db, status, limit, after| {
                let mut rows = queue(db, status, after);
                rows.truncate(5000);
                let next = rows[..limit.min(rows.len())].last().filter(|_| limit < rows.len());
                Ok(Page { ids: ids_of(rows.iter().take(limit), false), next: next.cloned() })
            }),
            ..solution()
        })
        .says("a page of some thousand orders at most, and no cursor after it")
        .why("A limit may be as large as `usize::MAX`. A page that holds less than asked for needs a cursor, or the rest is never found.")
        .link(PAGES),
        with_pages("cursor_raised_without_carry_panics", "returns", |db, status, limit, after| {
            page_before_raised(db, status, limit, after, |end| end.checked_add(1).expect("attempt to add with overflow"))
        })
        .says("a cursor that is the last key of the page with one added to its last byte")
        .why(
            "That is the next key, as long as the last byte is not ff. For an id such as 255 one would have to be carried. Take the key as it is, and begin after it: the \
             smallest key after it is the key and a zero byte.",
        ),
        with_pages("cursor_raised_without_carry", "pages", |db, status, limit, after| {
            page_before_raised(db, status, limit, after, |end| end.wrapping_add(1))
        })
        .says("a cursor that is the last key of the page with one added to its last byte, where ff becomes 00")
        .why(
            "For an id such as 255 one would have to be carried. Without the carry the cursor lies before the page that it ends, and the same orders \
             come again and again. Take the key as it is, and begin after it: the smallest key after it is the key and a zero byte.",
        ),
        with_pages("sorted_by_id_on_pages", "pages", |db, status, limit, after| {
            let of_status = (b's', status.byte()).to_key();
            let mut rows = index(db, b's');
            rows.retain(|key| key.starts_with(&of_status));
            let mut ids = ids_of(rows.iter(), false);
            ids.retain(|id| after.is_none_or(|after| id.to_be_bytes()[..] > *after));
            ids.sort_unstable();
            let more = ids.len() > limit;
            ids.truncate(limit);
            let next = ids.last().filter(|_| more).map(|id| id.to_be_bytes().to_vec());
            Ok(Page { ids, next })
        })
        .says("pages that are sorted by id")
        .why(
            "No order is lost, and a later one with a smaller id comes first. It is a queue: who waits longest comes first. The rows come in that order.",
        ),
        with_pages("rows_after_an_empty_cursor", "pages", |db, status, limit, after| {
            ranged(db, status, limit, after, id_of)
        })
        .says("a cursor without bytes on the last page, and a scan from it that takes the ids of all rows it meets")
        .why(
            "`Some(vec![])` is a cursor like any other: the caller gives it back. With a zero byte it comes before all rows of the store, and \
             the scan goes over those of the orders too. That no order follows is said by `None`.",
        ),
    ];
    mistakes.extend(compose("with_status", &QUIRKS, paging));
    mistakes
}
