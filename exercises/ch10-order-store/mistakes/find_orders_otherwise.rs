//! Queries by user and by time that are wrong as a whole and not in one step, and errors in place of empty answers.

use std::sync::Arc;

use engine::Db;
use engine::keys::{Desc, OrderedKey as _};
use kit::Mistake;

use crate::find_orders::{Ids, Queries, solution};
use crate::mistakes::find_orders::{ASK, PAGES, id_of, ids_of, index};
use crate::order::{Order, Page};
use crate::store::{Row, rows};

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

fn oldest_first(db: &Db) -> Vec<Order> {
    let mut all = orders(db);
    all.sort_by_key(|order| (order.at, order.id));
    all
}

/// Queries that find nothing, and one that sorts when it is too late.
pub(crate) fn at_large() -> Vec<Mistake<Queries>> {
    vec![
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
            "no_order_of_a_time",
            "between",
            "time",
            Queries {
                between: Arc::new(|_, _, _, _| Ok(Vec::new())),
                ..solution()
            },
        )
        .says("an empty list for every range of times")
        .why(
            "If you meant to find something: a row by time begins with the letter `t`, and then come the time, eight bytes, the highest first and not turned \
             round, and the id. Print a key of the store and your bounds, and compare their bytes.",
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
    ]
}

/// Questions whose answer is "none", or that nobody should have to ask, taken for faults.
pub(crate) fn errors() -> Vec<Mistake<Queries>> {
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
            "page_number_as_cursor",
            "with_status",
            "pages",
            Queries {
                with_status: Arc::new(move |db, status, limit, after| {
                    let page = after.and_then(|bytes| bytes.try_into().ok()).map_or(0, usize::from_be_bytes);
                    let all = (solution().with_status)(db, status, usize::MAX, None)?.ids;
                    let (start, end) = (page.saturating_mul(limit), (page + 1).saturating_mul(limit));
                    let ids = all.iter().skip(start).take(limit).copied().collect();
                    let next = (end < all.len()).then(|| (page + 1).to_be_bytes().to_vec());
                    Ok(Page { ids, next })
                }),
                ..solution()
            },
        )
        .says("a cursor that is the number of the next page")
        .why(
            "If an order before it goes, all others move up and one is skipped. If one comes, one is shown twice. And where a page begins, depends on a `limit` \
             that may be another one the next time.",
        )
        .link(PAGES),
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

/// A user compared in another way than as the bytes of a key, or orders of a user put in another order.
pub(crate) fn of_users() -> Vec<Mistake<Queries>> {
    let by_user = |name, query: fn(&Db, &str, usize) -> Ids| {
        let queries = Queries {
            of_user: Arc::new(query),
            ..solution()
        };
        Mistake::new(name, "of_user", "user", queries)
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
        by_user("name_anywhere_in_the_user", |db, user, limit| {
            let mut found: Vec<Order> = orders(db).into_iter().filter(|order| order.user.contains(user)).collect();
            found.sort_by_key(|order| (Desc(order.at), order.id));
            ids(found.iter(), limit)
        })
        .says("the orders of all users whose names hold the given one")
        .why("`ann` is in `anna` and in `joann`, and the empty name in every one. Asked for are the orders of one user: the whole name counts, with its end.")
        .link(ASK),
        by_user("ascii_case_ignored", |db, user, limit| {
            let is_own = |order: &Order| order.user.eq_ignore_ascii_case(user);
            let mut found: Vec<Order> = orders(db).into_iter().filter(is_own).collect();
            found.sort_by_key(|order| (Desc(order.at), order.id));
            ids(found.iter(), limit)
        })
        .says("the orders of all users whose names differ from the given one in the case of letters alone")
        .why("`Ann` and `ann` are two users. A key compares a name as the bytes that it is.")
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
            let mut ids = (solution().of_user)(db, user, limit)?;
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
            (solution().of_user)(db, user, limit)
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
                    (solution().of_user)(db, user, last + 1)
                }),
                ..solution()
            },
        )
        .says("the right orders, with a panic for the limit 0")
        .why("Is there a `limit - 1`? Nothing is less than 0, and a limit of 0 asks for no order. `take(limit)` takes nothing then.")
        .link(ASK),
        by_user("user_asked_for_is_trimmed", |db, user, limit| (solution().of_user)(db, user.trim(), limit))
            .says("the orders of the user whose name is left when the spaces around it are cut off")
            .why("A space is a character like any other: `ann` and `ann ` are two users. Clean up what people type before it is stored.")
            .link(ASK),
        by_user("user_in_one_byte_a_character", |db, user, limit| {
            let mut prefix = vec![b'u'];
            for character in user.chars() {
                let [_, _, _, byte] = u32::from(character).to_be_bytes();
                prefix.extend(if byte == 0 { vec![0x00, 0xff] } else { vec![byte] });
            }
            prefix.extend([0x00, 0x01]);
            let found = rows(db).into_iter().filter(|(key, _)| key.starts_with(&prefix));
            Ok(found.take(limit).map(|(key, _)| id_of(&key)).collect())
        })
            .says("the rows of a name with one byte for each character, the last of its number")
            .why(
                "That is right for the 128 characters of ASCII. `ë` has two bytes in UTF-8, and the rows hold those: `bytes()` gives them, and \
                 `chars()` with `as u8` cuts the number of a character to its last byte.",
            )
            .link(ASK),
        by_user("user_asked_for_in_small_letters", |db, user, limit| (solution().of_user)(db, &user.to_lowercase(), limit))
            .says("the orders of the user whose name is the given one in small letters")
            .why("`Ann` and `ann` are two users. The rows hold the name as it was given, so `Ann` finds none of her own orders.")
            .link(ASK),
    ]
}

