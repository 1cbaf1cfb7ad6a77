//! A version edit: one step from a version of the database to the next, as the manifest stores it.
//!
//! Format: fields in any order, each a tag and its contents (integers are varints, strings are a
//! length and bytes):
//!
//! ```text
//! 1  magic: string | format version              first field of a manifest's first record
//! 2  family id | name: string | comparator: string      a family was created
//! 3  family id                                           a family was dropped
//! 4  next file number
//! 5  oldest log number that is still needed
//! 6  last sequence number that is in tables
//! 7  next family id
//! 8  family id | level | file number | file bytes | entries | range tombstones | smallest: string | largest: string
//!                                                        a table was added; its keys are internal keys
//! 9  family id | level | file number                    a table was removed
//! 10 last sequence number that was durable, in tables or logs
//! ```
//!
//! Invariants
//! 1. An edit is applied whole or not at all: it is one record of a log.
//! 2. A decoder may be given arbitrary bytes: unknown tags, fields that are cut off and levels that
//!    do not exist are errors.

use crate::batch::FamilyId;
use crate::internal_key;
use crate::sstable::Properties;
use crate::varint;
use crate::version::edit_fields::{Input, Shown};

/// Levels of a family, the newest tables in level 0.
pub const LEVELS: usize = 7;

/// What a manifest begins with, to distinguish it from other programs' files.
pub const MANIFEST_MAGIC: &[u8] = b"keys in order: manifest";
/// The format of manifests that this release writes, and the newest that it reads.
pub const MANIFEST_FORMAT: u32 = 1;

/// The greatest valid family number. No database gets this far, so a greater one means damage; the
/// bound also keeps counting on from overflowing.
pub const FAMILY_ID_MAX: u32 = u32::MAX / 2;

pub(super) const TAG_MAGIC: u64 = 1;
pub(super) const TAG_FAMILY_ADDED: u64 = 2;
pub(super) const TAG_FAMILY_DROPPED: u64 = 3;
pub(super) const TAG_NEXT_FILE: u64 = 4;
pub(super) const TAG_OLDEST_LOG: u64 = 5;
pub(super) const TAG_LAST_SEQUENCE: u64 = 6;
pub(super) const TAG_NEXT_FAMILY: u64 = 7;
pub(super) const TAG_FILE_ADDED: u64 = 8;
pub(super) const TAG_FILE_REMOVED: u64 = 9;
pub(super) const TAG_DURABLE_SEQUENCE: u64 = 10;

/// What the manifest says about a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMeta {
    /// The number in its name.
    pub number: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// Number of entries.
    pub entries: u64,
    /// Number of range tombstones, which do not count as entries.
    pub range_deletes: u64,
    /// Its first internal key, or the first of a range tombstone that begins before it.
    pub smallest: Vec<u8>,
    /// Its last internal key, or the end of a range tombstone that ends after it: see `internal_key::range_end`.
    pub largest: Vec<u8>,
}

/// A family as the manifest records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamilyRecord {
    /// Its number.
    pub id: FamilyId,
    /// Its name.
    pub name: String,
    /// The name of its comparator.
    pub comparator: String,
}

/// A step from one version to the next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VersionEdit {
    /// The format of the manifest, in its first record.
    pub format: Option<u32>,
    /// Families created.
    pub families_added: Vec<FamilyRecord>,
    /// Families dropped.
    pub families_dropped: Vec<FamilyId>,
    /// No file has this number or a greater one yet.
    pub next_file: Option<u64>,
    /// Logs with smaller numbers are no longer needed.
    pub oldest_log: Option<u64>,
    /// Every write up to this sequence number is in tables.
    pub last_sequence: Option<u64>,
    /// Every write up to this sequence number was durable, in tables or logs.
    pub durable_sequence: Option<u64>,
    /// No family has this number or a greater one yet.
    pub next_family: Option<u32>,
    /// Tables added, with family and level.
    pub files_added: Vec<(FamilyId, usize, FileMeta)>,
    /// Tables removed: family, level, number.
    pub files_removed: Vec<(FamilyId, usize, u64)>,
}

