//! What is said of the three queries.

use std::sync::Mutex;

use engine::keys::{DecodeKey as _, Desc, OrderedKey as _};
use engine::{Db, WriteBatch, WriteOptions};
use kit::unseen::{judged, named, observed};
use kit::{State, Verdict};

use crate::find_orders::Queries;
use crate::order::{Page, Status};
use crate::solutions::find_orders::{between, of_user, with_status};
use crate::{find_orders, finding, paging, queue};

#[test]
fn names_hold_letters_beyond_ascii() {
    let ascii = |db: &Db, user: &str, limit: usize| {
        let plain: String = user.chars().filter(char::is_ascii).collect();
        of_user(db, &plain, limit)
    };
    observed(&finding(ascii, between), "user", &["zoë"]);
}

#[test]
fn pages_are_shown_as_they_were_walked() {
    let odd = |db: &Db, status: Status, limit: usize, after: Option<&[u8]>| {
        with_status(db, status, limit.min(2), after)
    };
    observed(
        &paging(odd),
        "pages",
        &["must be [1, 2, 4] end, but it is [1, 2] [4] end"],
    );
    let by_user = |db: &Db, user: &str, limit: usize| {
        let mut ids = of_user(db, user, usize::MAX)?;
        ids.retain(|id| *id != 10);
        ids.truncate(limit);
        Ok(ids)
    };
    observed(
        &judged(&find_orders::exercise_of(Queries::new(
            by_user,
            between,
            with_status,
        ))),
        "user",
        &["`between` and `with_status` are right."],
    );
}

/// A cursor that the function keeps for itself is right for one walk alone.
#[test]
fn a_walk_has_a_cursor_of_its_own() {
    let kept: Mutex<Option<Vec<u8>>> = Mutex::default();
    let kept_by_the_function = move |db: &Db, status: Status, limit, after: Option<&[u8]>| {
        let mut kept = kept.lock().unwrap();
        let page = with_status(db, status, limit, after.and(kept.as_deref()))?;
        kept.clone_from(&page.next);
        let next = page.next.map(|_| b"more".to_vec());
        Ok(Page { next, ..page })
    };
    observed(
        &paging(kept_by_the_function),
        "pages",
        &["while somebody else reads two orders after each page must be [1] [2] [4] end"],
    );
}

#[test]
fn any_limit_and_any_bound_is_asked_for() {
    // A learner's process has little memory, and a panic stands for its end.
    let reserve = |limit: usize| assert!(limit < 1 << 27, "capacity overflow");
    let room = move |db: &Db, user: &str, limit| {
        reserve(limit);
        of_user(db, user, limit)
    };
    named(&finding(room, between), "room_for_the_limit");
    let room = move |db: &Db, from, until, limit| {
        reserve(limit);
        between(db, from, until, limit)
    };
    named(&finding(of_user, room), "room_for_the_limit_of_times");
    let one_more = |db: &Db, status, limit: usize, after: Option<&[u8]>| {
        let looked_at = limit + 1;
        let page = with_status(db, status, looked_at - 1, after)?;
        Ok(page)
    };
    named(&paging(one_more), "greatest_limit_of_pages_panics");
    let one_at_least = |db: &Db, user: &str, limit: usize| of_user(db, user, limit.max(1));
    named(&finding(one_at_least, between), "limit_zero_is_one");
    let one_at_least = |db: &Db, from, until, limit: usize| between(db, from, until, limit.max(1));
    named(
        &finding(of_user, one_at_least),
        "limit_zero_of_times_is_one",
    );
    let all = |db: &Db, from, until, limit: usize| {
        let limit = if limit == 0 { usize::MAX } else { limit };
        between(db, from, until, limit)
    };
    named(&finding(of_user, all), "limit_zero_of_times_is_all");
    let last_taken = |db: &Db, from, until: u64, limit| {
        assert!(until > 0, "attempt to subtract with overflow");
        between(db, from, until, limit)
    };
    named(&finding(of_user, last_taken), "until_zero_panics");
}

