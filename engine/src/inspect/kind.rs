//! The kind of a file: by its name, or by its contents if the name is not the engine's.
//!
//! A damaged file whose name says what it is must still be recognized. But if nothing in it matches the
//! name, another program wrote it, and calling it torn would make its owner search for a power cut.

use std::ffi::OsStr;
use std::path::Path;

use crate::error::{Error, Result};
use crate::log::{
    BLOCK_BYTES, Found, FragmentType, HEADER_BYTES, LogReader, RecoveryMode, stored_number,
};
use crate::sstable::is_table;
use crate::version::{FileName, begins_as_manifest};
use crate::vfs::Vfs;

/// How many bytes of an unknown file are shown.
pub(super) const SHOWN_BYTES: usize = 16;
/// The offset of the log's number in a header.
const NUMBER_AT: usize = 7;
/// If nothing else suggests a log, a greater number means that the file is something else.
const USUAL_NUMBER_MAX: u32 = 1 << 24;

/// The kind of a file: by its name, or by its contents if the name is not the engine's.
///
/// # Errors
/// `UnknownFile` if neither is recognized, and `Io`.
pub fn kind_of(vfs: &dyn Vfs, path: &Path) -> Result<FileName> {
    if let Some(kind) = path.file_name().and_then(FileName::parse) {
        return Ok(kind);
    }
    if is_table(&*vfs.open_random(path)?)? {
        return Ok(FileName::Table(0));
    }
    let contents = vfs.read(path)?;
    if contents.starts_with(b"MANIFEST-") {
        return Ok(FileName::Current);
    }
    let header = Header::of(&contents);
    let number = header.map_or(0, |header| u64::from(header.number));
    if begins_as_manifest(&contents) {
        return Ok(FileName::Manifest(number));
    }
    if header.is_some_and(Header::may_be_of_a_log) || has_fragment(&contents, number) {
        return Ok(FileName::Log(number));
    }
    let found = format!(
        "{}. A table ends in \"KeysTbl\" and a newline, a log or a manifest begins with a fragment, and CURRENT with \
         \"MANIFEST-\". If it is one of these and has lost its beginning or its end, give it the name that it had, such as \
         000005.log, and it is read as what that says",
        beginning(&contents)
    );
    Err(Error::UnknownFile {
        path: path.to_path_buf(),
        found,
    })
}

/// Why a file is not what its name says, if nothing in it is as in such a file. A log whose first write was
/// torn by a power cut, or that is damaged, is still a log. Damaged tables are left to the table reader.
#[must_use]
pub fn mistaken(name: FileName, contents: &[u8]) -> Option<String> {
    let (kind, opening) = match name {
        FileName::Log(_) => (
            "write-ahead log",
            "Opening the database would take it for a log whose first write a power cut has torn, and a later one \
             removes it",
        ),
        FileName::Manifest(_) => ("manifest", "Opening the database refuses it"),
        FileName::Current if !names_a_manifest(contents) => {
            let found = beginning(contents);
            return Some(format!(
                "CURRENT names the manifest in force, as in \"MANIFEST-000005\" and a newline, and {found}"
            ));
        }
        FileName::Lock if !contents.is_empty() => {
            let found = beginning(contents);
            return Some(format!(
                "the lock file is empty, because only the lock on it counts, and {found}"
            ));
        }
        _ => return None,
    };
    let number = name.number().unwrap_or_default();
    let is_like_one = match Header::of(contents) {
        Some(header) => header.is_nearly_of(number, contents),
        // It is too short to tell, unless it is readable text.
        None => !is_text(contents),
    };
    // A sector that was never written is zeros.
    let is_lost = contents.iter().take(HEADER_BYTES).all(|byte| *byte == 0);
    if is_lost || is_like_one || begins_as_manifest(contents) || has_fragment(contents, number) {
        return None;
    }
    Some(format!(
        "by its name this is a {kind}, and it looks like none: {}, and no fragment is in it. If another program wrote it, \
         move it elsewhere. {opening}",
        beginning(contents)
    ))
}

fn names_a_manifest(contents: &[u8]) -> bool {
    let name = contents.strip_suffix(b"\n").map(std::str::from_utf8);
    let name = name.and_then(Result::ok).map(OsStr::new);
    matches!(name.and_then(FileName::parse), Some(FileName::Manifest(_)))
}

/// The header of the first fragment, if the file is a log.
#[derive(Clone, Copy)]
struct Header {
    has_type: bool,
    length_fits: bool,
    number: u32,
}

impl Header {
    fn of(contents: &[u8]) -> Option<Self> {
        let (header, rest) = contents.split_first_chunk::<HEADER_BYTES>()?;
        let [_, _, _, _, l0, l1, type_byte, n0, n1, n2, n3] = *header;
        let length = usize::from(u16::from_le_bytes([l0, l1]));
        Some(Self {
            has_type: FragmentType::from_byte(type_byte).is_some(),
            length_fits: length <= rest.len().min(BLOCK_BYTES - HEADER_BYTES),
            number: u32::from_le_bytes([n0, n1, n2, n3]),
        })
    }

    /// Whether the header belongs to the log `number`, except for one field, which may be damaged;
    /// or to another log, under whose number some fragment is valid.
    fn is_nearly_of(self, number: u64, contents: &[u8]) -> bool {
        if self.number == stored_number(number) {
            return self.has_type || self.length_fits;
        }
        let mut mended = contents[..contents.len().min(BLOCK_BYTES)].to_vec();
        mended[NUMBER_AT..HEADER_BYTES].copy_from_slice(&stored_number(number).to_le_bytes());
        let mended = LogReader::new(&mended, "", number, RecoveryMode::PointInTime);
        matches!(mended.look(0), Found::Fragment { .. })
            || has_fragment(contents, self.number.into())
    }

    /// Whether the header belongs to some log, as far as can be told without its checksum.
    fn may_be_of_a_log(self) -> bool {
        self.has_type && self.length_fits && (1..=USUAL_NUMBER_MAX).contains(&self.number)
    }
}

fn has_fragment(contents: &[u8], number: u64) -> bool {
    LogReader::new(contents, "", number, RecoveryMode::PointInTime).has_fragment()
}

fn is_text(bytes: &[u8]) -> bool {
    let is_control = |c: char| c.is_control() && !c.is_whitespace();
    std::str::from_utf8(bytes).is_ok_and(|text| !text.contains(is_control))
}

/// How a file begins, as part of a sentence.
fn beginning(contents: &[u8]) -> String {
    let shown = &contents[..contents.len().min(SHOWN_BYTES)];
    if contents.is_empty() {
        return "it is empty".to_owned();
    }
    if contents.iter().all(|byte| *byte == 0) {
        return format!("it is {} zeros", contents.len());
    }
    let more = if contents.len() > SHOWN_BYTES {
        "..."
    } else {
        ""
    };
    format!("it begins with \"{}{more}\"", shown.escape_ascii())
}
