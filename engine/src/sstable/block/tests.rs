//! The bytes of a block, and its cursor at the edges. `tests/behaviour/table_model.rs` compares the cursor with a model.

use super::*;
use crate::comparator::Comparator;
use crate::internal_key::{self, ValueKind};
use proptest::prelude::*;

fn key(user_key: &str) -> Vec<u8> {
    internal_key::encode(user_key.as_bytes(), 1, ValueKind::Put)
}

fn build(restart_interval: usize, entries: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    build_under(&Comparator::Bytewise, restart_interval, entries)
}

fn build_under(
    comparator: &Comparator,
    restart_interval: usize,
    entries: &[(Vec<u8>, Vec<u8>)],
) -> Vec<u8> {
    let mut builder = BlockBuilder::new(comparator, restart_interval);
    for (key, value) in entries {
        builder.add(key, value);
    }
    let size = builder.size();
    let block = builder.finish(<[u8]>::to_vec);
    assert_eq!(block.len(), size);
    block
}

fn cursor(contents: Vec<u8>) -> BlockCursor {
    BlockCursor::new(Block::new(contents.into()).unwrap())
}

#[test]
fn bytes_are_as_documented() {
    let entries =
        [("apple", "1"), ("apply", "22"), ("b", "")].map(|(k, v)| (key(k), v.as_bytes().to_vec()));
    // Sequence number 1, put: 1 << 2 | 1.
    let expected = [
        &[0, 5, 1, 5][..],
        b"apple",
        b"1",
        &[4, 1, 2, 5],
        b"y",
        b"22",
        &[0, 1, 0, 5],
        b"b",
    ]
    .concat();
    let restarts = [&[0, 0, 0, 0][..], &[17, 0, 0, 0]].concat();
    let heads = [&b"apple\0\0\0"[..], b"b\0\0\0\0\0\0\0"].concat();
    let frame = [0, 0, 0, 0, 2, 0, 0, 0];
    let block = [&expected[..], &heads, &restarts, &frame].concat();
    assert_eq!(build(2, &entries), block);

    let frame = [0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0];
    let block = [&expected[..], &restarts, &frame].concat();
    assert_eq!(build_under(&the_long_way(), 2, &entries), block);

    // Heads leave out what the first and the last key share.
    let block = build(2, &entries[..2]);
    assert_eq!(
        block[block.len() - 20..],
        [
            &b"e\0\0\0\0\0\0\0"[..],
            &[0; 4],
            &[4, 0, 0, 0],
            &[1, 0, 0, 0]
        ]
        .concat()
    );
}

#[test]
fn a_target_without_the_shared_prefix_is_before_all_or_after_all() {
    let keys: Vec<_> = (10..90)
        .map(|i| (key(&format!("keys{i}")), vec![]))
        .collect();
    let mut cursor = cursor(build(4, &keys));
    // Without the check of the prefix, each of these would have the head of a key in the middle.
    for (target, found) in [
        ("kexx50", Some("keys10")),
        ("ke", Some("keys10")),
        ("", Some("keys10")),
        ("kfys50", None),
        ("z", None),
        ("keyt", None),
        ("keys50x", Some("keys51")),
    ] {
        let expected = found.map(key);
        cursor.seek(&Comparator::Bytewise, &key(target)).unwrap();
        let at = cursor.valid().then(|| cursor.key().to_vec());
        assert_eq!(at, expected, "{target}");
    }
}

#[test]
fn versions_are_never_shared() {
    // One user key, and sequence numbers that differ only in the last byte of the trailer.
    let versions = [2, 1].map(|sequence| {
        (
            internal_key::encode(b"k", sequence, ValueKind::Put),
            Vec::new(),
        )
    });
    let block = build(16, &versions);
    let view = BlockView::new(&block).unwrap();
    let first = view.entry(0).unwrap();
    let second = view.entry(first.end()).unwrap();
    assert_eq!((second.shared, second.tail.len()), (1, 0));
    assert_eq!(
        second.trailer(),
        internal_key::trailer(1, ValueKind::Put),
        "{first:?}"
    );
}

