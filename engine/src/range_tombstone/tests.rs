//! Compares fragments with the tombstones that they were made of, key by key.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use proptest::prelude::*;

use super::*;
use crate::comparator::Compare;

/// Tombstones over keys of one byte: (start, end, sequence). Some are empty or inverted.
type Raw = (u8, u8, u64);

const KEYS: u8 = 24;

fn pieces(raw: &[Raw]) -> Vec<Fragment> {
    raw.iter()
        .map(|&(start, end, sequence)| Fragment::tombstone(&[start], &[end], sequence))
        .collect()
}

fn orders() -> [Comparator; 2] {
    [Comparator::Bytewise, Comparator::reverse_bytewise()]
}

/// The numbers of all tombstones over a key, ascending, by looking at each.
fn naive(order: &Comparator, raw: &[Raw], key: u8) -> Vec<u64> {
    let covers = |&&(start, end, _): &&Raw| {
        order.compare(&[start], &[key]).is_le() && order.compare(&[key], &[end]).is_lt()
    };
    let mut over: Vec<u64> = raw.iter().filter(covers).map(|raw| raw.2).collect();
    over.sort_unstable();
    over.dedup();
    over
}

fn assert_invariants(order: &Comparator, set: &RangeTombstones) {
    assert_eq!(
        RangeTombstones::from_sorted(order, set.fragments.clone()).as_ref(),
        Ok(set)
    );
    for pair in set.fragments.windows(2) {
        assert!(
            pair[0].end != pair[1].start || pair[0].sequences != pair[1].sequences,
            "neighbours that touch are one fragment: {pair:?}"
        );
    }
}

fn sequences_over(order: &Comparator, set: &RangeTombstones, key: u8) -> Vec<u64> {
    let fragment = set.around(order, &[key]).fragment;
    fragment.map_or_else(Vec::new, |fragment| fragment.sequences.to_vec())
}

fn raw() -> impl Strategy<Value = Vec<Raw>> {
    prop::collection::vec((0..KEYS, 0..KEYS, 1u64..40), 0..14)
}

proptest! {
    #[test]
    fn fragments_say_what_the_tombstones_say(raw in raw(), reader in 0u64..45) {
        for order in orders() {
            let set = RangeTombstones::new(&order, pieces(&raw), Keep::All);
            assert_invariants(&order, &set);
            for key in 0..KEYS {
                let expected = naive(&order, &raw, key);
                prop_assert_eq!(sequences_over(&order, &set, key), &expected[..]);
                let newest = expected.iter().copied().filter(|of| *of <= reader).max();
                prop_assert_eq!(set.newest_over(&order, &[key], reader), newest.unwrap_or(0));
            }
        }
    }

    #[test]
    fn a_stretch_reaches_as_far_as_nothing_changes(raw in raw()) {
        for order in orders() {
            let set = RangeTombstones::new(&order, pieces(&raw), Keep::All);
            for key in 0..KEYS {
                let stretch = set.around(&order, &[key]);
                for other in 0..KEYS {
                    let inside = stretch.low.is_none_or(|low| order.compare(low, &[other]).is_le())
                        && stretch.high.is_none_or(|high| order.compare(&[other], high).is_lt());
                    if inside {
                        prop_assert_eq!(naive(&order, &raw, other), naive(&order, &raw, key));
                    }
                    prop_assert!(other != key || inside, "the key lies in its own stretch");
                }
            }
        }
    }

    #[test]
    fn of_numbers_that_no_reader_tells_apart_the_newest_stays(
        raw in raw(), mut readers in prop::collection::vec(0u64..40, 0..4)
    ) {
        readers.sort_unstable();
        readers.dedup();
        for order in orders() {
            let set = RangeTombstones::new(&order, pieces(&raw), Keep::NewestBetween(&readers));
            assert_invariants(&order, &set);
            for key in 0..KEYS {
                for reader in readers.iter().copied().chain([u64::MAX]) {
                    let newest = naive(&order, &raw, key).into_iter().rfind(|of| *of <= reader);
                    prop_assert_eq!(set.newest_over(&order, &[key], reader), newest.unwrap_or(0));
                }
                prop_assert!(sequences_over(&order, &set, key).len() <= readers.len() + 1);
            }
        }
    }

    #[test]
    fn batch_after_batch_is_the_same_as_all_at_once(
        batches in prop::collection::vec(prop::collection::vec((0..KEYS, 0..KEYS), 1..4), 0..8)
    ) {
        for order in orders() {
            let mut set = RangeTombstones::default();
            let mut all = Vec::new();
            for (at, batch) in (1u64..).zip(&batches) {
                // The sequence number of each record; no reader sees a state between those of one batch.
                let batch: Vec<Raw> =
                    (10 * at..).zip(batch).map(|(sequence, &(start, end))| (start, end, sequence)).collect();
                set = set.with_batch(&order, pieces(&batch));
                assert_invariants(&order, &set);
                all.extend(batch);
                for key in 0..KEYS {
                    for reader in (0..=at).map(|at| 10 * at + 9) {
                        let newest = naive(&order, &all, key).into_iter().rfind(|of| *of <= reader);
                        prop_assert_eq!(set.newest_over(&order, &[key], reader), newest.unwrap_or(0));
                    }
                }
            }
        }
    }

    #[test]
    fn a_part_says_the_same_within_and_nothing_outside(raw in raw(), low in 0..KEYS, high in 0..KEYS) {
        for order in orders() {
            let set = RangeTombstones::new(&order, pieces(&raw), Keep::All);
            for (low, high) in [(Some([low]), Some([high])), (None, Some([high])), (Some([low]), None)] {
                let (low, high) = (low.as_ref().map(|low| &low[..]), high.as_ref().map(|high| &high[..]));
                if let (Some(low), Some(high)) = (low, high) && order.compare(low, high).is_ge() {
                    continue;
                }
                let part: Vec<_> = set.within(&order, low, high).collect();
                let part = RangeTombstones::from_sorted(&order, part).expect("a part is in order");
                for key in 0..KEYS {
                    let inside = low.is_none_or(|low| order.compare(low, &[key]).is_le())
                        && high.is_none_or(|high| order.compare(&[key], high).is_lt());
                    let expected = if inside { naive(&order, &raw, key) } else { Vec::new() };
                    prop_assert_eq!(sequences_over(&order, &part, key), expected);
                }
            }
        }
    }
}

