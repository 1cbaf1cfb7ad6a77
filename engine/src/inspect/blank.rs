//! Logs and manifests that hold no record: says whether that is as it should be.
//!
//! A log begins empty, or with zeros if space was reserved. A manifest in force is never empty: its
//! first edit, which holds the whole state, is durable before `CURRENT` names it.

use std::path::Path;

use super::FileKind;
use crate::annotate::count;
use crate::log::{LogEnd, LogReader, RecoveryMode};
use crate::version::{current_manifest, file_name};
use crate::vfs::Vfs;

/// What it means that a log or a manifest has no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blank {
    /// A sentence about the file, without its full stop.
    pub what: String,
    /// Whether a database with this file is damaged. If not, opening ignores the file.
    pub is_damage: bool,
}

/// What it means that the file `path`, a log or a manifest with these contents, has no record.
/// `None` if it has one, or if its first one is torn or damaged, which the log reader reports.
///
/// Cost: for a manifest, reads `CURRENT` in its directory.
#[must_use]
pub fn blank(vfs: &dyn Vfs, path: &Path, kind: FileKind, contents: &[u8]) -> Option<Blank> {
    let (FileKind::Log { number } | FileKind::Manifest { number }) = kind else {
        return None;
    };
    let mut reader = LogReader::new(contents, path, number, RecoveryMode::PointInTime);
    if !matches!(reader.next_record(), Ok(None)) {
        return None;
    }
    let is_torn = matches!(reader.end(), Some(LogEnd::Torn { .. }));
    match kind {
        FileKind::Log { .. } if !is_torn => Some(Blank {
            what: log(contents),
            is_damage: false,
        }),
        FileKind::Manifest { .. } => Some(manifest(vfs, path, number)),
        _ => None,
    }
}

fn log(contents: &[u8]) -> String {
    if contents.is_empty() {
        return "it is empty, as a log is before its first write".to_owned();
    }
    if contents.iter().all(|byte| *byte == 0) {
        return format!(
            "it is {} and has no record: space that was taken ahead of the first write, or a first write that a power \
             cut has lost",
            count(contents.len() as u64, "zero")
        );
    }
    "it has no record, only marks that say what was durable".to_owned()
}

fn manifest(vfs: &dyn Vfs, path: &Path, number: u64) -> Blank {
    let dir = path.parent().unwrap_or(Path::new(""));
    let in_force = current_manifest(vfs, dir).ok();
    let what = match in_force {
        Some(other) if other != number => {
            let what = format!(
                "it has no edit, and CURRENT names {}: this one never came into force, and the next opening removes it",
                file_name::manifest_name(other)
            );
            return Blank {
                what,
                is_damage: false,
            };
        }
        Some(_) => "it has no whole edit, and CURRENT names it",
        None => "it has no whole edit, and no CURRENT beside it names another manifest",
    };
    Blank {
        what: format!(
            "{what}. A manifest begins with an edit that says the whole state, so opening the database refuses this one"
        ),
        is_damage: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::LogWriter;
    use crate::version::FileName;
    use crate::vfs::MemoryVfs;

    fn write(vfs: &MemoryVfs, path: &str, bytes: &[u8]) {
        let mut file = vfs.create(Path::new(path)).unwrap();
        file.append(bytes).unwrap();
    }

    fn of(vfs: &MemoryVfs, path: &str) -> Option<Blank> {
        let kind = FileName::parse(path.as_ref()).unwrap();
        blank(
            vfs,
            Path::new(path),
            kind.into(),
            &vfs.read(Path::new(path)).unwrap(),
        )
    }

    #[test]
    fn a_log_without_a_record_is_in_order_and_says_why() {
        let vfs = MemoryVfs::new();
        write(&vfs, "000003.log", b"");
        write(&vfs, "000004.log", &[0; 4_096]);
        let mut log = LogWriter::new(vfs.create(Path::new("000005.log")).unwrap(), 5);
        log.add_record(b"record").unwrap();
        let whole = vfs.read(Path::new("000005.log")).unwrap();
        write(&vfs, "000005.log", &whole[..12]);
        for (path, says) in [("000003.log", "it is empty"), ("000004.log", "4096 zeros")] {
            let blank = of(&vfs, path).unwrap();
            assert!(blank.what.contains(says) && !blank.is_damage, "{blank:?}");
        }
        assert_eq!(
            of(&vfs, "000005.log"),
            None,
            "the reader says that it is torn"
        );
    }

    /// Whatever is in it: nothing, zeros, half of its first edit.
    #[test]
    fn a_manifest_without_an_edit_is_damage_unless_another_is_in_force() {
        let vfs = MemoryVfs::new();
        let mut log = LogWriter::new(vfs.create(Path::new("MANIFEST-000002")).unwrap(), 2);
        log.add_record(&[7; 100]).unwrap();
        let whole = vfs.read(Path::new("MANIFEST-000002")).unwrap();
        assert_eq!(of(&vfs, "MANIFEST-000002"), None);
        for contents in [&b""[..], &[0; 600], &whole[..50]] {
            write(&vfs, "MANIFEST-000002", contents);
            for (current, is_damage) in [
                (&b"MANIFEST-000002\n"[..], true),
                (b"MANIFEST-000007\n", false),
                (b"rubbish", true),
            ] {
                write(&vfs, "CURRENT", current);
                let blank = of(&vfs, "MANIFEST-000002").unwrap();
                assert_eq!(blank.is_damage, is_damage, "{blank:?}");
            }
            vfs.remove(Path::new("CURRENT")).unwrap();
            assert!(of(&vfs, "MANIFEST-000002").unwrap().is_damage);
        }
    }
}
