//! What a table says about itself: for the checks at opening, for the compaction picker, for people.
//!
//! ```text
//! field*  tag: u8 | length: varint | bytes       tags ascending
//! ```
//!
//! | tag | field | bytes |
//! |---|---|---|
//! | 1 | comparator | its name, UTF-8 |
//! | 2 | entries | varint |
//! | 3 | deletes among them | varint |
//! | 4 | smallest internal key | the key |
//! | 5 | largest internal key | the key |
//! | 6 | smallest sequence number | varint |
//! | 7 | largest sequence number; if the smallest is 0, also those that entries had before they were given 0 | varint |
//! | 8 | bytes of all keys, trailers included | varint |
//! | 9 | bytes of all values | varint |
//! | 10 | data blocks | varint |
//! | 11 | writer | name and release of the program, UTF-8 |
//! | 12 | origin | why the table was written, such as "flush", UTF-8 |
//! | 13 | family | number of the column family, varint |
//! | 14 | family name | UTF-8; empty for a table that belongs to no database |
//! | 15 | inputs | the tables that it was made from, as runs of numbers; empty after a flush |
//! | 16 | range deletes | only if there are some: how many range tombstones, offset and length of their block, varints |
//! | 17 | older versions | only if there are some: how many entries have the user key of the entry before, varint |
//!
//! `table_numbers` has the runs. `docs/formats.md` has the same table, which a test compares.
//!
//! Tags 13 to 15 are for `repair`: if the manifest is lost, they say which family a table belongs
//! to and which tables it has replaced. Tags 4, 5 and 13 let a database notice at opening that a
//! file holds another table than the manifest says.
//!
//! Invariants
//! 1. Tags ascend, so none is repeated. All tags up to 15 are present.
//! 2. A reader skips tags above 17, so a later release may add some without a new format version.
//! 3. No count and no sequence number is above the greatest sequence number, so that no sum of them overflows.
//!
//! Left out: the time of writing. Without it the same entries give the same bytes, which tests rely on.

use super::stored::Handle;
use super::table_numbers::TableNumbers;
use crate::annotate::count;
use crate::comparator::Comparator;
use crate::internal_key::{self, ParsedKey, ValueKind};
use crate::varint;

const TAGS: u8 = 15;
/// Fields after the required ones may be missing.
const RANGE_DELETES: u8 = 16;
const OLDER_VERSIONS: u8 = 17;

/// What a table says about itself. See the module for the stored form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    /// Name of the comparator that sorted the table.
    pub comparator: String,
    /// How many entries there are, tombstones included.
    pub entries: u64,
    /// How many of them are tombstones.
    pub deletes: u64,
    /// The first internal key, or the first of a range tombstone that begins before it.
    pub smallest: Vec<u8>,
    /// The last internal key, or the end of a range tombstone that ends after it
    /// (see [`range_end`](internal_key::range_end)).
    pub largest: Vec<u8>,
    /// The smallest sequence number.
    pub sequence_min: u64,
    /// The largest sequence number, including those that entries had before they were given number 0.
    pub sequence_max: u64,
    /// Bytes of all keys, trailers included, before prefixes are shared.
    pub key_bytes: u64,
    /// Bytes of all values.
    pub value_bytes: u64,
    /// How many data blocks there are.
    pub data_blocks: u64,
    /// The program that wrote the table.
    pub writer: String,
    /// Why the table was written.
    pub origin: String,
    /// The number of its column family.
    pub family: u32,
    /// The name of its column family.
    pub family_name: String,
    /// The tables that a compaction made it from.
    pub inputs: TableNumbers,
    /// How many range tombstones there are. They do not count as entries.
    pub range_deletes: u64,
    /// Where their block is.
    pub(super) range_delete_block: Option<Handle>,
    /// How many entries have the user key of the entry before them.
    pub older_versions: u64,
}

