//! Loom models of how the skip list and its index publish entries: every interleaving and every
//! result that the memory model allows.
//!
//! See [`crate::sync`] for the command. The list under test is the real one; only its atomics are
//! loom's. The tests choose the heights, so that few nodes make towers of every kind.

use loom::thread;

use super::skiplist::{SkipList, Target, Writer};
use super::*;
use crate::comparator::Comparator;
use crate::internal_key::ParsedKey;
use crate::sync::{AtomicU64, Ordering, check_model as check};

fn new_list() -> Writer {
    Writer::new(Comparator::Bytewise, 1 << 12)
}

fn target(user_key: &str) -> Target<'_> {
    Target {
        user_key: user_key.as_bytes(),
        trailer: u64::from_be_bytes(internal_key::trailer(1, ValueKind::Put)),
    }
}

/// The value is the key in capitals, so that a reader notices a torn entry.
fn insert(writer: &mut Writer, user_key: &str, height: usize) {
    let target = target(user_key);
    writer.find(target);
    writer.insert_here(height, target, user_key.to_uppercase().as_bytes());
}

/// The user key at `node`, after checking that the value belongs to it.
fn whole(node: Node) -> String {
    // SAFETY: every caller holds the list that the node is of.
    let (key, value) = unsafe { (node.key(), node.value()) };
    let user_key = String::from_utf8(internal_key::user_key(key).to_vec()).unwrap();
    assert_eq!(value, user_key.to_uppercase().as_bytes());
    user_key
}

fn walk(list: &SkipList) -> Vec<String> {
    let mut keys = Vec::new();
    let mut at = list.first();
    while let Some(node) = at {
        keys.push(whole(node));
        at = list.next(node);
    }
    keys
}

/// What a walk may see while `b` and then `a` are inserted into a list that holds `c`.
#[test]
fn loom_a_walk_sees_whole_nodes_in_order_and_loses_none() {
    check(|| {
        let mut writer = new_list();
        insert(&mut writer, "c", 1);
        let list = Arc::clone(writer.list());
        let reader = thread::spawn(move || walk(&list));
        insert(&mut writer, "b", 2);
        insert(&mut writer, "a", 1);
        let seen = reader.join().unwrap().concat();
        assert!(["c", "bc", "abc"].contains(&&*seen), "a walk saw {seen}");
        assert_eq!(walk(writer.list()).concat(), "abc");
    });
}

/// Two readers search down the towers while a new tower grows between two that exist.
#[test]
fn loom_searches_down_the_towers_find_what_is_there() {
    check(|| {
        let mut writer = new_list();
        insert(&mut writer, "a", 2);
        insert(&mut writer, "c", 3);
        let spawn = |wanted: &'static str| {
            let list = Arc::clone(writer.list());
            thread::spawn(move || {
                list.seek(target(wanted))
                    .map(|node| (whole(node), list.next(node).map(whole)))
            })
        };
        let (to_b, to_c) = (spawn("b"), spawn("c"));
        insert(&mut writer, "b", 3);
        let (found, next) = to_b.join().unwrap().expect("c is there");
        match &*found {
            "b" => assert_eq!(next.as_deref(), Some("c")),
            other => assert_eq!(other, "c"),
        }
        let (found, next) = to_c.join().unwrap().expect("c is there");
        assert_eq!((&*found, next), ("c", None));
    });
}

/// What a backward walk may see while `b` and then `a` are inserted before `c`.
#[test]
fn loom_a_way_back_sees_whole_nodes_in_order_and_loses_none() {
    check(|| {
        let mut writer = new_list();
        insert(&mut writer, "c", 1);
        let list = Arc::clone(writer.list());
        let back = |list: &SkipList| {
            let mut keys = String::new();
            let mut at = list.last();
            while let Some(node) = at {
                keys += &whole(node);
                at = list.before(node);
            }
            keys
        };
        let reader = thread::spawn(move || back(&list));
        insert(&mut writer, "b", 2);
        insert(&mut writer, "a", 1);
        let seen = reader.join().unwrap();
        assert!(
            ["c", "cb", "cba"].contains(&&*seen),
            "a way back saw {seen}"
        );
        assert_eq!(back(writer.list()), "cba");
    });
}

/// A reader asks the index for the newest entry of a key while the next one is inserted.
#[test]
fn loom_the_index_leads_to_what_was_published() {
    // With this many entries there is an index.
    const ENTRIES: u64 = 8;
    check(|| {
        let mut writer = MemtableWriter::new(Comparator::Bytewise, 1 << 12);
        let table = writer.reader();
        let mut put = move |sequence: u64| {
            let (user_key, kind) = (&b"k"[..], ValueKind::Put);
            let key = ParsedKey {
                user_key,
                sequence,
                kind,
            };
            writer.insert(key, &[sequence as u8]);
            writer.end_batch();
        };
        (1..=ENTRIES).for_each(&mut put);
        let published = Arc::new(AtomicU64::new(ENTRIES));
        let reader = {
            let published = Arc::clone(&published);
            thread::spawn(move || {
                let sequence = published.load(Ordering::Acquire);
                let found = table.get(b"k", sequence).expect("it is there");
                assert_eq!(
                    (found.sequence, &*found.value),
                    (sequence, &[sequence as u8][..])
                );
            })
        };
        put(ENTRIES + 1);
        published.store(ENTRIES + 1, Ordering::Release);
        reader.join().unwrap();
    });
}

/// A reader looks up the newest key and an absent one while the index makes its next table and uses it.
#[test]
fn loom_an_index_that_grows_loses_no_key() {
    // With the first number of entries there is an index, with the second a larger one.
    for grows_at in [8, 21] {
        check(move || {
            let mut writer = MemtableWriter::new(Comparator::Bytewise, 1 << 12);
            let table = writer.reader();
            let mut put = move |sequence: u64| {
                let user_key = &[sequence as u8][..];
                let kind = ValueKind::Put;
                let key = ParsedKey {
                    user_key,
                    sequence,
                    kind,
                };
                writer.insert(key, user_key);
                writer.end_batch();
            };
            (1..grows_at).for_each(&mut put);
            let before = table.index.tables_made();
            let published = Arc::new(AtomicU64::new(grows_at - 1));
            let reader = {
                let (table, published) = (table.clone(), Arc::clone(&published));
                thread::spawn(move || {
                    let sequence = published.load(Ordering::Acquire);
                    let found = table.get(&[sequence as u8], sequence);
                    let found = found.expect("it was published");
                    assert_eq!(found.sequence, sequence);
                    assert!(table.get(&[0], sequence).is_none());
                })
            };
            for sequence in [grows_at, grows_at + 1] {
                put(sequence);
                published.store(sequence, Ordering::Release);
            }
            reader.join().unwrap();
            assert_eq!(table.index.tables_made(), before + 1);
        });
    }
}
