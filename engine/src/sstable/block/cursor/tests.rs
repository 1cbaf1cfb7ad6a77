//! Walks back over long restart intervals: how much of them is held and decoded, and where they lead.

use super::*;
use crate::internal_key::ValueKind;
use crate::sstable::block::BlockBuilder;

/// A block with one restart, whose keys share all but their end.
fn long_keys(count: u32) -> (Block, Vec<Vec<u8>>) {
    let mut keys = Vec::new();
    let mut builder = BlockBuilder::new(&Comparator::Bytewise, usize::MAX);
    for number in 0..count {
        let user_key = [&vec![b'p'; 64 << 10][..], &number.to_be_bytes()].concat();
        let key = internal_key::encode(&user_key, 1, ValueKind::Put);
        builder.add(&key, &number.to_le_bytes());
        keys.push(key);
    }
    let block = builder.finish(<[u8]>::to_vec);
    assert!(block.len() < 80 << 10, "{}", block.len());
    (Block::new(block.into()).unwrap(), keys)
}

/// All keys together would take 26 MB. Decoding the interval again for each megabyte of them would
/// take 25 times as many steps.
#[test]
fn walking_back_over_long_keys_holds_few_of_them_and_decodes_each_twice() {
    let (block, keys) = long_keys(400);
    let mut cursor = BlockCursor::new(block);
    cursor.seek_to_last().unwrap();
    for key in keys.iter().rev() {
        assert_eq!(cursor.key(), key);
        assert!(cursor.keys.capacity() < 4 << 20);
        cursor.prev().unwrap();
    }
    assert!(!cursor.valid());
    let steps = cursor.decoded + cursor.waypoints.stepped;
    assert!(steps <= 3 * keys.len(), "{steps}");
}

/// A block of any shape, with so small a limit that there are waypoints every few entries.
#[test]
fn walks_at_random_over_a_long_interval_lead_where_they_should() {
    let mut state = 7_u64;
    let mut dice = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for round in 0..60 {
        let mut user_keys: Vec<Vec<u8>> = (0..1 + dice(150))
            .map(|_| (0..dice(30)).map(|_| b"ab"[dice(2)]).collect())
            .collect();
        user_keys.sort();
        user_keys.dedup();
        let keys: Vec<_> = user_keys
            .iter()
            .map(|key| internal_key::encode(key, 1, ValueKind::Put))
            .collect();
        let interval = [usize::MAX, 40][round % 2];
        let mut builder = BlockBuilder::new(&Comparator::Bytewise, interval);
        for (at, key) in keys.iter().enumerate() {
            builder.add(key, &at.to_le_bytes());
        }
        let block = builder.finish(<[u8]>::to_vec);
        let mut cursor = BlockCursor::new(Block::new(block.into()).unwrap());
        cursor.kept_bytes_max = dice(200);
        let mut at = None;
        for _ in 0..400 {
            match (dice(20), at) {
                (0, _) => {
                    let to = dice(keys.len());
                    cursor
                        .seek_for_prev(&Comparator::Bytewise, &keys[to])
                        .unwrap();
                    at = Some(to);
                }
                (1, _) | (_, None) => {
                    cursor.seek_to_last().unwrap();
                    at = keys.len().checked_sub(1);
                }
                (2..8, Some(from)) => {
                    cursor.next().unwrap();
                    at = Some(from + 1).filter(|to| *to < keys.len());
                }
                (_, Some(from)) => {
                    cursor.prev().unwrap();
                    at = from.checked_sub(1);
                }
            }
            assert_eq!(cursor.valid(), at.is_some(), "round {round}");
            if let Some(at) = at {
                assert_eq!(cursor.key(), keys[at], "round {round}");
                assert_eq!(cursor.value(), at.to_le_bytes(), "round {round}");
            }
        }
    }
}

#[test]
fn walking_to_and_fro_over_long_keys_leads_where_it_should() {
    let (block, keys) = long_keys(60);
    let mut cursor = BlockCursor::new(block);
    for (from, walk) in [
        (59, "<<<<<<>><<<<<<<<<<<<<<<<<<<<<<>>>>><<"),
        (30, "<><<>>>><"),
    ] {
        cursor
            .seek_for_prev(&Comparator::Bytewise, &keys[from])
            .unwrap();
        let mut at = from;
        for step in walk.chars() {
            assert_eq!(cursor.key(), keys[at]);
            assert_eq!(cursor.value(), (at as u32).to_le_bytes());
            let is_newest = cursor.is_newest_row(1).unwrap();
            assert_eq!(is_newest, at > 0, "{at}");
            match step {
                '<' => cursor.prev().unwrap(),
                _ => cursor.next().unwrap(),
            }
            at = if step == '<' { at - 1 } else { at + 1 };
        }
        assert_eq!(cursor.key(), keys[at]);
    }
}
