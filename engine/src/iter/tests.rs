//! The merge compared with a sorted list, moving both ways.

use proptest::prelude::*;

use super::*;
use crate::comparator::Comparator;
use crate::cursor::InternalCursor;
use crate::internal_key::{self, ParsedKey, ValueKind};
use crate::memtable::MemtableWriter;

#[derive(Debug, Clone, Copy)]
enum Step {
    First,
    Last,
    Seek(u8, u64),
    SeekForPrev(u8, u64),
    Next,
    Prev,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => Just(Step::First),
        1 => Just(Step::Last),
        2 => (0u8..8, 0u64..60).prop_map(|(key, sequence)| Step::Seek(key, sequence)),
        2 => (0u8..8, 0u64..60).prop_map(|(key, sequence)| Step::SeekForPrev(key, sequence)),
        8 => Just(Step::Next),
        8 => Just(Step::Prev),
    ]
}

proptest! {
    #[test]
    fn a_merge_is_the_sorted_whole(
        entries in prop::collection::vec((0u8..8, 0usize..4), 0..50),
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let new = || MemtableWriter::new(Comparator::Bytewise, 1 << 12);
        let mut tables: Vec<MemtableWriter> = (0..4).map(|_| new()).collect();
        let mut all = Vec::new();
        for (sequence, (key, table)) in (1..).zip(entries) {
            let parsed = ParsedKey { user_key: &[key], sequence, kind: ValueKind::Put };
            tables[table].insert(parsed, &[sequence as u8]);
            all.push((internal_key::encode(&[key], sequence, ValueKind::Put), vec![sequence as u8]));
        }
        all.sort_by(|a, b| internal_key::compare(&Comparator::Bytewise, &a.0, &b.0));
        let sources = tables.iter().map(|table| Source::Memtable(table.reader().cursor())).collect();
        let mut merge = MergeCursor::new(Comparator::Bytewise, sources);
        let mut at: Option<usize> = None;
        let target = |key: u8, sequence| internal_key::encode(&[key], sequence, ValueKind::Put);
        let before = |probe: &[u8]| {
            all.partition_point(|entry| internal_key::compare(&Comparator::Bytewise, &entry.0, probe).is_lt())
        };
        for step in steps {
            match (step, at) {
                (Step::First, _) => {
                    merge.seek_to_first().unwrap();
                    at = Some(0);
                }
                (Step::Last, _) => {
                    merge.seek_to_last().unwrap();
                    at = all.len().checked_sub(1);
                }
                (Step::Seek(key, sequence), _) => {
                    let probe = target(key, sequence);
                    merge.seek(&probe).unwrap();
                    at = Some(before(&probe));
                }
                (Step::SeekForPrev(key, sequence), _) => {
                    let probe = target(key, sequence);
                    merge.seek_for_prev(&probe).unwrap();
                    let found = before(&probe);
                    let exact = all.get(found).is_some_and(|entry| entry.0 == probe);
                    at = if exact { Some(found) } else { found.checked_sub(1) };
                }
                (Step::Next, Some(here)) => {
                    merge.next().unwrap();
                    at = Some(here + 1);
                }
                (Step::Prev, Some(here)) => {
                    merge.prev().unwrap();
                    at = here.checked_sub(1);
                }
                (Step::Next | Step::Prev, None) => {}
            }
            at = at.filter(|at| *at < all.len());
            let here = merge.valid().then(|| (merge.key().to_vec(), merge.value().to_vec()));
            prop_assert_eq!(here, at.map(|at| all[at].clone()));
        }
    }
}
