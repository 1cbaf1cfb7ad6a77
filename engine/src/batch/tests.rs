//! A batch against its format, and against arbitrary bytes.

use super::*;
use crate::internal_key::MAX_USER_KEY_BYTES;
use proptest::prelude::*;

const FIRST: FamilyId = FamilyId(0);
const OTHER: FamilyId = FamilyId(300);

fn sample() -> WriteBatch {
    let mut batch = WriteBatch::new();
    batch.set_sequence(7);
    batch.put(FIRST, "k", "value");
    batch.delete(OTHER, "gone");
    batch.delete_range(FIRST, "a", "bc");
    batch
}

#[test]
fn bytes_are_as_documented() {
    let mut batch = sample();
    let expected: &[&[u8]] = &[
        &7u64.to_le_bytes(),
        &3u32.to_le_bytes(),
        &[1, 0, 1],
        b"k",
        &[5],
        b"value",
        &[0, 0xac, 0x02, 4],
        b"gone",
        &[2, 0, 1],
        b"a",
        &[2],
        b"bc",
    ];
    assert_eq!(batch.encoded(), expected.concat());
    assert_eq!(batch.len(), 3);
    batch.clear();
    assert_eq!(batch, WriteBatch::new());
}

#[test]
fn every_cut_and_every_tail_is_refused() {
    let bytes = sample().encoded().to_vec();
    for len in 0..bytes.len() {
        assert!(
            BatchView::decode(&bytes[..len]).is_err(),
            "cut to {len} bytes"
        );
    }
    let tail = [&bytes[..], &[0]].concat();
    let why = BatchView::decode(&tail).unwrap_err();
    assert_eq!(
        why,
        format!(
            "bytes after the last record, at byte {} of the batch",
            bytes.len()
        )
    );
}

#[test]
fn what_a_log_must_not_hold_is_refused_by_name() {
    let why = sample()
        .check(DatabaseId::next(), |family| {
            (family == FIRST).then_some(&Comparator::Bytewise)
        })
        .unwrap_err()
        .to_string();
    assert!(
        why.contains("record 1 of the batch is for column family 300"),
        "{why}"
    );
    sample()
        .check(DatabaseId::next(), |_| Some(&Comparator::Bytewise))
        .unwrap();
    let reverse = Comparator::reverse_bytewise();
    let why = sample()
        .check(DatabaseId::next(), |_| Some(&reverse))
        .unwrap_err()
        .to_string();
    assert!(
        why.contains(
            "record 2 deletes the range from \"a\" to \"bc\", which ends before it begins"
        ),
        "{why}"
    );
    let mut empty = WriteBatch::new();
    empty.delete_range(FIRST, "same", "same");
    empty.check(DatabaseId::next(), |_| Some(&reverse)).unwrap();
    let mut batch = WriteBatch::new();
    batch.put(FIRST, vec![0; MAX_USER_KEY_BYTES + 1], "");
    let why = batch
        .check(DatabaseId::next(), |_| Some(&reverse))
        .unwrap_err()
        .to_string();
    assert!(
        why.contains("a key of 67108865 bytes, more than 67108864"),
        "{why}"
    );
}

#[test]
fn a_batch_of_one_family_is_checked_like_any_other() {
    let check = |batch: &WriteBatch| {
        let order_of = |family| (family == OTHER).then_some(&Comparator::Bytewise);
        let why = batch.check(DatabaseId::next(), order_of).err()?;
        Some(why.to_string())
    };
    let mut batch = WriteBatch::new();
    assert_eq!(check(&batch), None);
    batch.put(OTHER, "k", "value");
    batch.delete(OTHER, "gone");
    assert_eq!(check(&batch), None);
    batch.put(FIRST, "k", "value");
    let why = check(&batch).unwrap();
    assert!(why.contains("record 2 of the batch is for column family 0"));
    batch.clear();
    batch.delete(FIRST, "k");
    let why = check(&batch).unwrap();
    assert!(why.contains("record 0 of the batch is for column family 0"));
    batch.clear();
    batch.put(OTHER, "k", "value");
    assert_eq!(check(&batch), None);
    batch.delete(OTHER, vec![0; MAX_USER_KEY_BYTES + 1]);
    let why = check(&batch).unwrap();
    assert!(why.contains("a key of 67108865 bytes"), "{why}");
}

fn records() -> impl Strategy<Value = Vec<(u32, Vec<u8>, Option<Vec<u8>>)>> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..200);
    prop::collection::vec((any::<u32>(), bytes(), prop::option::of(bytes())), 0..10)
}

proptest! {
    #[test]
    fn what_is_encoded_decodes(records in records(), sequence in any::<u64>()) {
        let mut batch = WriteBatch::new();
        for (family, key, value) in &records {
            match value {
                Some(value) => batch.put(FamilyId(*family), key, value),
                None => batch.delete(FamilyId(*family), key),
            }
        }
        batch.set_sequence(sequence);
        let view = BatchView::decode(batch.encoded()).unwrap();
        prop_assert_eq!((view.sequence, view.count as usize), (sequence, records.len()));
        let decoded: Vec<_> = view
            .records()
            .map(Result::unwrap)
            .map(|record| {
                let value = (record.kind == ValueKind::Put).then(|| record.value.to_vec());
                (record.family.0, record.key.to_vec(), value)
            })
            .collect();
        prop_assert_eq!(decoded, records);
    }

    #[test]
    fn foreign_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = BatchView::decode(&bytes);
    }

    #[test]
    fn a_flipped_byte_never_panics(at in 0usize..30, bits in 1u8..) {
        let mut bytes = sample().encoded().to_vec();
        let at = at % bytes.len();
        bytes[at] ^= bits;
        if let Ok(view) = BatchView::decode(&bytes) {
            prop_assert!(view.records().all(|record| record.is_ok()));
        }
    }
}
