//! Writes tables part by part, as `docs/formats.md` describes them, so that a test can write what the
//! engine never would. Every checksum is right.

use engine::internal_key::{self, ValueKind};
use engine::{Comparator, varint};

use crate::support::checksum::checksum;

/// The offset and length of contents.
pub(crate) type Handle = (u64, u64);

/// An entry: a user key, its sequence number, what it is, and a value.
pub(crate) type Entry<'a> = (&'a [u8], u64, ValueKind, &'a [u8]);

/// Where entries of a block are that are restarts.
#[derive(Clone, Copy)]
pub(crate) enum Restarts<'a> {
    /// Every entry is one.
    All,
    /// These offsets, which need not be those of entries.
    At(&'a [u32]),
}

/// A block for an order that is not bytewise, which has no heads. No entry shares a prefix.
pub(crate) fn block(entries: &[Entry<'_>], restarts: Restarts<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut offsets = Vec::new();
    for (key, sequence, kind, value) in entries {
        offsets.push(out.len() as u32);
        for number in [0, key.len() as u64, value.len() as u64] {
            varint::append(&mut out, number);
        }
        varint::append(&mut out, sequence << 2 | *kind as u64);
        out.extend_from_slice(key);
        out.extend_from_slice(value);
    }
    let offsets = match restarts {
        Restarts::All => &offsets[..],
        Restarts::At(offsets) => offsets,
    };
    for offset in offsets {
        out.extend(offset.to_le_bytes());
    }
    out.extend(u32::MAX.to_le_bytes());
    out.extend((offsets.len() as u32).to_le_bytes());
    out
}

/// A put.
pub(crate) fn put<'a>(key: &'a str, sequence: u64, value: &'a [u8]) -> Entry<'a> {
    (key.as_bytes(), sequence, ValueKind::Put, value)
}

/// A table that is being written.
#[derive(Default)]
pub(crate) struct Craft {
    pub(crate) bytes: Vec<u8>,
    pub(crate) properties: Properties,
}

/// What a table says about itself; [`Craft::finish`] writes it as it is.
#[derive(Clone)]
pub(crate) struct Properties {
    pub(crate) comparator: String,
    pub(crate) family: u64,
    pub(crate) family_name: String,
    pub(crate) entries: u64,
    pub(crate) deletes: u64,
    pub(crate) smallest: Vec<u8>,
    pub(crate) largest: Vec<u8>,
    pub(crate) sequences: (u64, u64),
    pub(crate) key_bytes: u64,
    pub(crate) value_bytes: u64,
    pub(crate) data_blocks: u64,
    pub(crate) range_deletes: Option<(u64, Handle)>,
    pub(crate) older_versions: u64,
}

impl Default for Properties {
    fn default() -> Self {
        Self {
            comparator: Comparator::reverse_bytewise().name().to_owned(),
            family: 0,
            family_name: "default".to_owned(),
            entries: 0,
            deletes: 0,
            smallest: internal_key::encode(b"", 1, ValueKind::Put),
            largest: internal_key::encode(b"", 1, ValueKind::Put),
            sequences: (0, 0),
            key_bytes: 0,
            value_bytes: 0,
            data_blocks: 0,
            range_deletes: None,
            older_versions: 0,
        }
    }
}

impl Properties {
    /// What a right table of these entries states.
    pub(crate) fn of(entries: &[Entry<'_>], data_blocks: u64) -> Self {
        let key = |at: usize| {
            let (key, sequence, kind, _) = entries[at];
            internal_key::encode(key, sequence, kind)
        };
        let sequences = || entries.iter().map(|entry| entry.1);
        let repeated = entries.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        Self {
            entries: entries.len() as u64,
            deletes: entries
                .iter()
                .filter(|of| of.2 == ValueKind::Delete)
                .count() as u64,
            smallest: key(0),
            largest: key(entries.len() - 1),
            sequences: (sequences().min().unwrap(), sequences().max().unwrap()),
            key_bytes: entries.iter().map(|of| of.0.len() as u64 + 8).sum(),
            value_bytes: entries.iter().map(|of| of.3.len() as u64).sum(),
            data_blocks,
            older_versions: repeated.count() as u64,
            ..Self::default()
        }
    }

    fn encode(&self) -> Vec<u8> {
        let number = |numbers: &[u64]| {
            let mut bytes = Vec::new();
            for number in numbers {
                varint::append(&mut bytes, *number);
            }
            bytes
        };
        let mut fields = vec![
            self.comparator.clone().into_bytes(),
            number(&[self.entries]),
            number(&[self.deletes]),
            self.smallest.clone(),
            self.largest.clone(),
            number(&[self.sequences.0]),
            number(&[self.sequences.1]),
            number(&[self.key_bytes]),
            number(&[self.value_bytes]),
            number(&[self.data_blocks]),
            b"a test".to_vec(),
            b"crafted".to_vec(),
            number(&[self.family]),
            self.family_name.clone().into_bytes(),
            Vec::new(),
        ];
        fields.push(
            self.range_deletes
                .map_or_else(Vec::new, |(count, (offset, length))| {
                    number(&[count, offset, length])
                }),
        );
        fields.push(match self.older_versions {
            0 => Vec::new(),
            some => number(&[some]),
        });
        let mut out = Vec::new();
        for (tag, field) in (1_u8..).zip(&fields) {
            if tag <= 15 || !field.is_empty() {
                out.push(tag);
                varint::append_bytes(&mut out, field);
            }
        }
        out
    }
}

impl Craft {
    /// Appends contents as they are.
    pub(crate) fn store(&mut self, contents: &[u8]) -> Handle {
        self.append(contents, 0)
    }

    /// Appends contents compressed.
    pub(crate) fn store_lz4(&mut self, contents: &[u8]) -> Handle {
        let mut stored = (contents.len() as u32).to_le_bytes().to_vec();
        stored.extend(lz4_flex::block::compress(contents));
        self.store_as_lz4(&stored)
    }

    /// Appends contents that say they are compressed.
    pub(crate) fn store_as_lz4(&mut self, stored: &[u8]) -> Handle {
        self.append(stored, 1)
    }

    fn append(&mut self, stored: &[u8], compression: u8) -> Handle {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(stored);
        self.bytes.push(compression);
        let checksum = checksum(start, &self.bytes[start..]);
        self.bytes.extend(checksum);
        (start as u64, stored.len() as u64)
    }

    /// Appends properties, an index with these entries, and the footer. There is no filter.
    pub(crate) fn finish(self, index: &[(&[u8], u64, Handle)]) -> Vec<u8> {
        self.finish_with((0, 0), index)
    }

    /// The same with a handle of a filter.
    pub(crate) fn finish_with(mut self, filter: Handle, index: &[(&[u8], u64, Handle)]) -> Vec<u8> {
        let properties = self.properties.encode();
        let properties = self.store(&properties);
        let values: Vec<Vec<u8>> = index
            .iter()
            .map(|(_, _, (offset, length))| {
                let mut value = Vec::new();
                varint::append(&mut value, *offset);
                varint::append(&mut value, *length);
                value
            })
            .collect();
        let entries: Vec<Entry<'_>> = index
            .iter()
            .zip(&values)
            .map(|((key, sequence, _), value)| (*key, *sequence, ValueKind::Put, &value[..]))
            .collect();
        let index = self.store(&block(&entries, Restarts::All));
        self.footer(index, filter, properties)
    }

    fn footer(mut self, index: Handle, filter: Handle, properties: Handle) -> Vec<u8> {
        let start = self.bytes.len();
        for (offset, length) in [index, filter, properties] {
            self.bytes.extend(offset.to_le_bytes());
            self.bytes.extend(length.to_le_bytes());
        }
        self.bytes.extend(1_u32.to_le_bytes());
        let checksum = crc32fast::hash(&self.bytes[start..]);
        self.bytes.extend(checksum.to_le_bytes());
        self.bytes.extend(b"KeysTbl\n");
        self.bytes
    }
}
