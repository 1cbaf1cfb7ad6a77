//! `get_many` answers as that many `get`s at one moment would: in the order of the request,
//! whatever the options.

use std::collections::BTreeMap;

use engine::vfs::MemoryVfs;
use engine::{Db, Error, Options, WriteBatch, WriteOptions};

use crate::support::{Dice, option_sets, seed_or};

fn key(number: u64) -> Vec<u8> {
    format!("user:{number:04}").into_bytes()
}

#[test]
fn the_answers_are_those_of_single_gets_in_the_order_asked() {
    let seed = seed_or(71);
    for set in option_sets() {
        println!("seed {seed}, option set {:?}", set.name);
        let mut dice = Dice::new(seed);
        let vfs = MemoryVfs::new();
        let db = Db::open("db", set.options(&vfs)).unwrap();
        let mut model = BTreeMap::new();
        for round in 0..6 {
            // The rows end up in all places: deep levels, level 0, the memtable.
            for _ in 0..150 {
                let number = dice.below(300);
                if dice.one_in(4) {
                    db.delete(key(number)).unwrap();
                    model.remove(&key(number));
                } else {
                    let value = format!("{round} {number} ").repeat(dice.below(9) as usize);
                    db.put(key(number), &value).unwrap();
                    model.insert(key(number), value.into_bytes());
                }
            }
            match round {
                1 | 2 => db.compact().unwrap(),
                3 | 4 => db.flush().unwrap(),
                _ => {}
            }
            // More keys than one group holds, unsorted, some twice, some in no table.
            let mut asked: Vec<_> = (0..200).map(|_| key(dice.below(320))).collect();
            asked.extend([b"".to_vec(), b"zzz".to_vec(), vec![0xff; 300]]);
            let answers = db.default_family().get_many(&asked).unwrap();
            assert_eq!(answers.len(), asked.len());
            for (key, answer) in asked.iter().zip(&answers) {
                let expected = model.get(key).map(Vec::as_slice);
                assert_eq!(answer.as_deref(), expected, "{}", key.escape_ascii());
            }
        }
        let none: [&[u8]; 0] = [];
        assert!(db.default_family().get_many(&none).unwrap().is_empty());
    }
}

#[test]
fn a_snapshot_answers_as_of_its_moment() {
    let vfs = MemoryVfs::new();
    let options = || option_sets().swap_remove(1).options(&vfs);
    let db = Db::open("db", options()).unwrap();
    let family = db.default_family();
    for number in 0..100 {
        db.put(key(number), "old").unwrap();
    }
    let snapshot = db.snapshot();
    for number in 0..100 {
        db.delete(key(number)).unwrap();
    }
    db.compact().unwrap();
    let keys: Vec<_> = (0..100).rev().map(key).collect();
    let then = snapshot.get_many(&family, &keys).unwrap();
    assert!(then.iter().all(|value| value.as_deref() == Some(b"old")));
    let now = family.get_many(&keys).unwrap();
    assert!(now.iter().all(Option::is_none));

    let other = Db::open("other", options()).unwrap();
    let refused = snapshot.get_many(&other.default_family(), &keys);
    assert!(
        matches!(refused, Err(Error::InvalidArgument { .. })),
        "{refused:?}"
    );
}

#[test]
fn all_answers_are_of_one_moment() {
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(dir.path(), Options::default()).unwrap();
    let family = db.default_family();
    let write = |round: u64| {
        let mut batch = WriteBatch::new();
        for number in 0..100 {
            batch.put(&family, key(number), round.to_le_bytes());
        }
        db.write(batch, WriteOptions::default()).unwrap();
    };
    write(0);
    const ROUNDS: u64 = 1500;
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 1..ROUNDS {
                write(round);
                if round % 300 == 0 {
                    db.flush().unwrap();
                }
            }
        });
        let keys: Vec<_> = (0..100).rev().map(key).collect();
        let mut newest = 0;
        let mut is_last = false;
        while !is_last {
            // The last reading is of what the writer left.
            is_last = writer.is_finished();
            let values = family.get_many(&keys).unwrap();
            let rounds: Vec<_> = values
                .iter()
                .map(|value| u64::from_le_bytes(value.as_ref().unwrap()[..].try_into().unwrap()))
                .collect();
            assert!(rounds.iter().all(|round| *round == rounds[0]), "{rounds:?}");
            assert!(rounds[0] >= newest, "time runs backwards");
            newest = rounds[0];
        }
        assert_eq!(newest, ROUNDS - 1, "the reader saw writes");
    });
}
