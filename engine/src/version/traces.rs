//! Whether a directory holds files of this engine: tells a damaged database from what another program keeps under the
//! same names, as LevelDB and RocksDB do.

use std::path::Path;

use crate::error::Result;
use crate::log::has_fragment;
use crate::sstable::is_table;
use crate::version::FileName;
use crate::version::manifest::begins_as_manifest;
use crate::vfs::{Vfs, read_to_failure};

/// Whether some file in `dir` was surely written by this engine: a table that ends as one, or a log or manifest with
/// a valid fragment. What cannot be read counts as another's.
///
/// Cost: reads files up to the first that is the engine's, so it is for error paths.
///
/// # Errors
/// `Io` if the directory cannot be listed.
pub fn holds_files_of_ours(vfs: &dyn Vfs, dir: &Path) -> Result<bool> {
    let names = vfs.list(dir)?;
    Ok(names.iter().any(|name| {
        let kind = FileName::parse(name);
        kind.is_some_and(|kind| is_ours(vfs, &dir.join(name), kind))
    }))
}

fn is_ours(vfs: &dyn Vfs, path: &Path, kind: FileName) -> bool {
    let has = |is_so: &dyn Fn(&[u8]) -> bool| {
        read_to_failure(vfs, path).is_ok_and(|(contents, _)| is_so(&contents))
    };
    match kind {
        FileName::Table(_) => {
            let file = vfs.open_random(path);
            file.and_then(|file| is_table(&*file)).unwrap_or(false)
        }
        FileName::Log(number) => has(&|contents| has_fragment(contents, number)),
        FileName::Manifest(number) => {
            has(&|contents| begins_as_manifest(contents) || has_fragment(contents, number))
        }
        FileName::Current | FileName::CurrentTemporary | FileName::Lock => false,
    }
}
