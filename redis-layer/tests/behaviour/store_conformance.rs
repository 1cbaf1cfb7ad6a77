//! What every store promises: the invariants of `redis_layer::store`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use redis_layer::store::{Batch, Direction, KeyRange, Scope, Snapshot, Space, Store};

use crate::common::random::Random;
use crate::common::waiting::DEADLINE;
use crate::common::{Over, StoreKind, scope_in_time};

type Rows = Vec<(Vec<u8>, Vec<u8>)>;

fn rows(snapshot: &dyn Snapshot, space: Space, range: &KeyRange, direction: Direction) -> Rows {
    let mut cursor = snapshot.scan(space, range, direction).unwrap();
    let mut rows = Vec::new();
    while let Some((key, value)) = cursor.row() {
        rows.push((key.to_vec(), value.to_vec()));
        cursor.advance().unwrap();
    }
    cursor.advance().unwrap();
    assert!(
        cursor.row().is_none(),
        "behind the last row a cursor stays there"
    );
    rows
}

fn over_every_store(test: impl Fn(Arc<dyn Store>)) {
    for kind in StoreKind::ALL {
        eprintln!("over {kind:?}");
        test(kind.open());
    }
}

fn key(random: &mut Random) -> Vec<u8> {
    (0..random.below(4))
        .map(|_| random.pick(&[0x00, 0x01, b'a', 0xfe, 0xff]))
        .collect()
}

#[test]
fn a_store_is_an_ordered_map_for_each_space() {
    over_every_store(|store| {
        let mut random = Random::new(7);
        let mut model: BTreeMap<(Space, Vec<u8>), Vec<u8>> = BTreeMap::new();
        for round in 0..200_u32 {
            let mut batch = Batch::default();
            for _ in 0..random.below(6) {
                let space = random.pick(&Space::ALL);
                // The engine store keeps rows of its own in the system space; these differ.
                let key = [b"t", &*key(&mut random)].concat();
                if random.once_in(12) {
                    // Ranges are cleared before the entries of their batch, wherever they were named.
                    let mut bounds = [key, [b"t", &*self::key(&mut random)].concat()];
                    bounds.sort();
                    let [start, end] = bounds;
                    let range = KeyRange::between(start, end);
                    let mut clearing = Batch::default();
                    clearing.put(space, range.start.clone(), "x".into());
                    clearing.clear(space, range.clone());
                    model.retain(|(s, key), _| *s != space || !range.contains(key));
                    model.insert((space, range.start), b"x".to_vec());
                    store.write(std::mem::take(&mut batch)).unwrap();
                    store.write(clearing).unwrap();
                } else if random.once_in(3) {
                    batch.delete(space, key.clone());
                    model.remove(&(space, key));
                } else {
                    let value = round.to_be_bytes().to_vec();
                    batch.put(space, key.clone(), value.clone().into());
                    model.insert((space, key), value);
                }
            }
            store.write(batch).unwrap();
            let snapshot = store.snapshot().unwrap();
            let space = random.pick(&Space::ALL);
            let start = [b"t", &*key(&mut random)].concat();
            let end = (!random.once_in(4)).then(|| [b"t", &*key(&mut random)].concat());
            let range = KeyRange { start, end };
            let mut expected: Rows = model
                .iter()
                .filter(|((s, key), _)| *s == space && range.contains(key))
                .map(|((_, key), value)| (key.clone(), value.clone()))
                .collect();
            assert_eq!(
                rows(&*snapshot, space, &range, Direction::Forward),
                expected,
                "{range:?}"
            );
            for (key, value) in &expected {
                assert_eq!(snapshot.get(space, key).unwrap().as_deref(), Some(&**value));
            }
            expected.reverse();
            assert_eq!(
                rows(&*snapshot, space, &range, Direction::Backward),
                expected,
                "{range:?}"
            );
            let absent = snapshot.get(space, b"never written").unwrap();
            assert_eq!(absent, None);
        }
    });
}

