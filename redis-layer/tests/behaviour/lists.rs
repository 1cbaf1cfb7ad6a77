//! Lists: against a model, at their ends, in the middle, and as queues.

use std::collections::VecDeque;

use bytes::Bytes;
use redis_layer::commands::Reply;
use redis_layer::store::{Batch, Direction, KeyRange, Space};
use redis_layer::types::rows::{Content, Ends, Metadata, Position, RowPrefix, metadata_key};
use redis_layer::types::{check, check_ranks};

use crate::common::random::Random;
use crate::common::{Direct, StoreKind, over_every_store, show};

/// Two begin like the value of a row that holds several.
const ELEMENTS: [&str; 8] = ["a", "b", "c", "", "\\xff\\x00", "10", "\\xfe\\x02", "\\xfd"];

fn shown<'a>(elements: impl IntoIterator<Item = &'a &'static str>) -> String {
    let elements: Vec<_> = elements.into_iter().copied().collect();
    format!("[{}]", elements.join(" "))
}

/// What `LREM` does to the model: that many from the front, or if negative from the back, or all if 0.
fn remove(model: &mut VecDeque<&'static str>, count: i64, element: &str) {
    let mut left = if count == 0 { i64::MAX } else { count.abs() };
    let mut keep = |e: &&'static str| {
        let removed = *e == element && left > 0;
        left -= i64::from(removed);
        !removed
    };
    if count < 0 {
        let kept: Vec<_> = model.iter().rev().copied().filter(|e| keep(e)).collect();
        *model = kept.into_iter().rev().collect();
    } else {
        model.retain(|e| keep(e));
    }
}

/// What is pushed at once: mostly one, else so many that rows get full.
fn some(random: &mut Random) -> Vec<&'static str> {
    let count = match random.below(6) {
        0..=2 => 1,
        3 | 4 => 1 + random.below(6),
        _ => 1 + random.below(150),
    };
    (0..count)
        .map(|_| ELEMENTS[random.below(ELEMENTS.len())])
        .collect()
}

/// One random command to the list and to the model.
fn step(direct: &mut Direct, model: &mut VecDeque<&'static str>, random: &mut Random) {
    let element = random.pick(&ELEMENTS);
    let len = i64::try_from(model.len()).unwrap();
    match random.below(12) {
        side @ 0..=3 => {
            let elements = some(random);
            for element in &elements {
                match side {
                    0 | 1 => model.push_front(element),
                    _ => model.push_back(element),
                }
            }
            let command = ["lpush", "rpush"][side / 2];
            let reply = direct.show(&format!("{command} l {}", elements.join(" ")));
            assert_eq!(reply, model.len().to_string());
        }
        side @ 4..=5 => {
            let count = [1, 1, 1, 2, 5, 20][random.below(6)];
            let mut popped = Vec::new();
            for _ in 0..count {
                popped.extend(match side {
                    4 => model.pop_front(),
                    _ => model.pop_back(),
                });
            }
            let command = ["lpop", "rpop"][side - 4];
            let (reply, expected) = match count {
                1 => (
                    direct.show(&format!("{command} l")),
                    popped.pop().unwrap_or("nil").to_owned(),
                ),
                _ if popped.is_empty() => (
                    direct.show(&format!("{command} l {count}")),
                    "nil".to_owned(),
                ),
                _ => (direct.show(&format!("{command} l {count}")), shown(&popped)),
            };
            assert_eq!(reply, expected);
        }
        6 | 7 => {
            let pivot = random.pick(&ELEMENTS);
            let after = random.once_in(2);
            let word = if after { "after" } else { "before" };
            let reply = direct.show(&format!("linsert l {word} {pivot} {element}"));
            let expected = match model.iter().position(|e| *e == pivot) {
                Some(at) => {
                    model.insert(at + usize::from(after), element);
                    model.len().to_string()
                }
                None if model.is_empty() => "0".to_owned(),
                None => "-1".to_owned(),
            };
            assert_eq!(reply, expected);
        }
        8 => {
            let count = i64::try_from(random.below(5)).unwrap() - 2;
            remove(model, count, element);
            let removed = len - i64::try_from(model.len()).unwrap();
            let reply = direct.show(&format!("lrem l {count} {element}"));
            assert_eq!(reply, removed.to_string());
        }
        9 if len > 0 => {
            let index = random.below(model.len());
            model[index] = element;
            let from_end = i64::try_from(index).unwrap() - len;
            let reply = direct.show(&format!("lset l {from_end} {element}"));
            assert_eq!(reply, "OK");
        }
        10 if random.once_in(4) && len > 0 => {
            let start = random.below(model.len());
            let stop = start + random.below(model.len());
            *model = model
                .iter()
                .skip(start)
                .take(stop - start + 1)
                .copied()
                .collect();
            assert_eq!(direct.show(&format!("ltrim l {start} {stop}")), "OK");
        }
        _ => {
            let index = random.below(model.len() + 2);
            let expected = model.get(index).copied().unwrap_or("nil");
            assert_eq!(direct.show(&format!("lindex l {index}")), expected);
            let count = random.below(4);
            let expected = shown(model.iter().skip(index).take(count + 1));
            let reply = direct.show(&format!("lrange l {index} {}", index + count));
            assert_eq!(reply, expected);
        }
    }
}