#[test]
fn the_picture_of_the_module_is_true() {
    let order = Comparator::Bytewise;
    let both = vec![
        Fragment::tombstone(b"f", b"t", 9),
        Fragment::tombstone(b"a", b"m", 5),
    ];
    let set = RangeTombstones::new(&order, both, Keep::All);
    let drawn: Vec<_> = set
        .fragments()
        .iter()
        .map(|of| (&*of.start, &*of.end, &*of.sequences))
        .collect();
    let expected: [(&[u8], &[u8], &[u64]); 3] = [
        (b"a", b"f", &[5]),
        (b"f", b"m", &[5, 9]),
        (b"m", b"t", &[9]),
    ];
    assert_eq!(drawn, expected);
    assert_eq!(set.len(), 4);
}

#[test]
fn a_batch_of_many_that_overlap_stays_small() {
    let order = Comparator::Bytewise;
    let staircase = (0..20_000u32).map(|at| {
        let (start, end) = (at.to_be_bytes(), (at + 20_000).to_be_bytes());
        Fragment::tombstone(&start, &end, u64::from(at) + 1)
    });
    let set = RangeTombstones::default().with_batch(&order, staircase.collect());
    assert_eq!(set.len(), 20_000, "one number a fragment");
}

#[test]
fn a_set_out_of_order_is_refused() {
    let order = Comparator::Bytewise;
    let tombstone = Fragment::tombstone;
    let wrong = [
        vec![tombstone(b"b", b"a", 1)],
        vec![tombstone(b"a", b"c", 1), tombstone(b"b", b"d", 1)],
        vec![
            tombstone(b"a", b"c", 1),
            Fragment {
                sequences: [2, 1].into(),
                ..tombstone(b"c", b"d", 1)
            },
        ],
        vec![Fragment {
            sequences: [].into(),
            ..tombstone(b"c", b"d", 1)
        }],
    ];
    for (at, fragments) in [0, 1, 1, 0].into_iter().zip(wrong) {
        assert_eq!(
            RangeTombstones::from_sorted(&order, fragments.clone()),
            Err(at),
            "{fragments:?}"
        );
    }
}

/// As an order of floating-point numbers does that calls what it cannot compare less.
struct NothingIsEqual(AtomicU64);

impl Compare for NothingIsEqual {
    fn name(&self) -> &str {
        "nothing is equal"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let asked = self.0.fetch_add(1, Relaxed);
        assert!(asked < 10_000, "the sweep has no end");
        a.cmp(b).then(Ordering::Less)
    }
}

#[test]
fn an_order_in_which_a_key_does_not_equal_itself_does_not_stop_the_sweep() {
    let order = Comparator::custom(NothingIsEqual(AtomicU64::new(0)));
    let tombstones = pieces(&[(1, 5, 3), (1, 5, 4), (5, 9, 7)]);
    let set = RangeTombstones::new(&order, tombstones, Keep::All);
    assert_eq!(set.fragments().len(), 2);
}