impl Properties {
    /// Counts an entry, which must come after all that were counted before.
    pub(super) fn count(&mut self, key: &[u8], parsed: &ParsedKey<'_>, value: &[u8]) {
        if self.entries == 0 {
            self.smallest = key.to_vec();
        } else if parsed.user_key == internal_key::user_key(&self.largest) {
            self.older_versions += 1;
        }
        self.largest.clear();
        self.largest.extend_from_slice(key);
        self.entries += 1;
        self.deletes += u64::from(parsed.kind == ValueKind::Delete);
        self.sequence_min = self.sequence_min.min(parsed.sequence);
        self.sequence_max = self.sequence_max.max(parsed.sequence);
        self.key_bytes += key.len() as u64;
        self.value_bytes += value.len() as u64;
    }

    /// What is wrong if the table was sorted by another comparator than its column family's.
    pub(super) fn other_comparator(&self, comparator: &Comparator) -> Option<String> {
        let (stored, given) = (&self.comparator, comparator.name());
        (stored != given).then(|| {
            format!(
                "the table is sorted by the comparator {stored:?}, its column family by {given:?}"
            )
        })
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for tag in 1..=TAGS {
            out.push(tag);
            match self.field(tag) {
                Field::Bytes(bytes) => varint::append_bytes(&mut out, bytes),
                Field::Number(number) => {
                    varint::append(&mut out, varint::len(number) as u64);
                    varint::append(&mut out, number);
                }
                Field::Tables(tables) => varint::append_bytes(&mut out, &tables.encode()),
            }
        }
        if let Some(block) = self.range_delete_block {
            out.push(RANGE_DELETES);
            append_numbers(&mut out, &[self.range_deletes, block.offset, block.length]);
        }
        if self.older_versions > 0 {
            out.push(OLDER_VERSIONS);
            append_numbers(&mut out, &[self.older_versions]);
        }
        out
    }