#[test]
fn every_version_comes_back() {
    let newest_first = [internal_key::MAX_SEQUENCE, 1 << 40, 1_000_000, 32, 31, 1, 0];
    let mut entries = Vec::new();
    for sequence in newest_first {
        for kind in [ValueKind::RangeDelete, ValueKind::Put, ValueKind::Delete] {
            entries.push((internal_key::encode(b"k", sequence, kind), vec![]));
        }
    }
    let mut cursor = cursor(build(2, &entries));
    cursor.seek_to_first().unwrap();
    for (key, _) in &entries {
        assert_eq!(cursor.key(), key);
        cursor.next().unwrap();
    }
    cursor.seek_to_last().unwrap();
    for (key, _) in entries.iter().rev() {
        assert_eq!(cursor.key(), key);
        cursor.prev().unwrap();
    }
    for (key, _) in &entries {
        cursor.seek(&Comparator::Bytewise, key).unwrap();
        assert_eq!(cursor.key(), key);
    }
}

#[test]
fn a_block_without_entries_has_no_positions() {
    let mut cursor = cursor(build(4, &[]));
    cursor.seek_to_first().unwrap();
    assert!(!cursor.valid());
    cursor.seek_to_last().unwrap();
    assert!(!cursor.valid());
    cursor.seek(&Comparator::Bytewise, &key("a")).unwrap();
    assert!(!cursor.valid());
    cursor
        .seek_for_prev(&Comparator::Bytewise, &key("a"))
        .unwrap();
    assert!(!cursor.valid());
}