#[test]
fn random_scripts_agree_with_a_model() {
    over_every_store(|direct| {
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let mut model = VecDeque::new();
            direct.run("del l");
            for round in 0..120 {
                step(direct, &mut model, &mut random);
                if round % 4 == 0 {
                    direct.check();
                }
            }
            assert_eq!(direct.show("lrange l 0 -1"), shown(&model), "seed {seed}");
            direct.check();
        }
    });
}

/// Commands of one transaction push into the same rows, and take out of them again.
#[test]
fn what_a_transaction_pushes_it_pops_and_changes() {
    over_every_store(|direct| {
        let mut random = Random::new(3);
        let mut model = VecDeque::new();
        for round in 0..300 {
            direct.run("multi");
            let mut expected = Vec::new();
            for _ in 0..random.below(40) {
                let element = ELEMENTS[random.below(ELEMENTS.len())];
                let command = match random.below(8) {
                    0..=1 => {
                        model.push_front(element);
                        expected.push(model.len().to_string());
                        format!("lpush l {element}")
                    }
                    2..=3 => {
                        model.push_back(element);
                        expected.push(model.len().to_string());
                        format!("rpush l {element}")
                    }
                    4 => {
                        expected.push(model.pop_front().unwrap_or("nil").to_owned());
                        "lpop l".to_owned()
                    }
                    5 => {
                        expected.push(model.pop_back().unwrap_or("nil").to_owned());
                        "rpop l".to_owned()
                    }
                    6 if !model.is_empty() => {
                        let at = random.below(model.len());
                        model[at] = element;
                        expected.push("OK".to_owned());
                        format!("lset l {at} {element}")
                    }
                    _ => {
                        let at = random.below(model.len() + 1);
                        expected.push(model.get(at).copied().unwrap_or("nil").to_owned());
                        format!("lindex l {at}")
                    }
                };
                direct.run(&command);
            }
            let expected = format!("[{}]", expected.join(" "));
            assert_eq!(direct.show("exec"), expected, "round {round}");
            assert_eq!(direct.show("lrange l 0 -1"), shown(&model), "round {round}");
            direct.check();
        }
    });
}