/// Times compared in another way than as the bytes of a key, or orders of a time put in another order.
pub(crate) fn of_times() -> Vec<Mistake<Queries>> {
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
    let zero_end = Queries {
        between: Arc::new(|db, from, until, limit| {
            let until = if until == 0 { u64::MAX } else { until };
            (solution().between)(db, from, until, limit)
        }),
        ..solution()
    };
    vec![
        Mistake::new("zero_until_is_no_end", "between", "time", zero_end)
            .says("a range without an end where `until` is 0")
            .why("Many programs mean \"no end\" by 0. Here it is a time like any other, and no order was placed before it: there are none.")
            .link(ASK),
        Mistake::new(
            "found_ones_sorted_by_id_in_a_range",
            "between",
            "time",
            Queries {
                between: Arc::new(|db, from, until, limit| {
                    let mut ids = (solution().between)(db, from, until, limit)?;
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

/// A range between two keys that are not those of the rows by time.
pub(crate) fn between_other_keys() -> Vec<Mistake<Queries>> {
    type Key = fn(u64) -> Vec<u8>;
    // The engine has no rows where a range ends before it starts.
    fn range(key: Key, is_read: fn(&[u8]) -> bool) -> Queries {
        let query = move |db: &Db, from, until, limit| {
            let (start, end) = (key(from), key(until));
            let keys = rows(db).into_iter().map(|(key, _)| key);
            let inside = |row: &Vec<u8>| start <= *row && *row < end;
            let found: Vec<Vec<u8>> = keys.filter(inside).take(limit).collect();
            let is_read = found.iter().all(|row| is_read(row));
            assert!(is_read, "a row that is none by time");
            Ok(ids_of(found.iter(), false))
        };
        Queries {
            between: Arc::new(query),
            ..solution()
        }
    }
    let mistake = |name, key: Key| {
        Mistake::new(name, "between", "time", range(key, |_| true))
            .whole()
            .link(ASK)
    };
    let without_a_letter: Key = |time| time.to_key();
    let by_time = |row: &[u8]| row.starts_with(b"t");
    vec![
        mistake("bounds_in_little_endian", |time| {
            [b"t", &time.to_le_bytes()[..]].concat()
        })
        .says("a range between two keys whose times are in little-endian")
        .why(
            "The rows have the highest byte of the time first, or they would not be in order. So have the bounds: `to_be_bytes`, or a tuple made by \
             `to_key`.",
        ),
        mistake("bounds_of_four_bytes", |time| (b't', time as u32).to_key())
            .says("a range between two keys whose times have four bytes")
            .why("A time has eight bytes in the rows, and the first four of them are zero for 49 days after 1970. Make the bounds of a `u64`."),
        mistake("bounds_cut_to_32_bits", |time| (b't', u64::from(time as u32)).to_key())
            .says("a range between bounds cut by `as u32`")
            .why("Milliseconds since 1970 need 41 bits today. A bound cut to 32 is another time, and so is `u64::MAX`."),
        mistake("bounds_without_their_letter", without_a_letter)
            .or(range(without_a_letter, by_time))
            .says("a range between two times without the letter `t` before them")
            .why(
                "The keys of one store are one order, whatever they are of, and a row by time begins with `t`. Without it, the bounds lie somewhere among \
                 all rows.",
            ),
    ]
}

/// One added to `until`, whose greatest value has no next one.
pub(crate) fn one_more() -> [Mistake<Queries>; 3] {
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

/// Limits that are cut, of each of the three queries.
#[expect(clippy::cast_possible_truncation, reason = "these are the mistakes")]
pub(crate) fn cut_limits() -> Vec<Mistake<Queries>> {
    const TO_32: &str = "`as u32` drops the upper half without a word: 2^32 + 1 becomes 1. A `usize` has 64 bits on most machines, and is taken as it is.";
    const TO_16: &str = "`as u16` keeps the last 16 bits: 65537 becomes 1. A `usize` has 64 bits on most machines, and is taken as it is.";
    type Cut = fn(usize) -> usize;
    let widths: [(&str, &str, Cut, &str); 2] = [
        (
            "to_32_bits",
            "a limit cut to 32 bits",
            |limit| limit as u32 as usize,
            TO_32,
        ),
        (
            "to_16_bits",
            "a limit cut to 16 bits",
            |limit| limit as u16 as usize,
            TO_16,
        ),
    ];
    let mut mistakes = Vec::new();
    for (width, says, cut, why) in widths {
        let of_user = Queries {
            of_user: Arc::new(move |db, user, limit| (solution().of_user)(db, user, cut(limit))),
            ..solution()
        };
        let between = Queries {
            between: Arc::new(move |db, from, until, limit| {
                (solution().between)(db, from, until, cut(limit))
            }),
            ..solution()
        };
        let with_status = Queries {
            with_status: Arc::new(move |db, status, limit, after| {
                (solution().with_status)(db, status, cut(limit), after)
            }),
            ..solution()
        };
        for (limit, function, check, queries) in [
            ("limit", "of_user", "user", of_user),
            ("limit_of_times", "between", "time", between),
            ("limit_of_pages", "with_status", "pages", with_status),
        ] {
            let mistake = Mistake::new(format!("{limit}_cut_{width}"), function, check, queries);
            mistakes.push(mistake.says(says).why(why).link(ASK));
        }
    }
    mistakes
}
