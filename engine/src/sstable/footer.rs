//! The last 64 bytes of a table: what it is, and where its parts are.
//!
//! ```text
//! index       offset: u64 | length: u64
//! filter      offset: u64 | length: u64    length 0 = there is none
//! properties  offset: u64 | length: u64
//! version     u32
//! checksum    u32    CRC-32 of everything before it in the footer
//! magic       "KeysTbl\n"
//! ```
//!
//! Invariant: version, checksum and magic keep their places in every later version, at the end of a
//! footer of 64 bytes, so that an older release can tell that the file is too new for it.

use super::stored::Handle;
use crate::checksum::Covered;
use crate::error::{Error, Result};
use std::path::Path;

/// The version that this release writes, and the newest that it reads.
pub const FORMAT_VERSION: u32 = 1;

/// Length of a footer.
pub(super) const FOOTER_BYTES: usize = 64;

pub(super) const MAGIC: [u8; 8] = *b"KeysTbl\n";
pub(crate) const CHECKSUM_AT: usize = 52;
const VERSION_AT: usize = 48;

/// Where the parts of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Footer {
    pub(super) index: Handle,
    pub(super) filter: Option<Handle>,
    pub(super) properties: Handle,
}

impl Footer {
    pub(super) fn encode(&self) -> [u8; FOOTER_BYTES] {
        let filter = self.filter.unwrap_or(Handle {
            offset: 0,
            length: 0,
        });
        let mut bytes = Vec::with_capacity(FOOTER_BYTES);
        for handle in [self.index, filter, self.properties] {
            bytes.extend_from_slice(&handle.offset.to_le_bytes());
            bytes.extend_from_slice(&handle.length.to_le_bytes());
        }
        bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes.extend_from_slice(&MAGIC);
        bytes.try_into().expect("the parts add up to 64 bytes")
    }

    /// For each field of the encoded footer: its length and its meaning. `self` is the decoded footer.
    pub(super) fn describe(&self, bytes: &[u8]) -> Vec<(usize, String)> {
        let mut fields = Vec::new();
        let filter = self.filter.unwrap_or(Handle {
            offset: 0,
            length: 0,
        });
        for (name, handle) in [
            ("index", self.index),
            ("filter", filter),
            ("properties", self.properties),
        ] {
            let none = if handle.length == 0 {
                ", so there is none"
            } else {
                ""
            };
            fields.push((8, format!("{name} at {}", handle.offset)));
            fields.push((8, format!("{name} length {}{none}", handle.length)));
        }
        let version = bytes[VERSION_AT..]
            .first_chunk()
            .map_or(0, |bytes| u32::from_le_bytes(*bytes));
        fields.push((
            CHECKSUM_AT - VERSION_AT,
            format!("format version {version}"),
        ));
        fields.push((4, "checksum of the footer so far: right".to_owned()));
        fields.push((MAGIC.len(), format!("magic \"{}\"", MAGIC.escape_ascii())));
        fields
    }

    /// Decodes the footer that ends at `file_len` in `file`.
    ///
    /// # Errors
    /// `Corruption` if it is damaged or the file is not a table, `UnsupportedVersion` if it is too new.
    pub(super) fn decode(bytes: &[u8; FOOTER_BYTES], file: &Path, file_len: u64) -> Result<Footer> {
        let start = file_len - FOOTER_BYTES as u64;
        let corruption = |at: usize, what: String| Error::corruption(file, start + at as u64, what);
        if !bytes.ends_with(&MAGIC) {
            let found = bytes[FOOTER_BYTES - MAGIC.len()..].escape_ascii();
            let what = format!(
                "a table ends in \"{}\", this file in \"{found}\"",
                MAGIC.escape_ascii()
            );
            return Err(corruption(FOOTER_BYTES - MAGIC.len(), what));
        }
        let stated = u32_at(bytes, CHECKSUM_AT);
        let computed = crc32fast::hash(&bytes[..CHECKSUM_AT]);
        if stated != computed {
            return Err(corruption(0, Covered::Footer.mismatch(stated, computed)));
        }
        let version = u32_at(bytes, VERSION_AT);
        if version > FORMAT_VERSION {
            return Err(Error::UnsupportedVersion {
                file: file.to_path_buf(),
                found: version,
                newest: FORMAT_VERSION,
            });
        }
        if version == 0 {
            return Err(corruption(
                VERSION_AT,
                "format versions begin at 1, the footer states 0".to_owned(),
            ));
        }
        let handle = |at| Handle {
            offset: u64_at(bytes, at),
            length: u64_at(bytes, at + 8),
        };
        let filter = handle(16);
        Ok(Footer {
            index: handle(0),
            filter: (filter.length > 0).then_some(filter),
            properties: handle(32),
        })
    }
}

fn u32_at(bytes: &[u8; FOOTER_BYTES], at: usize) -> u32 {
    u32::from_le_bytes(
        *bytes[at..]
            .first_chunk()
            .expect("the fields lie in the footer"),
    )
}

fn u64_at(bytes: &[u8; FOOTER_BYTES], at: usize) -> u64 {
    u64::from_le_bytes(
        *bytes[at..]
            .first_chunk()
            .expect("the fields lie in the footer"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footer() -> Footer {
        Footer {
            index: Handle {
                offset: 1000,
                length: 50,
            },
            filter: Some(Handle {
                offset: 640,
                length: 65,
            }),
            properties: Handle {
                offset: 800,
                length: 90,
            },
        }
    }

    fn decode(bytes: &[u8; FOOTER_BYTES]) -> Result<Footer> {
        Footer::decode(bytes, Path::new("t.sst"), 2000)
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let no_filter = Footer {
            filter: None,
            ..footer()
        };
        for footer in [footer(), no_filter] {
            assert_eq!(decode(&footer.encode()).unwrap(), footer);
        }
    }

    #[test]
    fn every_changed_bit_is_noticed() {
        let good = footer().encode();
        for at in 0..FOOTER_BYTES {
            for bit in 0..8 {
                let mut bad = good;
                bad[at] ^= 1 << bit;
                let error = decode(&bad).unwrap_err();
                assert!(
                    matches!(error, Error::Corruption { .. }),
                    "byte {at}, bit {bit}: {error}"
                );
            }
        }
    }

    /// A footer of another version, with a correct checksum.
    fn of_version(version: u32) -> [u8; FOOTER_BYTES] {
        let mut bytes = footer().encode();
        bytes[VERSION_AT..CHECKSUM_AT].copy_from_slice(&version.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..CHECKSUM_AT]);
        bytes[CHECKSUM_AT..CHECKSUM_AT + 4].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    #[test]
    fn a_newer_version_says_so() {
        let error = decode(&of_version(FORMAT_VERSION + 1)).unwrap_err();
        assert!(
            matches!(
                error,
                Error::UnsupportedVersion {
                    found: 2,
                    newest: 1,
                    ..
                }
            ),
            "{error}"
        );
        assert!(matches!(
            decode(&of_version(0)).unwrap_err(),
            Error::Corruption { offset: 1984, .. }
        ));
    }

    #[test]
    fn another_kind_of_file_says_how_it_ends() {
        let mut other = footer().encode();
        other[56..].copy_from_slice(b"PNG\x00\x01\x02\x03\x04");
        let error = decode(&other).unwrap_err().to_string();
        let expected =
            "a table ends in \"KeysTbl\\n\", this file in \"PNG\\x00\\x01\\x02\\x03\\x04\"";
        assert!(error.contains(expected), "{error}");
    }
}