/// Elements that were pushed one behind the other in one transaction share rows; what stays of a row is found when others
/// are gone, and goes with the last.
#[test]
fn elements_that_are_pushed_together_share_a_row() {
    over_every_store(|direct| {
        let rows = |direct: &Direct| {
            let snapshot = direct.store.snapshot().unwrap();
            let (everything, forward) = (KeyRange::all(), Direction::Forward);
            let mut cursor = snapshot.scan(Space::Data, &everything, forward).unwrap();
            let mut rows = 0;
            while cursor.row().is_some() {
                rows += 1;
                cursor.advance().unwrap();
            }
            rows
        };
        let numbers: Vec<String> = (0..100).map(|i| i.to_string()).collect();
        direct.run(&format!("lpush l {}", numbers.join(" ")));
        assert_eq!(rows(direct), 2, "of 64 and of 36");
        direct.run("rpush l alone");
        assert_eq!(rows(direct), 3, "a later push has a row of its own");
        assert_eq!(direct.show("rpop l"), "alone");
        for i in 0..63 {
            assert_eq!(direct.show("rpop l"), i.to_string());
            assert_eq!(rows(direct), 2);
        }
        assert_eq!(direct.show("rpop l"), "63");
        assert_eq!(rows(direct), 1);
        direct.run("lpop l 30");
        assert_eq!(rows(direct), 1);
        assert_eq!(direct.show("lrange l 0 -1"), "[69 68 67 66 65 64]");
        // The slots of what is gone are taken again, so the row is cut.
        direct.run("rpush l a");
        direct.run("lpush l b");
        assert_eq!(direct.show("lrange l 0 -1"), "[b 69 68 67 66 65 64 a]");
        assert_eq!(rows(direct), 3);
        direct.check();
        // One row for each element where something changes in the middle.
        direct.run("linsert l before 67 c");
        assert_eq!(direct.show("lrange l 0 -1"), "[b 69 68 c 67 66 65 64 a]");
        assert_eq!(rows(direct), 9);
        direct.check();
    });
}

#[test]
fn every_command_answers_as_redis_does() {
    const WRONG_TYPE: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";
    const NUMBER: &str = "ERR value is not an integer or out of range";
    over_every_store(|direct| {
        direct.expect(&[
            ("rpush l a b c a b c", "6"),
            ("lpushx l z", "7"),
            ("rpushx nope z", "0"),
            ("exists nope", "0"),
            ("type l", "list"),
            (
                "lpop l 1 2",
                "ERR wrong number of arguments for 'lpop' command",
            ),
            ("lpop l -1", "ERR value is out of range, must be positive"),
            ("lpop l 0", "[]"),
            ("lpop nope 0", "nil"),
            ("lpop l 1", "[z]"),
            ("rpop l 2", "[c b]"),
            ("lrange l -100 100", "[a b c a]"),
            ("lrange l 2 1", "[]"),
            ("lrange l 0 -5", "[]"),
            ("lindex l -4", "a"),
            ("lindex l -5", "nil"),
            ("lindex nope x", "nil"),
            ("lindex l x", NUMBER),
            ("lset nope x y", "ERR no such key"),
            ("lset l 4 y", "ERR index out of range"),
            ("lset l -5 y", "ERR index out of range"),
            ("lset l x y", NUMBER),
            ("linsert l beside a b", "ERR syntax error"),
            ("lpos l a", "0"),
            ("lpos l a rank -1", "3"),
            ("lpos l a count 0", "[0 3]"),
            ("lpos l a rank 2 count 5", "[3]"),
            ("lpos l a rank -9223372036854775808", "3"),
            ("lpos l a rank -9223372036854775808 count 1", "[3 0]"),
            ("lpos l a maxlen 1 rank -2", "nil"),
            ("lpos l a rank 2 maxlen 3 count 0", "[]"),
            ("lpos l a count -1", "ERR COUNT can't be negative"),
            ("lpos l a maxlen x", "ERR MAXLEN can't be negative"),
            ("lpos l a maxlen", "ERR syntax error"),
            ("lpos nope a count 1", "[]"),
            ("lrem l x a", NUMBER),
            ("ltrim l x 0", NUMBER),
            ("ltrim nope 0 0", "OK"),
            ("lmpop 0 l left", "ERR numkeys should be greater than 0"),
            ("lmpop 2 l left", "ERR syntax error"),
            ("lmpop 1 l up", "ERR syntax error"),
            (
                "lmpop 1 l left count 0",
                "ERR count should be greater than 0",
            ),
            ("lmpop 1 l left count 1 count 1", "ERR syntax error"),
            ("lmpop 1 nope left", "nil"),
            ("lmpop 2 nope l right count 2", "[l [a c]]"),
            ("lmove l l left right", "a"),
            ("lrange l 0 -1", "[b a]"),
            ("lmove l m right left", "a"),
            ("rpoplpush l m", "b"),
            ("exists l", "0"),
            ("lrange m 0 -1", "[b a]"),
            ("lmove nope m left left", "nil"),
            ("lmove m m up left", "ERR syntax error"),
            ("set s v", "OK"),
            ("lpush s a", WRONG_TYPE),
            ("lpushx s a", WRONG_TYPE),
            ("lmove m s left left", WRONG_TYPE),
            ("llen m", "2"),
            ("lmpop 2 nope s left", WRONG_TYPE),
            ("lpos s a", WRONG_TYPE),
            ("get m", WRONG_TYPE),
            ("zadd m 1 a", WRONG_TYPE),
        ]);
    });
}

