//! What a database consists of, read from its manifest and its tables' properties without opening
//! it: for `lsm stats`.

use std::path::{Path, PathBuf};

use crate::db::Options;
use crate::db::directory::{list, without_current};
use crate::db::survey::{Finding, Names, Survey};
use crate::error::{Error, Result};
use crate::log::LogEnd;
use crate::sstable::{Properties, read_properties};
use crate::version::{FileMeta, FileName, file_name, read_in_force};
use crate::vfs::Vfs;

/// A table as the manifest lists it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TableOverview {
    /// Its level.
    pub level: usize,
    /// What the manifest says about it.
    pub meta: FileMeta,
    /// What the table says about itself, or the error's message if it cannot be read.
    pub properties: Result<Properties, String>,
}

/// A column family and its tables, ordered by level, then by number.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FamilyOverview {
    /// Its number.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// The name of its comparator.
    pub comparator: String,
    /// Its tables.
    pub tables: Vec<TableOverview>,
}

/// What the files of a database say at one moment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Overview {
    /// The manifest in force.
    pub manifest: PathBuf,
    /// What is wrong in it. If anything is, the rest says only what could be read.
    pub damage: Vec<Finding>,
    /// Where its last edit begins, if that is not whole: after a power cut it was never in force, otherwise the file was
    /// cut or damaged, which `verify` may find out.
    pub torn: Option<u64>,
    /// How many edits it holds.
    pub edits: usize,
    /// The last sequence number that is in tables.
    pub last_sequence: u64,
    /// The families by number.
    pub families: Vec<FamilyOverview>,
    /// The logs that are still needed, with their lengths.
    pub logs: Vec<(PathBuf, u64)>,
}

/// Reads what the database in `dir` consists of. Nothing is locked or written, and another process may have
/// it open. A table may then be removed before its properties are read, and its entry has the error.
///
/// # Errors
/// `Io` if the directory or the manifest cannot be read; `Corruption` if `CURRENT` is damaged, or it or the manifest is
/// missing; `NotADatabase` if there are no other files of a database either; `UnsupportedVersion` if a later release
/// wrote the manifest.
pub fn overview(dir: impl AsRef<Path>, options: &Options) -> Result<Overview> {
    let (dir, vfs) = (dir.as_ref(), &*options.vfs);
    check_has_current(vfs, dir)?;
    let read = |number| {
        let mut damage = Vec::new();
        let survey = Survey::read(vfs, dir, number, &mut |finding| damage.push(finding))?;
        if damage.is_empty() {
            return Ok((damage, survey));
        }
        // Who has the database open may have appended between the reading of two pages.
        damage.clear();
        let survey = Survey::read(vfs, dir, number, &mut |finding| damage.push(finding))?;
        Ok((damage, survey))
    };
    let (number, (damage, survey)) = read_in_force(vfs, dir, read)?;
    // Listed again: the manifest may be newer than the first list.
    let names = Names::read(vfs, dir)?;
    let mut families = Vec::new();
    for record in survey.families.values() {
        let of_family = survey.tables.range((record.id, 0)..=(record.id, u64::MAX));
        let mut tables: Vec<_> = of_family
            .map(|((_, number), (level, meta))| {
                let file = vfs.open_random(&file_name::table(dir, *number));
                let properties = file.and_then(|file| read_properties(&*file));
                TableOverview {
                    level: *level,
                    meta: meta.clone(),
                    properties: properties.map_err(|error| error.to_string()),
                }
            })
            .collect();
        tables.sort_by_key(|table| (table.level, table.meta.number));
        families.push(FamilyOverview {
            id: record.id.0,
            name: record.name.clone(),
            comparator: record.comparator.clone(),
            tables,
        });
    }
    let logs = names
        .logs
        .range(survey.oldest_log..)
        .map(|number| file_name::log(dir, *number));
    let logs = logs
        .map(|path| (path.clone(), vfs.len(&path).unwrap_or(0)))
        .collect();
    Ok(Overview {
        manifest: file_name::manifest(dir, number),
        damage,
        torn: match survey.end {
            Some(LogEnd::Torn { at }) => Some(at),
            _ => None,
        },
        edits: survey.edits,
        last_sequence: survey.last_sequence,
        families,
        logs,
    })
}

fn check_has_current(vfs: &dyn Vfs, dir: &Path) -> Result<()> {
    let listing = list(vfs, dir)?;
    if listing.files.contains(&FileName::Current) {
        return Ok(());
    }
    listing.check_is_new(vfs, dir)?;
    let manifest = listing.files.iter().find_map(|file| match file {
        FileName::Manifest(number) => Some(file_name::manifest(dir, *number)),
        _ => None,
    });
    Err(match manifest {
        Some(manifest) => without_current(dir, &manifest),
        None => Error::NotADatabase {
            path: dir.to_path_buf(),
            found: "there is no CURRENT in it".to_owned(),
        },
    })
}