#[test]
fn frames_that_do_not_add_up_are_refused() {
    for frame in [
        &[][..],
        &[0, 0, 0, 0, 0, 0, 0],
        &[0, 0, 0, 0, 1, 0, 0, 0],
        &[0xff; 8],
        &[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
        // Entries without a restart; a restart without entries, without and with heads.
        &[0, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0],
        &[1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
    ] {
        BlockView::new(frame).unwrap_err();
    }
    BlockView::new(&[0; 8]).unwrap();
}

#[test]
fn heads_that_are_not_their_keys_are_told() {
    let keys: Vec<_> = (10..90)
        .map(|i| (key(&format!("keys{i}")), vec![]))
        .collect();
    let good = build(4, &keys);
    let view = BlockView::new(&good).unwrap();
    view.check_heads(b"keys89").unwrap();
    let heads = view.entries_end()..view.restarts_at();
    assert_eq!(heads.len(), 20 * 8);
    let mut bad = good.clone();
    for at in heads {
        bad[at] ^= 1;
        let damage = BlockView::new(&bad).unwrap().check_heads(b"keys89");
        assert_eq!(damage.unwrap_err().what, "a head is not that of its key");
        bad[at] ^= 1;
    }
    let skip_at = good.len() - 8;
    bad[skip_at] -= 1;
    BlockView::new(&bad)
        .unwrap()
        .check_heads(b"keys89")
        .unwrap_err();
}

/// A block with the given entry bytes, which may be malformed, and one restart at their beginning.
fn around(entries: &[u8]) -> Vec<u8> {
    [entries, &[0; 4], &[0xff; 4], &[1, 0, 0, 0]].concat()
}

#[test]
fn entries_that_lead_outside_are_refused() {
    let outside = "an entry ends outside its block";
    let header = "the header of an entry is cut off or too large";
    let version = "an entry has a version of an unknown kind or above the greatest number";
    let shares = "the entry at a restart shares a prefix";
    let cases: [(&[u8], &str); 12] = [
        (&[0, 1, 1, 5, b'k'], outside),
        (&[0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 5, b'k'], outside),
        (&[0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 5], header),
        (&[0, 8], header),
        // No version, half of one, one that is longer than necessary, one of more than 64 bits.
        (&[0, 0, 0], header),
        (&[0, 0, 0, 0x85], header),
        (&[0, 0, 0, 0x85, 0], header),
        (
            &[0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2],
            header,
        ),
        // Kind 3, in one byte and in two, and the number after the greatest valid one.
        (&[0, 0, 0, 3], version),
        (&[0, 0, 0, 0x83, 1], version),
        (
            &[0, 0, 0, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 4],
            version,
        ),
        (&[1, 0, 0, 5], shares),
    ];
    for (entries, what) in cases {
        let damage = cursor(around(entries)).seek_to_first().unwrap_err();
        assert_eq!(damage, Damage { at: 0, what }, "{entries:?}");
    }
    let two = [&[0, 1, 0, 5, b'k'][..], &[2, 0, 0, 5]].concat();
    let mut cursor = cursor(around(&two));
    cursor.seek_to_first().unwrap();
    let damage = cursor.next().unwrap_err();
    assert_eq!(
        damage.what,
        "an entry shares more than its predecessor's user key"
    );
    assert!(!cursor.valid());
    assert_eq!(cursor.seek_to_last().unwrap_err(), damage);
}

/// The bytewise order as a custom one, which takes the slow path.
fn the_long_way() -> Comparator {
    struct Slow;
    impl crate::comparator::Compare for Slow {
        fn name(&self) -> &str {
            "slow"
        }
        fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
            a.cmp(b)
        }
    }
    Comparator::custom(Slow)
}

proptest! {
    #[test]
    fn both_searches_find_the_same_entry(
        keys in prop::collection::btree_set(prop::collection::vec(0u8..3, 0..10), 1..60),
        targets in prop::collection::vec((prop::collection::vec(0u8..3, 0..10), 0u64..3), 1..30),
        restart_interval in 1usize..=16,
    ) {
        let entries: Vec<_> = keys
            .iter()
            .map(|key| (internal_key::encode(key, 1, ValueKind::Put), Vec::new()))
            .collect();
        let mut without_heads = cursor(build_under(&the_long_way(), restart_interval, &entries));
        let mut cursor = cursor(build(restart_interval, &entries));
        for (user_key, sequence) in &targets {
            let target = internal_key::encode(user_key, *sequence, ValueKind::Put);
            let mut found = Vec::new();
            for comparator in [Comparator::Bytewise, the_long_way()] {
                cursor.seek(&comparator, &target).unwrap();
                found.push(cursor.valid().then(|| cursor.key().to_vec()));
                without_heads.seek(&comparator, &target).unwrap();
                found.push(without_heads.valid().then(|| without_heads.key().to_vec()));
            }
            let expected = entries.iter().map(|(key, _)| key).find(|key| {
                internal_key::compare(&Comparator::Bytewise, key, &target).is_ge()
            });
            for found in &found {
                prop_assert_eq!(found.as_ref(), expected);
            }
        }
    }

    #[test]
    fn any_bytes_can_be_walked(
        contents in prop::collection::vec(prop_oneof![0u8..12, any::<u8>()], 4..200),
        skip in prop_oneof![0u32..4, Just(u32::MAX)],
        restarts in 0u32..4,
        targets in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 3),
    ) {
        let mut contents = contents;
        contents.extend_from_slice(&skip.to_le_bytes());
        contents.extend_from_slice(&restarts.to_le_bytes());
        let Ok(block) = Block::new(contents.into()) else { return Ok(()) };
        let mut cursor = BlockCursor::new(block);
        for comparator in [Comparator::Bytewise, Comparator::reverse_bytewise()] {
            for target in &targets {
                let _ = cursor.seek(&comparator, target);
                while cursor.valid() {
                    let _ = cursor.next();
                }
                let _ = cursor.seek_for_prev(&comparator, target);
                while cursor.valid() {
                    let _ = cursor.prev();
                }
            }
        }
    }
}