#[test]
fn an_expiry_stays_with_a_list_that_is_rotated_while_it_has_one_element() {
    over_every_store(|direct| {
        direct.expect(&[
            ("rpush l a", "1"),
            ("expire l 100", "1"),
            ("rpoplpush l l", "a"),
            ("ttl l", "100"),
            ("lpop l", "a"),
            ("exists l", "0"),
            ("rpush l b", "1"),
            ("ttl l", "-1"),
        ]);
    });
}

/// Hundreds of thousands of insertions at one place: by one pivot from either side, and by bisection, which needs
/// paths to be spread anew.
#[test]
fn insertions_at_one_place_keep_their_order() {
    let mut direct = Direct::new(StoreKind::BTree);
    direct.run("rpush l first before after last");
    for i in 0..500 {
        direct.run(&format!("linsert l before before b{i}"));
        direct.run(&format!("linsert l after after a{i}"));
    }
    let b = (0..500).map(|i| format!("b{i}"));
    let a = (0..500).rev().map(|i| format!("a{i}"));
    let expected: Vec<String> = std::iter::once("first".to_owned())
        .chain(b)
        .chain(["before".to_owned(), "after".to_owned()])
        .chain(a)
        .chain(["last".to_owned()])
        .collect();
    assert_eq!(
        direct.show("lrange l 0 -1"),
        format!("[{}]", expected.join(" "))
    );
    direct.check();
    direct.run("del l");
    direct.run("rpush l low high");
    let mut expected = VecDeque::from(["low".to_owned(), "high".to_owned()]);
    let mut at = 1;
    for i in 0..2000 {
        // Before the newest, then behind it: the gap is halved again and again.
        let new = format!("n{i}");
        let (word, pivot) = if i % 2 == 0 {
            ("before", at)
        } else {
            ("after", at)
        };
        direct.run(&format!("linsert l {word} {} {new}", expected[pivot]));
        at = if i % 2 == 0 { pivot } else { pivot + 1 };
        expected.insert(at, new);
    }
    let expected = Vec::from(expected).join(" ");
    assert_eq!(direct.show("lrange l 0 -1"), format!("[{expected}]"));
    direct.check();
    let longest = longest_row(&direct);
    assert!(longest <= 4 + 3 + 8 + 8 + 8 * 8, "{longest}");
}

/// An element that the transaction has moved to a row of its own may get a neighbour in that row: but not if elements
/// were inserted behind it in its slot, because the row goes when their paths are spread.
#[test]
fn what_is_pushed_beside_an_insertion_survives_the_spreading_of_paths() {
    over_every_store(|direct| {
        direct.run("rpush l a b");
        direct.run("multi");
        direct.run("linsert l before b x");
        direct.run("lpush l z");
        direct.run("exec");
        direct.check();
        direct.run("linsert l before b y0");
        // Each before the newest, so that the gap behind `x` is halved every time.
        for i in 1..400 {
            direct.run(&format!("linsert l before y{} y{i}", i - 1));
        }
        let inserted = (0..400).rev().map(|i| format!("y{i}"));
        let inserted = inserted.collect::<Vec<_>>().join(" ");
        direct.expect(&[
            ("lrange l 0 -1", &format!("[z a x {inserted} b]")),
            ("lpop l", "z"),
            ("lpop l", "a"),
        ]);
    });
}

