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

use std::path::Path;

use crate::annotate::Notes;
use crate::error::{Error, Result};
use crate::sstable::explain_table;
use crate::version::{file_name, named_manifest, where_no_current};
use crate::vfs::Vfs;

pub use self::blank::{Blank, blank};
pub use self::kind::{FileKind, kind_of, mistaken};
pub use crate::annotate::{Listener, Note, Wrong, count};
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
        FileKind::Table => explain_table(&*vfs.open_random(path)?, options, listener),
        FileKind::Manifest { number } | FileKind::Log { number } => {
            let records = match kind {
                FileKind::Manifest { .. } => log::Records::Edits,
                _ => log::Records::Batches,
            };
            let contents = vfs.read(path)?;
            if let Some(what) = mistaken(kind, &contents) {
                let begins = 0..contents.len().min(kind::SHOWN_BYTES) as u64;
                return Ok(Some(Wrong::new(begins, what)));
            }
            let blank = blank(vfs, path, kind, &contents);
            let file = log::LogFile {
                contents: &contents,
                path,
                number,
                records,
                blank: blank.clone(),
                is_followed: is_followed(vfs, path, kind),
            };
            log::explain(&file, options.limit, listener).and_then(|()| {
                blank.map_or(Ok(()), |blank| explain_blank(blank, &contents, listener))
            })
        }
        FileKind::Current => {
            let contents = vfs.read(path)?;
            current(&contents, listener).and_then(|()| check_is_there(vfs, path, &contents))
        }
        FileKind::CurrentTemporary => current(&vfs.read(path)?, listener),
        FileKind::Lock => lock(&vfs.read(path)?),
    };
    let Err(mut wrong) = explained else {
        return Ok(None);
    };
    if options.block.is_some() {
        // Nothing else was looked at.
        wrong.sound = 0;
    }
    if wrong.byte.is_none() {
        match vfs.read(path) {
            Ok(contents) => wrong.byte = suspect::find(&contents, &wrong),
            // A file that memory cannot hold has been explained as far as that goes.
            Err(error) if error.is_out_of_memory() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(wrong))
}

/// Refuses a data block that is not there, so that a mistyped number is not reported as damage. If a
/// table is too damaged to say how many it has, the explanation says where.
fn check_has_block(vfs: &dyn Vfs, path: &Path, kind: FileKind, block: usize) -> Result<()> {
    let FileKind::Table = kind else {
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

/// Whether a log has later ones beside it.
fn is_followed(vfs: &dyn Vfs, path: &Path, kind: FileKind) -> bool {
    let FileKind::Log { number } = kind else {
        return false;
    };
    let names = vfs.list(dir_of(path)).unwrap_or_default();
    let mut files = names.iter().filter_map(|name| FileName::parse(name));
    files.any(|file| matches!(file, FileName::Log(other) if other > number))
}

fn dir_of(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if dir != Path::new("") => dir,
        _ => Path::new("."),
    }
}

/// Explains a file that has no records.
fn explain_blank(blank: Blank, contents: &[u8], listener: &mut Listener<'_>) -> Result<(), Wrong> {
    if blank.is_damage {
        return Err(Wrong::new(0..contents.len() as u64, blank.what));
    }
    Notes::new(contents, 0, listener).part(blank.what);
    Ok(())
}

/// Explains which manifest `CURRENT` names.
fn current(contents: &[u8], listener: &mut Listener<'_>) -> Result<(), Wrong> {
    let Some(number) = named_manifest(contents) else {
        let range = where_no_current(contents) as u64..contents.len() as u64;
        return Err(Wrong::new(range, kind::no_current(contents)));
    };
    let mut notes = Notes::new(contents, 0, listener);
    notes.part("CURRENT: which manifest is in force");
    notes.field(contents.len() - 1, format!("manifest {number}"));
    notes.field(1, "newline");
    Ok(())
}

/// Checks that the manifest is there which `CURRENT` names.
fn check_is_there(vfs: &dyn Vfs, path: &Path, contents: &[u8]) -> Result<(), Wrong> {
    match dangling(vfs, path, contents) {
        // Its digits lead to nothing.
        Some(what) => {
            let digits = file_name::MANIFEST_PREFIX.len()..contents.len() - 1;
            Err(Wrong::new(digits.start as u64..digits.end as u64, what))
        }
        None => Ok(()),
    }
}

/// Why the manifest that the `CURRENT` with these contents names is not there, if it is not. `CURRENT` has no checksum,
/// so a wrong number only shows by the files beside it. A file that was copied to another place has none of the
/// engine's beside it, and nothing is said.
pub fn dangling(vfs: &dyn Vfs, path: &Path, contents: &[u8]) -> Option<String> {
    let number = named_manifest(contents)?;
    let names = vfs.list(dir_of(path)).unwrap_or_default();
    let files = || names.iter().filter_map(|name| FileName::parse(name));
    if files().all(|file| file.number().is_none())
        || files().any(|file| file == FileName::Manifest(number))
    {
        return None;
    }
    // Who has the database open may have put another manifest in force meanwhile.
    if vfs.read(path).is_ok_and(|now| now != contents) {
        return None;
    }
    let newest = files().filter_map(|file| match file {
        FileName::Manifest(number) => Some(number),
        _ => None,
    });
    let here = match newest.max() {
        Some(newest) => format!(
            "the newest manifest here is {}",
            file_name::manifest_name(newest)
        ),
        None => "no other manifest is here".to_owned(),
    };
    Some(format!(
        "it names {}, which is not here, so opening the database refuses this; {here}",
        file_name::manifest_name(number)
    ))
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
