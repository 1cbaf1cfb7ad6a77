//! Random scripts, and after each of them every row is compared with every other. Also: the
//! checker finds what is wrong.

use std::collections::BTreeMap;

use bytes::Bytes;
use redis_layer::store::{Batch, Space};
use redis_layer::types::check;
use redis_layer::types::rows::{
    Collection, Content, Mark, Marks, Metadata, RowPrefix, Score, encode_score, metadata_key,
};

use crate::common::random::Random;
use crate::common::{self, Direct, StoreKind, over_every_store};

const MEMBERS: [&str; 8] = ["a", "b", "", "\\xff", "\\xff\\xff", "\\x00", "10", "c"];
const SCORES: [&str; 10] = [
    "0", "-0", "1", "-1", "inf", "-inf", "1e308", "-1e308", "0.5", "2",
];

/// A set as a map from members to scores, with the same commands. -0 and 0 are one score.
#[derive(Default)]
struct Model(BTreeMap<&'static str, f64>);

impl Model {
    fn sorted(&self) -> String {
        let mut pairs: Vec<_> = self.0.iter().collect();
        pairs.sort_by(|a, b| {
            let by_bytes = || common::unescape(a.0).cmp(&common::unescape(b.0));
            a.1.partial_cmp(b.1).unwrap().then_with(by_bytes)
        });
        let shown = pairs
            .iter()
            .map(|(member, score)| format!("{member}={score}"));
        format!("[{}]", shown.collect::<Vec<_>>().join(" "))
    }
}

#[test]
fn random_scripts_leave_both_indexes_in_agreement_with_a_model() {
    over_every_store(|direct| {
        for seed in 0..30 {
            let mut random = Random::new(seed);
            let mut model = Model::default();
            direct.run("del z");
            for step in 0..60 {
                let member = random.pick(&MEMBERS);
                let text = random.pick(&SCORES);
                let score: f64 = text.parse::<f64>().unwrap() + 0.0;
                match random.below(8) {
                    0..=3 => {
                        direct.run(&format!("zadd z {text} {member}"));
                        model.0.insert(member, score);
                    }
                    4 => {
                        let sum = model.0.get(member).copied().unwrap_or(0.0) + score;
                        direct.run(&format!("zincrby z {text} {member}"));
                        if !sum.is_nan() {
                            model.0.insert(member, sum + 0.0);
                        }
                    }
                    5 => {
                        direct.run(&format!("zrem z {member}"));
                        model.0.remove(member);
                    }
                    6 if step % 20 == 0 => {
                        direct.run("del z");
                        model.0.clear();
                    }
                    _ => {
                        let sorted = model.sorted();
                        let mut members = sorted[1..sorted.len() - 1].split(' ');
                        let (popped, first) = if step % 3 == 0 {
                            (direct.show("zpopmax z"), members.next_back().unwrap_or(""))
                        } else {
                            (direct.show("zpopmin z"), members.next().unwrap_or(""))
                        };
                        assert_eq!(popped, format!("[{}]", first.replacen('=', " ", 1)));
                        let name = first.split('=').next().unwrap_or("");
                        model.0.remove(name);
                    }
                }
            }
            assert_eq!(
                direct.show("zrange z 0 -1 withscores"),
                model.sorted(),
                "seed {seed}"
            );
            direct.check();
        }
    });
}

/// Each way in which the rows of a set can contradict one another is found.
#[test]
fn the_checker_finds_contradictions() {
    let score = |value: f64| Score::new(value).unwrap();
    let row = RowPrefix::new(0, b"z", 1);
    let data = |member: &[u8]| row.data_key(member);
    type Damage<'a> = (&'a str, &'a dyn Fn(&mut Batch));
    let with_marks = |batch: &mut Batch, marks| {
        let collection = Collection {
            version: 1,
            size: 2,
        };
        let metadata = Metadata::new(Content::SortedSet(collection, marks));
        batch.put(Space::Metadata, metadata_key(0, b"z"), metadata.encode());
    };
    let mark = |value: f64| Mark::start_of(row.mark_of(&row.score_key(score(value), b"")));
    let damages: [Damage<'_>; 7] = [
        ("is outside the marks", &|batch| {
            let low = mark(1.5);
            with_marks(
                batch,
                Marks {
                    low,
                    ..Marks::default()
                },
            );
        }),
        ("no row is at a mark", &|batch| {
            let marks = Marks {
                low: mark(0.5),
                first_is_known: true,
                ..Marks::default()
            };
            with_marks(batch, marks);
        }),
        ("no row is at a mark", &|batch| {
            let marks = Marks {
                high: mark(2.5),
                last_is_known: true,
                ..Marks::default()
            };
            with_marks(batch, marks);
        }),
        ("no score row", &|batch| {
            batch.delete(Space::Score, row.score_key(score(1.0), b"a"));
        }),
        ("its size is 2", &|batch| {
            batch.put(Space::Data, data(b"new"), encode_score(score(3.0)));
            batch.put(
                Space::Score,
                row.score_key(score(3.0), b"new"),
                Bytes::new(),
            );
        }),
        ("data row says None", &|batch| {
            batch.put(
                Space::Score,
                row.score_key(score(3.0), b"stale"),
                Bytes::new(),
            );
        }),
        ("data row says Some(2.0)", &|batch| {
            batch.put(Space::Score, row.score_key(score(7.0), b"b"), Bytes::new());
        }),
    ];
    for (expected, damage) in damages {
        let mut direct = Direct::new(StoreKind::BTree);
        direct.run("zadd z 1 a 2 b");
        direct.check();
        let mut batch = Batch::default();
        damage(&mut batch);
        direct.store.write(batch).unwrap();
        let report = check(&*direct.store).unwrap();
        let found = report
            .faults
            .iter()
            .any(|fault| fault.what.contains(expected));
        assert!(found, "{expected}: {report:?}");
    }
}

/// A damaged row is an error with the row in it, and no command panics over it.
#[test]
fn damaged_rows_are_reported_and_harm_no_other_key() {
    let mut direct = Direct::new(StoreKind::BTree);
    direct.run("zadd z 1 a");
    direct.run("set s v");
    let mut batch = Batch::default();
    batch.put(
        Space::Data,
        RowPrefix::new(0, b"z", 1).data_key(b"a"),
        Bytes::from_static(b"short"),
    );
    batch.put(
        Space::Metadata,
        b"\0\0\0\0bad".to_vec(),
        Bytes::from_static(b"\x0e"),
    );
    direct.store.write(batch).unwrap();
    let refusal = direct.show("zscore z a");
    assert!(
        refusal.starts_with("ERR the store failed: the data row 00000000"),
        "{refusal}"
    );
    assert!(refusal.contains("let `redis-layer fsck` list"), "{refusal}");
    assert!(
        direct
            .show("zadd z 2 a")
            .starts_with("ERR the store failed")
    );
    assert!(direct.show("get bad").contains("tag 0e is unknown"));
    assert_eq!(direct.show("get s"), "v");
    let report = check(&*direct.store).unwrap();
    let faults: Vec<&str> = report.faults.iter().map(|f| f.what.as_str()).collect();
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].contains("tag 0e is unknown"), "{faults:?}");
    assert!(faults[1].contains("the data row 00000000"), "{faults:?}");
    // The checker is what `fsck` runs: it need not tell anybody to run it.
    assert!(
        !faults.iter().any(|fault| fault.contains("fsck")),
        "{faults:?}"
    );
    // The others were looked at all the same.
    assert_eq!(
        (report.keys, report.kinds["string"], report.orphans),
        (3, 1, 0)
    );
}