/// Inserts an element into the list `l` and into a model of it.
fn insert_before(direct: &mut Direct, model: &mut Vec<String>, pivot: &str, new: &str) {
    let at = model.iter().position(|element| element == pivot).unwrap();
    model.insert(at, new.to_owned());
    let len = model.len().to_string();
    assert_eq!(direct.show(&format!("linsert l before {pivot} {new}")), len);
}

/// The numbers are chosen so that the first element gets the position that another one had before.
#[test]
fn elements_that_are_spread_twice_keep_their_ends() {
    // After so many insertions, each before the newest, the next one spreads the paths.
    const HALVINGS: usize = 263;
    let mut direct = Direct::new(StoreKind::BTree);
    direct.run("rpush l a b");
    let mut model: Vec<String> = ["a", "b"].map(str::to_owned).to_vec();
    for i in 0..335 {
        insert_before(&mut direct, &mut model, "b", &format!("p{i}"));
    }
    let mut newest = "p0".to_owned();
    for i in 0..=HALVINGS {
        let new = format!("n{i}");
        insert_before(&mut direct, &mut model, &newest, &new);
        newest = new;
    }
    // 599 were spread. Before the next 264 come, 35 of them and the newest are left.
    model.retain(|element| {
        let (letter, number) = element.split_at(1);
        let number = number.parse().unwrap_or(0);
        let stays = match letter {
            "n" => number >= HALVINGS - 1,
            _ => number < 33,
        };
        if !stays {
            direct.run(&format!("lrem l 1 {element}"));
        }
        stays
    });
    for i in 0..=HALVINGS {
        let new = format!("m{i}");
        insert_before(&mut direct, &mut model, &newest, &new);
        newest = new;
    }
    let expected = format!("[{}]", model.join(" "));
    direct.expect(&[("lrange l 0 -1", &expected), ("lpop l", "a")]);
}

fn longest_row(direct: &Direct) -> usize {
    let snapshot = direct.store.snapshot().unwrap();
    let (everything, forward) = (KeyRange::all(), Direction::Forward);
    let mut cursor = snapshot.scan(Space::Data, &everything, forward).unwrap();
    let mut longest = 0;
    while let Some((row, _)) = cursor.row() {
        longest = longest.max(row.len());
        cursor.advance().unwrap();
    }
    longest
}

/// In a long list with holes and insertions everywhere, the n-th element is found by counts, which follow each change.
#[test]
fn numbers_in_a_changed_list_are_right_whatever_happens_to_it() {
    over_every_store(|direct| {
        let mut random = Random::new(7);
        let mut model: VecDeque<String> = (0..1500).map(|i| format!("e{i}")).collect();
        let all = Vec::from(model.clone()).join(" ");
        direct.run(&format!("rpush l {all}"));
        for round in 0..1500 {
            let at = random.below(model.len());
            let element = model[at].clone();
            match random.below(12) {
                0..=3 => {
                    let new = format!("n{round}");
                    direct.run(&format!("linsert l after {element} {new}"));
                    model.insert(at + 1, new);
                }
                4..=6 => {
                    assert_eq!(direct.show(&format!("lrem l 1 {element}")), "1");
                    model.remove(at);
                }
                7 => {
                    let popped = direct.show(if at.is_multiple_of(2) {
                        "lpop l"
                    } else {
                        "rpop l"
                    });
                    let expected = if at.is_multiple_of(2) {
                        model.pop_front()
                    } else {
                        model.pop_back()
                    };
                    assert_eq!(Some(popped), expected);
                }
                8 => {
                    direct.run(&format!("rpush l p{round}"));
                    model.push_back(format!("p{round}"));
                }
                9 => {
                    // A transaction that fails leaves the counts as they were.
                    direct.run("multi");
                    direct.run(&format!("lset l {at} {element}"));
                    direct.run("lpush l gone");
                    direct.run("ltrim l 1 -1");
                    direct.run("exec");
                }
                _ => {
                    assert_eq!(direct.show(&format!("lindex l {at}")), element);
                    let part = model.iter().skip(at).take(3).cloned();
                    let part = part.collect::<Vec<_>>().join(" ");
                    let range = direct.show(&format!("lrange l {at} {}", at + 2));
                    assert_eq!(range, format!("[{part}]"));
                }
            }
        }
        let faults = check_ranks(&*direct.store, direct.server.shared.rank_indexes());
        assert_eq!(faults.unwrap(), []);
        assert_eq!(direct.server.shared.rank_indexes().len(), 1);
        direct.check();
    });
}