    fn field(&self, tag: u8) -> Field<'_> {
        match tag {
            1 => Field::Bytes(self.comparator.as_bytes()),
            2 => Field::Number(self.entries),
            3 => Field::Number(self.deletes),
            4 => Field::Bytes(&self.smallest),
            5 => Field::Bytes(&self.largest),
            6 => Field::Number(self.sequence_min),
            7 => Field::Number(self.sequence_max),
            8 => Field::Number(self.key_bytes),
            9 => Field::Number(self.value_bytes),
            10 => Field::Number(self.data_blocks),
            11 => Field::Bytes(self.writer.as_bytes()),
            12 => Field::Bytes(self.origin.as_bytes()),
            13 => Field::Number(u64::from(self.family)),
            14 => Field::Bytes(self.family_name.as_bytes()),
            15 => Field::Tables(&self.inputs),
            _ => unreachable!("there are {TAGS} fields"),
        }
    }

    /// Decodes properties.
    ///
    /// # Errors
    /// Where in `bytes` the first wrong field begins, and what is wrong with it.
    pub(super) fn decode(bytes: &[u8]) -> Result<Properties, (usize, String)> {
        Properties::decode_each(bytes, |_, _, _| ())
    }

    /// Decodes properties, and passes each valid field to `show`: where it begins, its tag, its bytes.
    ///
    /// # Errors
    /// As for [`decode`](Self::decode).
    pub(super) fn decode_each(
        bytes: &[u8],
        mut show: impl FnMut(usize, u8, &[u8]),
    ) -> Result<Properties, (usize, String)> {
        let mut properties = Properties::default();
        let mut rest = bytes;
        let mut last_tag = 0;
        while !rest.is_empty() {
            let at = bytes.len() - rest.len();
            let (tag, field) = take_field(&mut rest)
                .ok_or_else(|| (at, "a property ends outside its block".to_owned()))?;
            if tag <= last_tag {
                return Err((
                    at,
                    format!("property {tag} comes after property {last_tag}"),
                ));
            }
            if tag <= TAGS && tag != last_tag + 1 {
                return Err((at, format!("property {} is missing", last_tag + 1)));
            }
            properties
                .set(tag, field)
                .ok_or_else(|| (at, format!("property {tag} has an unreadable value")))?;
            show(at, tag, field);
            last_tag = tag;
        }
        if last_tag < TAGS {
            return Err((bytes.len(), format!("property {} is missing", last_tag + 1)));
        }
        Ok(properties)
    }

    /// The name of a field, and what its bytes say.
    pub(super) fn describe(tag: u8, field: &[u8]) -> (&'static str, String) {
        let name = match tag {
            1 => "comparator",
            2 => "entries",
            3 => "deletes among them",
            4 => "smallest internal key",
            5 => "largest internal key",
            6 => "smallest sequence number",
            7 => "largest sequence number",
            8 => "bytes of keys",
            9 => "bytes of values",
            10 => "data blocks",
            11 => "writer",
            12 => "origin",
            13 => "family",
            14 => "family name",
            15 => "inputs",
            RANGE_DELETES => "range deletes",
            OLDER_VERSIONS => "older versions",
            _ => "of a later release",
        };
        let meaning = match tag {
            1 | 11 | 12 | 14 => format!("{:?}", String::from_utf8_lossy(field)),
            4 | 5 => internal_key::describe(field),
            15 => match TableNumbers::decode(field).unwrap_or_default() {
                inputs if inputs.runs().is_empty() => "none".to_owned(),
                inputs => format!("tables {}", inputs.describe()),
            },
            RANGE_DELETES => match numbers(field).as_deref() {
                Some([tombstones, offset, length]) => {
                    let tombstones = count(*tombstones, "range tombstone");
                    format!("{tombstones} in {} at {offset}", count(*length, "byte"))
                }
                _ => String::new(),
            },
            _ => number(field).map_or_else(String::new, |number| number.to_string()),
        };
        (name, meaning)
    }

    fn set(&mut self, tag: u8, field: &[u8]) -> Option<()> {
        match tag {
            1 => self.comparator = text(field)?,
            2 => self.entries = counter(field)?,
            3 => self.deletes = counter(field)?,
            4 => self.smallest = key(field)?,
            5 => self.largest = key(field)?,
            6 => self.sequence_min = counter(field)?,
            7 => self.sequence_max = counter(field)?,
            8 => self.key_bytes = counter(field)?,
            9 => self.value_bytes = counter(field)?,
            10 => self.data_blocks = counter(field)?,
            11 => self.writer = text(field)?,
            12 => self.origin = text(field)?,
            13 => self.family = u32::try_from(number(field)?).ok()?,
            14 => self.family_name = text(field)?,
            15 => self.inputs = TableNumbers::decode(field)?,
            RANGE_DELETES => {
                let [count, offset, length] = numbers(field)?.try_into().ok()?;
                self.range_deletes = Some(count).filter(is_bounded)?;
                self.range_delete_block = Some(Handle { offset, length });
            }
            OLDER_VERSIONS => self.older_versions = counter(field)?,
            _ => {}
        }
        Some(())
    }
}

enum Field<'a> {
    Bytes(&'a [u8]),
    Number(u64),
    Tables(&'a TableNumbers),
}

fn append_numbers(out: &mut Vec<u8>, numbers: &[u64]) {
    let len: usize = numbers.iter().map(|number| varint::len(*number)).sum();
    varint::append(out, len as u64);
    for number in numbers {
        varint::append(out, *number);
    }
}

fn take_field<'a>(rest: &mut &'a [u8]) -> Option<(u8, &'a [u8])> {
    let (tag, after) = rest.split_first()?;
    *rest = after;
    Some((*tag, varint::take_bytes(rest)?))
}

fn text(field: &[u8]) -> Option<String> {
    String::from_utf8(field.to_vec()).ok()
}

fn key(field: &[u8]) -> Option<Vec<u8>> {
    internal_key::parse(field).ok()?;
    Some(field.to_vec())
}

fn number(mut field: &[u8]) -> Option<u64> {
    let number = varint::take(&mut field)?;
    field.is_empty().then_some(number)
}

/// A number that is used in sums, or counted up from.
fn counter(field: &[u8]) -> Option<u64> {
    number(field).filter(is_bounded)
}