#[test]
fn ids_of_one_millisecond_downwards_are_named() {
    let downwards = |db: &Db, user: &str, limit: usize| {
        let mut mine: Vec<(u64, u32)> = Vec::new();
        for row in db.default_family().prefix((b'u', user).to_key()) {
            let (_, _, at, id) = <(u8, String, Desc<u64>, u32)>::from_key(&row?.0).unwrap();
            mine.push((at.0, id));
        }
        mine.sort_unstable();
        Ok(mine.iter().rev().take(limit).map(|(_, id)| *id).collect())
    };
    named(&finding(downwards, between), "same_time_ids_downwards");
}

#[test]
fn a_limit_of_ones_own_is_told() {
    let short = |db: &Db, user: &str, limit: usize| of_user(db, user, limit.min(1000));
    observed(&finding(short, between), "user", &["{5100 orders from"]);
    let short = |db: &Db, from, until, limit: usize| between(db, from, until, limit.min(1000));
    observed(&finding(of_user, short), "time", &["{5100 orders from"]);
    let short = |db: &Db, status, limit: usize, after: Option<&[u8]>| {
        with_status(db, status, limit.min(200), after)
    };
    observed(&paging(short), "pages", &["{5100 orders from"]);
}

#[test]
fn ends_of_a_range_of_times_are_told_apart() {
    let up_to = |until: fn(u64) -> Option<u64>| {
        let between = move |db: &Db, from: u64, last: u64, limit: usize| {
            let Some(until) = until(last).filter(|until| from <= *until) else {
                return Ok(Vec::new());
            };
            let range = (b't', from).to_key()..(b't', until, u32::MAX).to_key();
            let rows = db.default_family().range(range).take(limit);
            rows.map(|row| Ok(<(u8, u64, u32)>::from_key(&row?.0).unwrap().2))
                .collect()
        };
        let queries = Queries::new(of_user, between, with_status);
        judged(&find_orders::exercise_of(queries))
    };
    named(&up_to(Some), "until_with_the_greatest_id");
    named(
        &up_to(|until| until.checked_sub(1)),
        "until_minus_one_with_the_greatest_id",
    );
}

/// Questions about the same orders share a store. A query that clears it clears it for no other.
#[test]
fn what_a_query_writes_no_other_one_reads() {
    let clears = |db: &Db, user: &str, limit: usize| {
        let found = of_user(db, user, limit)?;
        let family = db.default_family();
        let mut batch = WriteBatch::new();
        for row in family.iter() {
            batch.delete(&family, row?.0);
        }
        db.write(batch, WriteOptions { sync: false })?;
        Ok(found)
    };
    assert_eq!(finding(clears, between).state, State::Passed);
}

#[test]
fn a_limit_and_a_time_keep_all_their_bits() {
    let to_16: fn(usize) -> usize = |limit| usize::from(limit as u16);
    let to_32: fn(usize) -> usize = |limit| limit as u32 as usize;
    for (bits, cut) in [(16, to_16), (32, to_32)] {
        let user = move |db: &Db, user: &str, limit| of_user(db, user, cut(limit));
        named(
            &finding(user, between),
            &format!("limit_cut_to_{bits}_bits"),
        );
        let time = move |db: &Db, from, until, limit| between(db, from, until, cut(limit));
        named(
            &finding(of_user, time),
            &format!("limit_of_times_cut_to_{bits}_bits"),
        );
        let page = move |db: &Db, status, limit, after: Option<&[u8]>| {
            with_status(db, status, cut(limit), after)
        };
        named(&paging(page), &format!("limit_of_pages_cut_to_{bits}_bits"));
    }
    let rounded = |time: u64| time as f64 as u64;
    let time = move |db: &Db, from, until, limit| between(db, rounded(from), rounded(until), limit);
    observed(&finding(of_user, time), "time", &["9007199254740993"]);
}

#[test]
fn a_page_that_nobody_asked_for_ends_no_list() {
    let user = |db: &Db, user: &str, limit: usize| of_user(db, user, limit.min(5000));
    observed(&finding(user, between), "user", &["usize::MAX"]);
    let time = |db: &Db, from, until, limit: usize| between(db, from, until, limit.min(5000));
    observed(&finding(of_user, time), "time", &["usize::MAX"]);
}