/// After the changed part has been popped, the list is as good as new: the metadata say nothing of a middle.
#[test]
fn a_queue_gets_rid_of_its_middle() {
    over_every_store(|direct| {
        let plain = |direct: &Direct| {
            let row = metadata_key(0, b"l");
            let snapshot = direct.store.snapshot().unwrap();
            snapshot.get(Space::Metadata, &row).unwrap().unwrap().len() == 1 + 8 + 8 + 4 + 8
        };
        direct.expect(&[("rpush l a b c d e f g", "7"), ("lrem l 1 a", "1")]);
        assert!(plain(direct), "the first one is an end");
        direct.expect(&[("lrem l 1 d", "1"), ("linsert l before e x", "6")]);
        assert!(!plain(direct));
        direct.expect(&[
            ("lpush l z", "7"),
            ("lindex l 3", "x"),
            ("lindex l -4", "x"),
            ("lindex l -3", "e"),
        ]);
        direct.expect(&[("lpop l 4", "[z b c x]")]);
        direct.expect(&[("lrange l 0 -1", "[e f g]"), ("lpop l", "e")]);
        direct.expect(&[("lrange l 0 -1", "[f g]"), ("lindex l 1", "g")]);
        assert!(plain(direct));
    });
}

#[test]
fn long_lists_are_emptied_at_once_and_begin_anew() {
    over_every_store(|direct| {
        let numbers: Vec<String> = (0..200).map(|i| i.to_string()).collect();
        let push = format!("rpush l {}", numbers.join(" "));
        for empty in ["ltrim l 1 0", "lpop l 1000", "del l"] {
            direct.run(&push);
            direct.run(empty);
            direct.expect(&[
                ("exists l", "0"),
                ("rpush l a", "1"),
                ("lrange l 0 -1", "[a]"),
            ]);
            direct.run("del l");
        }
    });
}