#[test]
fn a_snapshot_never_changes() {
    over_every_store(|store| {
        let put = |value: &'static str| {
            let mut batch = Batch::default();
            batch.put(Space::Data, b"k".to_vec(), value.into());
            batch.put(Space::Score, value.into(), "".into());
            store.write(batch).unwrap();
        };
        put("old");
        let snapshot = store.snapshot().unwrap();
        let seen = |snapshot: &dyn Snapshot| {
            let value = snapshot.get(Space::Data, b"k").unwrap().unwrap();
            let rows = rows(snapshot, Space::Score, &KeyRange::all(), Direction::Forward);
            (value.to_vec(), rows.len())
        };
        // A cursor that was begun before a write goes on as if nothing had happened.
        let mut cursor = snapshot
            .scan(Space::Score, &KeyRange::all(), Direction::Forward)
            .unwrap();
        put("new");
        assert_eq!(cursor.row(), Some((&b"old"[..], &b""[..])));
        cursor.advance().unwrap();
        assert!(cursor.row().is_none());
        assert_eq!(seen(&*snapshot), (b"old".to_vec(), 1));
        assert_eq!(seen(&*store.snapshot().unwrap()), (b"new".to_vec(), 2));
    });
}

#[test]
fn the_later_entry_for_a_key_wins() {
    over_every_store(|store| {
        let mut batch = Batch::default();
        batch.put(Space::Data, b"a".to_vec(), "1".into());
        batch.delete(Space::Data, b"a".to_vec());
        batch.delete(Space::Data, b"b".to_vec());
        batch.put(Space::Data, b"b".to_vec(), "2".into());
        store.write(batch).unwrap();
        let snapshot = store.snapshot().unwrap();
        assert_eq!(snapshot.get(Space::Data, b"a").unwrap(), None);
        assert_eq!(
            snapshot.get(Space::Data, b"b").unwrap().as_deref(),
            Some(&b"2"[..])
        );
    });
}

#[test]
fn readers_never_see_half_a_batch() {
    over_every_store(|store| {
        let done = std::sync::atomic::AtomicBool::new(false);
        scope_in_time(|scope| {
            scope.spawn(|| {
                let _over = Over(&done);
                for round in 0..300_u32 {
                    let mut batch = Batch::default();
                    for space in Space::ALL {
                        let value = round.to_be_bytes().to_vec();
                        batch.put(space, b"t".to_vec(), value.into());
                    }
                    store.write(batch).unwrap();
                }
            });
            while !done.load(std::sync::atomic::Ordering::Acquire) {
                let snapshot = store.snapshot().unwrap();
                let values = Space::ALL.map(|space| snapshot.get(space, b"t").unwrap());
                assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
            }
        });
    });
}

#[test]
fn unique_numbers_are_unique_among_threads() {
    over_every_store(|store| {
        let numbers = parking_lot::Mutex::new(Vec::new());
        scope_in_time(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mine: Vec<u64> = (0..500).map(|_| store.unique().unwrap()).collect();
                    numbers.lock().extend(mine);
                });
            }
        });
        let mut numbers = numbers.into_inner();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 2000);
        assert!(numbers[0] > 0);
    });
}

#[test]
fn a_lock_keeps_others_off_the_same_key() {
    over_every_store(|store| {
        let keys = [&b"k"[..]];
        let guard = store.lock(Scope::Keys(&keys)).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let same = Arc::clone(&store);
        thread::spawn(move || {
            let _guard = same.lock(Scope::Keys(&keys)).unwrap();
            sender.send(()).unwrap();
        });
        let patience = std::time::Duration::from_millis(50);
        assert!(
            receiver.recv_timeout(patience).is_err(),
            "the lock was not held"
        );
        drop(guard);
        let taken = receiver.recv_timeout(DEADLINE);
        taken.expect("the lock is free");
    });
}