#[test]
fn an_end_behind_until_is_named_with_a_guard_too() {
    let greatest = |db: &Db, from: u64, until: u64, limit: usize| {
        let mut ids = Vec::new();
        if from >= until {
            return Ok(ids);
        }
        let range = (b't', from).to_key()..(b't', until, u32::MAX).to_key();
        for row in db.default_family().range(range).take(limit) {
            let (key, _) = row?;
            ids.push(<(u8, u64, u32)>::from_key(&key).expect("a row by time").2);
        }
        Ok(ids)
    };
    named(
        &finding(of_user, greatest),
        "until_with_the_greatest_id_but_for_itself",
    );
}

#[test]
fn a_list_that_ends_at_a_page_is_told_where() {
    let page = |db: &Db, user: &str, limit: usize| of_user(db, user, limit.min(1000));
    let verdict = judged(&find_orders::exercise_of(Queries::new(
        page,
        between,
        with_status,
    )));
    observed(
        &verdict,
        "user",
        &["the first 1000 of the right ones, and nothing after them"],
    );
}

#[test]
fn a_row_that_is_gone_is_not_skipped() {
    let skipping = |db: &Db, status: Status, limit: usize, after: Option<&[u8]>| {
        let mut rows = queue(db, status);
        rows.retain(|(key, _)| after.is_none_or(|after| **key >= *after));
        let rows: Vec<_> = rows
            .into_iter()
            .skip(usize::from(after.is_some()))
            .collect();
        let last = rows.get(limit).and_then(|_| rows.get(limit - 1));
        Ok(Page {
            ids: rows.iter().take(limit).map(|(_, id)| *id).collect(),
            next: last.map(|(key, _)| key.clone()),
        })
    };
    named(&paging(skipping), "row_at_the_cursor_skipped");
}

#[test]
fn an_empty_cursor_is_no_end() {
    let at_the_end = |db: &Db, status, limit: usize, after: Option<&[u8]>| {
        let queue = queue(db, status);
        let is_new = |(key, _): &&(Vec<u8>, u32)| after.is_none_or(|after| key.as_slice() > after);
        let mut rest = queue.iter().filter(is_new);
        let shown: Vec<_> = rest.by_ref().take(limit).collect();
        let last = shown.last().filter(|_| rest.next().is_some());
        Ok(Page {
            ids: shown.iter().map(|(_, id)| *id).collect(),
            next: Some(last.map_or_else(Vec::new, |(key, _)| key.clone())),
        })
    };
    named(&paging(at_the_end), "empty_cursor_at_the_end");
    let from_the_first_row = |db: &Db, status: Status, limit: usize, after: Option<&[u8]>| {
        let mut start = after.map_or_else(|| vec![b's', status.byte()], <[u8]>::to_vec);
        start.extend(after.map(|_| 0));
        let (mut ids, mut last) = (Vec::new(), Vec::new());
        for row in db
            .default_family()
            .range(start..vec![b's', status.byte() + 1])
        {
            let (key, _) = row?;
            if ids.len() == limit {
                let next = Some(last);
                return Ok(Page { ids, next });
            }
            ids.push(<(u8, u8, u64, u32)>::from_key(&key).unwrap().3);
            last = key;
        }
        let next = Some(Vec::new());
        Ok(Page { ids, next })
    };
    named(
        &paging(from_the_first_row),
        "row_after_an_empty_cursor_panics",
    );
}

#[test]
fn a_prefix_without_its_letter_finds_nothing() {
    let without_the_letter = |db: &Db, user: &str, limit| {
        let rows = db.default_family().prefix((user,).to_key());
        let rows = rows.take(limit);
        rows.map(|row| Ok(u32::from_be_bytes(*row?.0.last_chunk().unwrap())))
            .collect()
    };
    named(&finding(without_the_letter, between), "no_order_of_a_user");
    let turned = |db: &Db, from: u64, until: u64, limit: usize| {
        let time = |key: &[u8]| u64::from_le_bytes(*key[1..].first_chunk().unwrap());
        let rows = db.default_family().prefix(b"t");
        let keys: Vec<_> = rows
            .map(|row| row.map(|(key, _)| key))
            .collect::<Result<_, _>>()?;
        let inside = keys.iter().filter(|key| (from..until).contains(&time(key)));
        let ids = inside.map(|key| u32::from_be_bytes(*key.last_chunk().unwrap()));
        Ok(ids.take(limit).collect())
    };
    named(&finding(of_user, turned), "times_read_as_little_endian");
}

