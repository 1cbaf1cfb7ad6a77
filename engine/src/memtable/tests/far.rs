//! A memtable large enough to be walked in several places at once, while it is written.

use super::*;

const KEYS: u64 = 2_000;
/// How many versions there are at first, and the number of a reader that sees these and no later ones.
const WRITES: u64 = 5_000;

fn large() -> MemtableWriter {
    MemtableWriter::new(Comparator::Bytewise, 64 << 20)
}

/// Inserts a version with a value of 4,096 bytes, so that few keys make a memtable large. Returns its internal key.
fn insert_long(
    writer: &mut MemtableWriter,
    sequence: u64,
    number: u64,
    kind: ValueKind,
) -> Vec<u8> {
    let user_key = &number.to_be_bytes();
    let key = ParsedKey {
        user_key,
        sequence,
        kind,
    };
    writer.insert(key, &[sequence as u8; 4096]);
    writer.end_batch();
    internal_key::encode(user_key, sequence, kind)
}

/// A run that is long enough to be walked in several places at once, from many places, to many ends, while newer
/// versions are written among its rows.
#[test]
#[cfg_attr(miri, ignore = "takes 20 MB of entries")]
fn a_long_run_shows_what_a_map_has() {
    let chance = |of: u64| (of + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    let mut writer = large();
    let mut expected = BTreeMap::new();
    let mut insert = |sequence, number, kind| {
        insert_long(&mut writer, sequence, number, kind);
        writer.reader()
    };
    for sequence in 1..=WRITES {
        // Every 16th number is deleted last.
        let number = chance(sequence) % KEYS;
        insert(sequence, number, ValueKind::Put);
        expected.insert(number, sequence as u8);
    }
    for number in (0..KEYS).step_by(16) {
        insert(WRITES + 1 + number, number, ValueKind::Delete);
        expected.remove(&number);
    }
    let sequence = WRITES + KEYS;
    assert!(expected.len() > 3 * ahead::STEPS_BEFORE_WALK);
    let mut newer = sequence;
    for start in expected.keys().copied().step_by(61) {
        for end in [None, Some(start + 700), Some(KEYS - 1)] {
            let end_key = end.map(u64::to_be_bytes);
            let rows = RowRun {
                end: end_key.as_ref().map(<[u8; 8]>::as_slice),
                sequence,
            };
            let table = insert(newer + 1, chance(newer) % KEYS, ValueKind::Put);
            newer += 1;
            assert!(table.reserved_bytes() > 2 * ahead::WALK_BYTES_MIN);
            let mut cursor = table.cursor();
            cursor
                .seek(&internal_key::encode(
                    &start.to_be_bytes(),
                    sequence,
                    ValueKind::Put,
                ))
                .unwrap();
            let mut shown = Vec::new();
            let goes_on = cursor.run(&rows, |key, value| {
                shown.push((u64::from_be_bytes(key.try_into().unwrap()), value[4095]));
                if shown.len().is_multiple_of(50) {
                    newer += 1;
                    insert(newer, chance(newer) % KEYS, ValueKind::Put);
                }
                true
            });
            assert!(goes_on);
            let rest = expected.range(start + 1..end.unwrap_or(u64::MAX).max(start + 1));
            assert!(
                shown
                    .iter()
                    .copied()
                    .eq(rest.map(|(&number, &value)| (number, value))),
                "from {start} to {end:?}"
            );
        }
    }
}

/// A memtable and a list of its first versions, and what was seen of both.
struct Journey {
    writer: MemtableWriter,
    /// The number of the last version.
    sequence: u64,
    random: u64,
    /// The internal keys of the first versions, in order.
    expected: Vec<Vec<u8>>,
    /// How often a cursor went far enough to walk.
    walks: usize,
    /// How many rows were found in one step, forwards and backwards.
    rows_stepped: [u64; 2],
}

impl Journey {
    /// One key has a quarter of all versions.
    fn new() -> Self {
        let mut new = Self {
            writer: large(),
            sequence: 0,
            random: 1,
            expected: Vec::new(),
            walks: 0,
            rows_stepped: [0, 0],
        };
        for _ in 0..WRITES {
            let number = [new.chance(KEYS), KEYS / 3][usize::from(new.chance(4) == 0)];
            let kind = [ValueKind::Put, ValueKind::Delete][usize::from(new.chance(8) == 0)];
            let key = new.insert(number, kind);
            new.expected.push(key);
        }
        new.expected.sort();
        new
    }

    fn chance(&mut self, of: u64) -> u64 {
        self.random = self
            .random
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (self.random >> 33) % of
    }

    fn insert(&mut self, number: u64, kind: ValueKind) -> Vec<u8> {
        self.sequence += 1;
        insert_long(&mut self.writer, self.sequence, number, kind)
    }

    fn user_key(&self, at: usize) -> &[u8] {
        internal_key::user_key(&self.expected[at])
    }

    /// Whether a reader is shown this version: the newest of its key, and no deletion.
    fn is_row(&self, at: usize) -> bool {
        let is_newest = at == 0 || self.user_key(at - 1) != self.user_key(at);
        is_newest && kind_of(&self.expected[at]) == ValueKind::Put
    }

    /// Where a cursor is in the list. `None` if it is at its end, or at an entry that came later.
    fn place_of(&self, cursor: &MemtableCursor) -> Option<usize> {
        let find = || {
            let place = |key: &Vec<u8>| key[..].cmp(cursor.key());
            self.expected.binary_search_by(place).ok()
        };
        cursor.valid().then(find).flatten()
    }

    /// Runs on from `at`, over at most so many rows.
    fn run(&mut self, cursor: &mut MemtableCursor, at: usize, most: usize) {
        let rows = RowRun {
            end: None,
            sequence: WRITES,
        };
        let mut shown = Vec::new();
        cursor.run(&rows, |key, _| {
            shown.push(key.to_vec());
            shown.len() < most
        });
        let rows = (at + 1..self.expected.len())
            .filter(|&row| self.is_row(row) && self.user_key(row) != self.user_key(at));
        let rows: Vec<_> = rows.take(shown.len()).collect();
        let user_keys = rows.iter().map(|&row| self.user_key(row));
        assert!(shown.iter().map(Vec::as_slice).eq(user_keys));
        let last = rows.last().copied().unwrap_or(at);
        assert_eq!(cursor.key(), self.expected[last]);
        self.walks += usize::from(shown.len() > ahead::STEPS_BEFORE_WALK);
    }

    /// Takes so many steps from `at`, or up to the end.
    fn steps(&mut self, cursor: &mut MemtableCursor, mut at: usize, most: usize, is_back: bool) {
        for step in 0..most {
            if self.chance(50) == 0 {
                let number = self.chance(KEYS);
                self.insert(number, ValueKind::Put);
            }
            let next = if is_back {
                at.checked_sub(1)
            } else {
                Some(at + 1).filter(|&next| next < self.expected.len())
            };
            if self.step_to_row(cursor, is_back) {
                assert!(next.is_some_and(|next| self.is_row(next)), "step {step}");
                self.rows_stepped[usize::from(is_back)] += 1;
            } else {
                step_to_version(cursor, is_back);
            }
            let Some(next) = next else {
                assert!(!cursor.valid(), "step {step}");
                break;
            };
            self.assert_at(cursor, next);
            at = next;
            self.walks += usize::from(step == 2 * ahead::STEPS_BEFORE_WALK);
        }
    }

    /// Asks for the next row in two thirds of all steps. Returns whether the cursor has moved.
    fn step_to_row(&mut self, cursor: &mut MemtableCursor, is_back: bool) -> bool {
        match is_back {
            _ if self.chance(3) == 0 => false,
            true => cursor.prev_row(WRITES),
            false => cursor.next_row(WRITES),
        }
    }

    fn assert_at(&self, cursor: &mut MemtableCursor, at: usize) {
        assert!(cursor.valid());
        assert_eq!(cursor.key(), self.expected[at]);
        assert_eq!(
            cursor.value(),
            [sequence_of(&self.expected[at]) as u8; 4096]
        );
        if cursor.is_newest_row(WRITES) {
            assert!(self.is_row(at));
        }
    }
}

fn kind_of(key: &[u8]) -> ValueKind {
    internal_key::parse(key).unwrap().kind
}

fn sequence_of(key: &[u8]) -> u64 {
    internal_key::parse(key).unwrap().sequence
}

/// To the next version of the list, past those that came later.
fn step_to_version(cursor: &mut MemtableCursor, is_back: bool) {
    loop {
        if is_back {
            cursor.prev().unwrap();
        } else {
            cursor.next().unwrap();
        }
        if !cursor.valid() || sequence_of(cursor.key()) <= WRITES {
            return;
        }
    }
}

/// In both directions, with turns, runs and steps from row to row in between, while newer versions are written.
#[test]
#[cfg_attr(miri, ignore = "takes 20 MB of entries")]
fn a_cursor_goes_far_as_in_a_list() {
    let mut journey = Journey::new();
    journey.insert(0, ValueKind::Put);
    let table = journey.writer.reader();
    assert!(table.reserved_bytes() > 2 * ahead::WALK_BYTES_MIN);
    let mut cursor = table.cursor();
    for leg in 0..600 {
        let mut at = journey.chance(WRITES) as usize;
        if leg % 3 == 0 {
            cursor.seek(&journey.expected[at]).unwrap();
        } else {
            // Where the leg before ended. An entry that was too new for it may have been all that was left.
            let Some(place) = journey.place_of(&cursor) else {
                continue;
            };
            at = place;
        }
        let is_back = journey.chance(2) == 0;
        let most = [journey.chance(20), journey.chance(1_500)][leg % 2] as usize;
        if journey.chance(4) == 0 {
            journey.run(&mut cursor, at, most);
        } else {
            journey.steps(&mut cursor, at, most, is_back);
        }
    }
    let (walks, rows) = (journey.walks, journey.rows_stepped);
    assert!(walks > 50, "{walks} long legs");
    assert!(rows.iter().all(|&rows| rows > 3_000), "{rows:?} rows");
}