impl FileMeta {
    /// For each end of the key range in which the table's own statement differs from the manifest:
    /// a description. If there are none, it is the right table: no two tables of a family's version
    /// begin with the same internal key, because a sequence number is used only once.
    pub fn other_ends(&self, stated: &Properties) -> impl Iterator<Item = String> {
        let ends = [
            ("smallest", &self.smallest, &stated.smallest),
            ("largest", &self.largest, &stated.largest),
        ];
        let others = ends
            .into_iter()
            .filter(|(_, listed, stated)| listed != stated);
        others.map(|(which, listed, stated)| {
            let (listed, stated) = (
                internal_key::describe(listed),
                internal_key::describe(stated),
            );
            format!("the manifest has {listed} for its {which} key, the table {stated}")
        })
    }
}

impl VersionEdit {
    /// The record that the manifest stores.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if let Some(format) = self.format {
            varint::append(&mut out, TAG_MAGIC);
            varint::append_bytes(&mut out, MANIFEST_MAGIC);
            varint::append(&mut out, u64::from(format));
        }
        for family in &self.families_added {
            append_all(&mut out, &[TAG_FAMILY_ADDED, u64::from(family.id.0)]);
            varint::append_bytes(&mut out, family.name.as_bytes());
            varint::append_bytes(&mut out, family.comparator.as_bytes());
        }
        for id in &self.families_dropped {
            append_all(&mut out, &[TAG_FAMILY_DROPPED, u64::from(id.0)]);
        }
        let numbers = [
            (TAG_NEXT_FILE, self.next_file),
            (TAG_OLDEST_LOG, self.oldest_log),
            (TAG_LAST_SEQUENCE, self.last_sequence),
            (TAG_DURABLE_SEQUENCE, self.durable_sequence),
            (TAG_NEXT_FAMILY, self.next_family.map(u64::from)),
        ];
        for (tag, number) in numbers {
            if let Some(number) = number {
                append_all(&mut out, &[tag, number]);
            }
        }
        for (family, level, file) in &self.files_added {
            let place = [TAG_FILE_ADDED, u64::from(family.0), *level as u64];
            append_all(&mut out, &place);
            append_all(&mut out, &[file.number, file.bytes]);
            append_all(&mut out, &[file.entries, file.range_deletes]);
            varint::append_bytes(&mut out, &file.smallest);
            varint::append_bytes(&mut out, &file.largest);
        }
        for (family, level, number) in &self.files_removed {
            let place = [
                TAG_FILE_REMOVED,
                u64::from(family.0),
                *level as u64,
                *number,
            ];
            append_all(&mut out, &place);
        }
        out
    }

    /// Reads a record of a manifest.
    ///
    /// # Errors
    /// What is wrong, and at which byte of the record, as part of a sentence.
    pub fn decode(record: &[u8]) -> Result<Self, String> {
        Self::decode_each(record, &mut |_| ())
            .map_err(|(at, what)| format!("{what}, at byte {at} of a version edit"))
    }

    /// Reads a record, and passes each part of each valid field to `show`.
    ///
    /// # Errors
    /// The offset in the record where the first wrong field begins, and what is wrong with it.
    pub fn decode_each(
        record: &[u8],
        show: &mut dyn FnMut(Shown<'_>),
    ) -> Result<Self, (usize, String)> {
        let mut edit = Self::default();
        let mut input = Input { rest: record, show };
        while !input.rest.is_empty() {
            let at = record.len() - input.rest.len();
            edit.take_field(&mut input).map_err(|what| (at, what))?;
        }
        Ok(edit)
    }

    fn take_field(&mut self, input: &mut Input<'_, '_>) -> Result<(), String> {
        match input.tag()? {
            TAG_MAGIC => {
                let magic = input.bytes("the magic")?;
                if magic != MANIFEST_MAGIC {
                    return Err(format!(
                        "the magic is \"{}\" and not \"{}\"",
                        magic.escape_ascii(),
                        MANIFEST_MAGIC.escape_ascii()
                    ));
                }
                self.format = Some(input.u32("the format version")?);
            }
            TAG_FAMILY_ADDED => {
                let id = input.family()?;
                let name = input.name("a family's name")?;
                let comparator = input.name("a comparator's name")?;
                self.families_added.push(FamilyRecord {
                    id,
                    name,
                    comparator,
                });
            }
            TAG_FAMILY_DROPPED => self.families_dropped.push(input.family()?),
            TAG_NEXT_FILE => self.next_file = Some(input.counter("the next file number")?),
            TAG_OLDEST_LOG => self.oldest_log = Some(input.counter("the oldest log")?),
            TAG_LAST_SEQUENCE => {
                self.last_sequence = Some(input.counter("the last sequence number")?);
            }
            TAG_DURABLE_SEQUENCE => {
                self.durable_sequence = Some(input.counter("the last durable sequence number")?);
            }
            TAG_NEXT_FAMILY => {
                self.next_family = Some(input.next_family()?);
            }
            TAG_FILE_ADDED => {
                let (family, level) = (input.family()?, input.level()?);
                let file = FileMeta {
                    number: input.counter("a file number")?,
                    bytes: input.counter("a file length")?,
                    entries: input.counter("a number of entries")?,
                    range_deletes: input.counter("a number of range tombstones")?,
                    smallest: input.key("a smallest key")?,
                    largest: input.key("a largest key")?,
                };
                self.files_added.push((family, level, file));
            }
            TAG_FILE_REMOVED => {
                let (family, level) = (input.family()?, input.level()?);
                self.files_removed
                    .push((family, level, input.number("a file number")?));
            }
            unknown => return Err(format!("the tag {unknown} is unknown")),
        }
        Ok(())
    }
}