fn is_bounded(number: &u64) -> bool {
    *number <= internal_key::MAX_SEQUENCE
}

fn numbers(mut field: &[u8]) -> Option<Vec<u64>> {
    let mut numbers = Vec::new();
    while !field.is_empty() {
        numbers.push(varint::take(&mut field)?);
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::internal_key::ValueKind;

    fn properties() -> Properties {
        Properties {
            comparator: "bytewise".to_owned(),
            entries: 1000,
            deletes: 10,
            smallest: internal_key::encode(b"a", 7, ValueKind::Put),
            largest: internal_key::encode(b"z", 1 << 40, ValueKind::Delete),
            sequence_min: 7,
            sequence_max: 1 << 40,
            key_bytes: 20_000,
            value_bytes: 100_000,
            data_blocks: 30,
            writer: "engine 0.1.0".to_owned(),
            origin: "compaction to level 1".to_owned(),
            family: 7,
            family_name: "score".to_owned(),
            inputs: [4, 300].into_iter().collect(),
            range_deletes: 0,
            range_delete_block: None,
            older_versions: 0,
        }
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        assert_eq!(Properties::decode(&properties().encode()), Ok(properties()));
    }

    #[test]
    fn range_deletes_are_said_where_there_are_some() {
        let with_ranges = Properties {
            range_deletes: 300,
            range_delete_block: Some(Handle {
                offset: 70_000,
                length: 9,
            }),
            ..properties()
        };
        let bytes = with_ranges.encode();
        assert_eq!(Properties::decode(&bytes), Ok(with_ranges));
        let mut cut = properties().encode();
        cut.extend_from_slice(&[RANGE_DELETES, 2, 1, 1]);
        let (_, why) = Properties::decode(&cut).unwrap_err();
        assert_eq!(why, "property 16 has an unreadable value");
    }

    #[test]
    fn older_versions_are_counted_and_said_where_there_are_some() {
        let mut counted = Properties {
            entries: 0,
            ..properties()
        };
        for (user_key, sequence) in [("a", 9), ("a", 8), ("ab", 8), ("b", 3), ("b", 2), ("b", 1)] {
            let key = internal_key::encode(user_key.as_bytes(), sequence, ValueKind::Put);
            counted.count(&key, &internal_key::parse(&key).unwrap(), b"");
        }
        assert_eq!((counted.entries, counted.older_versions), (6, 3));
        let bytes = counted.encode();
        assert_eq!(bytes[bytes.len() - 3..], [OLDER_VERSIONS, 1, 3]);
        assert_eq!(Properties::decode(&bytes), Ok(counted));
    }

    #[test]
    fn every_truncation_is_noticed() {
        let bytes = properties().encode();
        for cut in 0..bytes.len() {
            let (at, _) = Properties::decode(&bytes[..cut]).unwrap_err();
            assert!(at <= cut);
        }
    }

    #[test]
    fn later_fields_are_passed_over_and_wrong_ones_named() {
        let mut later = properties().encode();
        later.extend_from_slice(&[18, 2, 0xff, 0xff, 200, 0]);
        assert_eq!(Properties::decode(&later), Ok(properties()));

        let mut twice = properties().encode();
        let end = twice.len();
        twice.extend_from_slice(&[15, 0]);
        assert_eq!(
            Properties::decode(&twice),
            Err((end, "property 15 comes after property 15".to_owned()))
        );

        let missing = &properties().encode()[10..];
        assert_eq!(
            Properties::decode(missing),
            Err((0, "property 1 is missing".to_owned()))
        );

        let uncountable = Properties {
            sequence_max: internal_key::MAX_SEQUENCE + 1,
            ..properties()
        };
        let (_, why) = Properties::decode(&uncountable.encode()).unwrap_err();
        assert_eq!(why, "property 7 has an unreadable value");

        let mut not_text = properties().encode();
        not_text[2] = 0xff;
        assert_eq!(
            Properties::decode(&not_text),
            Err((0, "property 1 has an unreadable value".to_owned()))
        );
    }
}