/// Every way in which the rows of a list can contradict its metadata is found.
#[test]
fn the_checker_finds_contradictions() {
    let row = RowPrefix::new(0, b"l", 1);
    let at = |slot: i64, path: &[u64]| {
        let path = path.to_vec();
        row.element_key(&Position { slot, path })
    };
    type Damage<'a> = (&'a str, &'a dyn Fn(&mut Batch));
    let damages: [Damage<'_>; 8] = [
        ("its size is 4, it has 3", &|batch| {
            batch.delete(Space::Data, at(1, &[]));
        }),
        ("its first element", &|batch| {
            batch.delete(Space::Data, at(0, &[]));
            batch.put(Space::Data, at(4, &[]), Bytes::new());
        }),
        ("between 0 and 2", &|batch| {
            batch.delete(Space::Data, at(1, &[]));
            batch.put(Space::Data, at(3, &[7]), Bytes::new());
        }),
        ("is outside the middle", &|batch| {
            batch.delete(Space::Data, at(1, &[]));
            batch.put(Space::Data, at(2, &[7]), Bytes::new());
        }),
        ("hold 1 elements after the last one", &|batch| {
            let two = b"\xfd\x02\0\x01\0\x02de";
            batch.put(Space::Data, at(3, &[]), Bytes::from_static(two));
        }),
        ("is in two rows", &|batch| {
            let two = b"\xfe\x02\0\x01\0\x02dc";
            batch.put(Space::Data, at(3, &[]), Bytes::from_static(two));
        }),
        ("is in a bundle", &|batch| {
            let two = b"\xfe\x02\0\x01\0\x02cb";
            batch.delete(Space::Data, at(1, &[]));
            batch.put(Space::Data, at(2, &[]), Bytes::from_static(two));
            batch.put(Space::Data, at(2, &[7]), Bytes::new());
        }),
        ("is damaged", &|batch| {
            let long = b"\xfd\x01\0\x01de";
            batch.put(Space::Data, at(3, &[]), Bytes::from_static(long));
        }),
    ];
    for (expected, damage) in damages {
        let mut direct = Direct::new(StoreKind::BTree);
        for element in ["a", "b", "c", "d"] {
            direct.run(&format!("rpush l {element}"));
        }
        direct.check();
        let mut batch = Batch::default();
        damage(&mut batch);
        direct.store.write(batch).unwrap();
        let report = check(&*direct.store).unwrap();
        let mut faults = report.faults.iter();
        let found = faults.any(|fault| fault.what.contains(expected));
        assert!(found, "{expected}: {report:?}");
    }
}

/// A scan begins at the first element, and the metadata row knows where that is. So the tombstones of everything that
/// was popped lie outside.
#[test]
fn a_queue_does_not_walk_over_what_it_has_popped() {
    let mut direct = Direct::new(StoreKind::Engine);
    direct.run("rpush l x y");
    for i in 0..3000 {
        direct.run(&format!("rpush l {i}"));
        let popped = direct.run("lpop l");
        assert!(matches!(popped, Reply::Bulk(_)), "{}", show(&popped));
    }
    assert_eq!(direct.show("lrange l 0 -1"), "[2998 2999]");
    let row = metadata_key(0, b"l");
    let snapshot = direct.store.snapshot().unwrap();
    let value = snapshot.get(Space::Metadata, &row).unwrap().unwrap();
    let content = Metadata::decode(&row, &value).unwrap().content;
    let Content::List(_, ends) = content else {
        panic!("{content:?}");
    };
    assert_eq!(ends, Ends::regular(3000, 2));
    direct.check();
}

/// How elements came into their rows is nobody's business: lists with equal elements are equal, and take about as much memory.
#[test]
fn lists_with_equal_elements_have_one_digest() {
    let mut direct = Direct::new(StoreKind::BTree);
    let elements: Vec<String> = (0..100).map(|i| format!("element:{i}")).collect();
    direct.run(&format!("rpush together {}", elements.join(" ")));
    direct.run("rpush one_by_one gone");
    for element in &elements {
        direct.run(&format!("rpush one_by_one {element}"));
    }
    direct.run("lpop one_by_one");
    let reversed: Vec<_> = elements.iter().rev().cloned().collect();
    direct.run(&format!("lpush leftwards {} gone", reversed.join(" ")));
    direct.run("lpop leftwards");
    direct.run("copy leftwards copied");
    let digests = direct.show("debug digest-value together one_by_one leftwards copied");
    let digests: Vec<_> = digests.trim_matches(['[', ']']).split(' ').collect();
    assert_eq!(digests.len(), 4);
    assert!(
        digests.iter().all(|digest| *digest == digests[0]),
        "{digests:?}"
    );
    for (list, most) in [
        ("together", 3000),
        ("leftwards", 3000),
        ("one_by_one", 6000),
    ] {
        let bytes: usize = direct
            .show(&format!("memory usage {list}"))
            .parse()
            .unwrap();
        assert!((1000..most).contains(&bytes), "{list}: {bytes}");
    }
    direct.check();
}