fn append_all(out: &mut Vec<u8>, numbers: &[u64]) {
    for number in numbers {
        varint::append(out, *number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> VersionEdit {
        let file = FileMeta {
            number: 300,
            bytes: 4096,
            entries: 17,
            range_deletes: 3,
            smallest: b"a-and-trailer".to_vec(),
            largest: b"z-and-trailer".to_vec(),
        };
        VersionEdit {
            format: Some(MANIFEST_FORMAT),
            families_added: vec![FamilyRecord {
                id: FamilyId(2),
                name: "score".into(),
                comparator: "bytewise".into(),
            }],
            families_dropped: vec![FamilyId(1)],
            next_file: Some(301),
            oldest_log: Some(9),
            last_sequence: Some(1 << 40),
            durable_sequence: Some(1 << 41),
            next_family: Some(3),
            files_added: vec![(FamilyId(2), 6, file)],
            files_removed: vec![(FamilyId(2), 5, 299)],
        }
    }

    #[test]
    fn an_edit_comes_back_as_it_was() {
        assert_eq!(VersionEdit::decode(&sample().encode()), Ok(sample()));
        assert_eq!(VersionEdit::decode(&[]), Ok(VersionEdit::default()));
    }

    #[test]
    fn fields_are_as_documented() {
        let edit = VersionEdit {
            families_dropped: vec![FamilyId(1)],
            next_file: Some(301),
            files_removed: vec![(FamilyId(2), 5, 299)],
            ..VersionEdit::default()
        };
        assert_eq!(edit.encode(), [3, 1, 4, 0xad, 2, 9, 2, 5, 0xab, 2]);
    }

    #[test]
    fn wrong_fields_are_named() {
        for (record, what) in [
            (&[99][..], "the tag 99 is unknown, at byte 0"),
            (
                &[3, 1, 9, 0, 7, 1],
                "level 7 does not exist, there are 7, at byte 2",
            ),
            (&[2, 1, 1, 0xff, 0], "a family's name is not UTF-8"),
            (&[2, 1, 0, 1, b'x'], "a family's name is empty, at byte 0"),
            (
                &[2, 1, 1, b'x', 0],
                "a comparator's name is empty, at byte 0",
            ),
            (&[1, 3, b'X', b'Y', b'Z'], "the magic is \"XYZ\" and not"),
            (&[8, 0, 0, 1, 1, 1, 0, 200], "a smallest key is cut off"),
            (
                &[6, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
                "the last sequence number is 72057594037927936, more than 72057594037927935, at byte 0",
            ),
        ] {
            let error = VersionEdit::decode(record).unwrap_err();
            assert!(error.contains(what), "{error}");
        }
    }

    proptest! {
        #[test]
        fn foreign_bytes_never_panic(
            at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>()
        ) {
            let mut record = sample().encode();
            let at = at.index(record.len());
            record[at] = byte;
            record.truncate(cut.index(record.len()) + 1);
            let _ = VersionEdit::decode(&record);
        }
    }
}
