//! What each byte of a file means: the low-level interface under the tool `lsm`.
//!
//! Nothing here decodes by itself. The engine's own decoders read the file, and what they read is
//! put into words, so an explanation never disagrees with what the engine makes of the file. It
//! stops at the first wrong field, because no byte after it has a meaning that could be relied on.
//!
//! If a checksum is wrong, it looks for the one byte whose change would correct it: see [`Wrong::byte`].

mod blank;
mod kind;
mod log;
mod suspect;

use std::ffi::OsStr;
use std::path::Path;

use crate::annotate::Notes;
use crate::error::{Error, Result};
use crate::sstable::explain_table;
use crate::version::file_name;
use crate::vfs::Vfs;

pub use self::blank::{Blank, blank};
pub use self::kind::{kind_of, mistaken};
pub use crate::annotate::{Listener, Note, Wrong};
pub use crate::sstable::{ExplainOptions, read_properties, read_range_tombstones};
pub use crate::version::FileName;

/// Explains the file `path` to `listener`, byte by byte, up to the first thing that is wrong, which it returns.
///
/// # Errors
/// `Io`, `UnknownFile` as for [`kind_of`], and `InvalidArgument` if `options` ask for a data block that
/// the file does not have.
pub fn explain(
    vfs: &dyn Vfs,
    path: &Path,
    options: ExplainOptions,
    listener: &mut Listener<'_>,
) -> Result<Option<Wrong>> {
    let kind = kind_of(vfs, path)?;
    if let Some(block) = options.block {
        check_has_block(vfs, path, kind, block)?;
    }
    let explained = match kind {
        FileName::Table(_) => explain_table(&*vfs.open_random(path)?, options, listener),
        name @ (FileName::Manifest(number) | FileName::Log(number)) => {
            let records = match name {
                FileName::Manifest(_) => log::Records::Edits,
                _ => log::Records::Batches,
            };
            let contents = vfs.read(path)?;
            if let Some(what) = mistaken(name, &contents) {
                let begins = 0..contents.len().min(kind::SHOWN_BYTES) as u64;
                return Ok(Some(Wrong::new(begins, what)));
            }
            log::explain(&contents, path, number, records, options.limit, listener)
                .and_then(|()| explain_blank(vfs, path, name, &contents, listener))
        }
        FileName::Current => {
            let number = current(&vfs.read(path)?, listener);
            number.and_then(|number| check_is_there(vfs, path, number))
        }
        FileName::CurrentTemporary => current(&vfs.read(path)?, listener).map(|_| ()),
        FileName::Lock => lock(&vfs.read(path)?),
    };
    let Err(mut wrong) = explained else {
        return Ok(None);
    };
    if wrong.byte.is_none() {
        wrong.byte = suspect::find(&vfs.read(path)?, &wrong);
    }
    Ok(Some(wrong))
}

/// Refuses a data block that is not there, so that a mistyped number is not reported as damage. If a
/// table is too damaged to say how many it has, the explanation says where.
fn check_has_block(vfs: &dyn Vfs, path: &Path, kind: FileName, block: usize) -> Result<()> {
    let FileName::Table(_) = kind else {
        let path = path.display();
        return Err(Error::invalid(format!(
            "{path} is no table, and only tables have data blocks"
        )));
    };
    match read_properties(&*vfs.open_random(path)?) {
        Ok(stated) if block as u64 >= stated.data_blocks => Err(Error::invalid(format!(
            "there is no data block {block} in {}; it has {}, counted from 0",
            path.display(),
            stated.data_blocks
        ))),
        _ => Ok(()),
    }
}

/// Explains a file that has no records.
fn explain_blank(
    vfs: &dyn Vfs,
    path: &Path,
    name: FileName,
    contents: &[u8],
    listener: &mut Listener<'_>,
) -> Result<(), Wrong> {
    match blank(vfs, path, name, contents) {
        Some(blank) if blank.is_damage => Err(Wrong::new(0..contents.len() as u64, blank.what)),
        Some(blank) => {
            Notes::new(contents, 0, listener).part(blank.what);
            Ok(())
        }
        None => Ok(()),
    }
}

/// Explains which manifest `CURRENT` names, and returns its number.
fn current(contents: &[u8], listener: &mut Listener<'_>) -> Result<u64, Wrong> {
    let all = 0..contents.len() as u64;
    let Some(name) = contents.strip_suffix(b"\n") else {
        let what = "CURRENT ends in a newline, and this file does not: it is cut off, or not written by the engine";
        return Err(Wrong::new(all, what));
    };
    let text = std::str::from_utf8(name).ok();
    let parsed = text.and_then(|name| FileName::parse(OsStr::new(name)));
    let Some(FileName::Manifest(number)) = parsed else {
        let expected = b"MANIFEST-";
        let at = name
            .iter()
            .zip(expected)
            .take_while(|(a, b)| a == b)
            .count() as u64;
        let what = format!(
            "CURRENT names the manifest in force, as in \"MANIFEST-000005\", but here it has \"{}\"",
            name.escape_ascii()
        );
        return Err(Wrong::new(at..all.end, what));
    };
    let mut notes = Notes::new(contents, 0, listener);
    notes.part("CURRENT: which manifest is in force");
    notes.field(name.len(), format!("manifest {number}"));
    notes.field(1, "newline");
    Ok(number)
}

/// `CURRENT` has no checksum, so a wrong number only shows by the manifests beside it. A file that was
/// copied to another place has none beside it, and nothing is said.
fn check_is_there(vfs: &dyn Vfs, path: &Path, number: u64) -> Result<(), Wrong> {
    let dir = match path.parent() {
        Some(dir) if dir != Path::new("") => dir,
        _ => Path::new("."),
    };
    let names = vfs.list(dir).unwrap_or_default();
    let mut manifests = names.iter().filter_map(|name| match FileName::parse(name) {
        Some(FileName::Manifest(number)) => Some(number),
        _ => None,
    });
    let Some(newest) = manifests.clone().max() else {
        return Ok(());
    };
    if manifests.any(|there| there == number) {
        return Ok(());
    }
    let name = file_name::manifest_name(number);
    let what = format!(
        "it names {name}, which is not here, so opening the database refuses this; the newest manifest here is {}",
        file_name::manifest_name(newest)
    );
    let digits = "MANIFEST-".len() as u64..name.len() as u64;
    Err(Wrong::new(digits, what))
}

fn lock(contents: &[u8]) -> Result<(), Wrong> {
    match contents.len() {
        0 => Ok(()),
        len => Err(Wrong::new(
            0..len as u64,
            "the lock file is empty: only the lock on it counts",
        )),
    }
}