#[test]
fn a_limit_that_is_added_to_what_was_shown_does_not_fit() {
    let sliced = |end: fn(usize, usize) -> usize| {
        paging(move |db: &Db, status, limit, after: Option<&[u8]>| {
            let queue = queue(db, status);
            let is_shown = |(key, _): &(Vec<u8>, u32)| after.is_some_and(|after| **key <= *after);
            let start = queue.partition_point(is_shown);
            let end = end(start, limit).min(queue.len());
            let ids = queue[start..end].iter().map(|(_, id)| *id).collect();
            let next = (end < queue.len()).then(|| queue[end - 1].0.clone());
            Ok(Page { ids, next })
        })
    };
    assert_eq!(sliced(usize::saturating_add).state, State::Passed);
    observed(
        &sliced(|start, limit| start + limit),
        "returns",
        &[
            "attempt to add with overflow",
            "and then usize::MAX from its cursor on",
        ],
    );
}

#[test]
fn an_id_that_is_raised_is_not_called_a_byte_that_is_raised() {
    let after_the_id = |db: &Db, status: Status, limit: usize, after: Option<&[u8]>| {
        let mut rows = queue(db, status);
        rows.retain(|(key, _)| after.is_none_or(|after| **key >= *after));
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(|(key, id)| {
            let id = id.checked_add(1).expect("attempt to add with overflow");
            [&key[..key.len() - 4], &id.to_be_bytes()].concat()
        });
        let ids = rows.into_iter().map(|(_, id)| id).collect();
        Ok(Page { ids, next })
    };
    let verdict = paging(after_the_id);
    observed(&verdict, "returns", &["4294967295 \"ann\" 499 New"]);
    assert!(!verdict.message.contains("last byte"));
}

fn ranged(
    between: impl Fn(&Db, u64, u64, usize) -> engine::Result<Vec<u32>> + Send + Sync + 'static,
) -> Verdict {
    let queries = Queries::new(of_user, between, with_status);
    judged(&find_orders::exercise_of(queries))
}

/// The ids of the rows between two keys.
fn ids_between(db: &Db, start: &[u8], end: &[u8], limit: usize) -> engine::Result<Vec<u32>> {
    let found = db.default_family().range(start..end).take(limit);
    let id = |row: engine::Result<(Vec<u8>, Vec<u8>)>| {
        Ok(u32::from_be_bytes(*row?.0.last_chunk().unwrap()))
    };
    found.map(id).collect()
}

#[test]
fn bounds_that_are_other_keys_are_named_by_what_they_are() {
    type Key = fn(u64) -> Vec<u8>;
    let of_digits: Key = |time| format!("t{time:020}").into_bytes();
    let bounds: [(Key, &str); 6] = [
        (
            |time| [b"t", &time.to_le_bytes()[..]].concat(),
            "bounds_in_little_endian",
        ),
        (|time| (b't', time as u32).to_key(), "bounds_of_four_bytes"),
        (
            |time| (b't', u64::from(time as u32)).to_key(),
            "bounds_cut_to_32_bits",
        ),
        (|time| time.to_key(), "bounds_without_their_letter"),
        // Two ways to find nothing.
        (|time| (b't', Desc(time)).to_key(), "no_order_of_a_time"),
        (of_digits, "no_order_of_a_time"),
    ];
    for (key, name) in bounds {
        let guarded = move |db: &Db, from, until, limit| {
            if from >= until {
                return Ok(Vec::new());
            }
            ids_between(db, &key(from), &key(until), limit)
        };
        named(&ranged(guarded), name);
        let natural =
            move |db: &Db, from, until, limit| ids_between(db, &key(from), &key(until), limit);
        named(&ranged(natural), name);
    }
    // Rows that are taken apart as rows by time.
    let apart = |db: &Db, from: u64, until: u64, limit| {
        let rows = db.default_family().range(from.to_key()..until.to_key());
        let id = |key: &[u8]| <(u8, u64, u32)>::from_key(key).unwrap().2;
        let ids = rows.take(limit).map(|row| Ok(id(&row?.0)));
        ids.collect()
    };
    named(&ranged(apart), "bounds_without_their_letter");
}
