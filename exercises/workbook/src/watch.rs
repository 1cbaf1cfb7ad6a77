//! Notices saved files by their times of modification.
//!
//! Polled, because notifications report mere opens, and because a few hundred `stat` calls cost less than
//! a millisecond.
//!
//! Of a link to a file the file is watched, as it is the file that is compiled. Links to folders are not followed: they
//! may lead in a circle.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::catalogue::Catalogue;

/// How often files are looked at.
const POLL: Duration = Duration::from_millis(100);
/// After a change, how long all must be quiet: editors write in several steps.
const QUIET: Duration = Duration::from_millis(60);
/// Folders that hold results, not sources.
const SKIPPED: [&str; 4] = ["target", "backups", "golden", "hints"];

/// Time of modification and length of every watched file.
type Snapshot = BTreeMap<PathBuf, (SystemTime, u64)>;

/// Which chapters may have changed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Changed {
    /// The chapters with these packages.
    Chapters(Vec<String>),
    /// The kit, a manifest, or something that every chapter depends on.
    Everything,
}

/// What was saved, and when.
pub(crate) struct Saved {
    pub(crate) changed: Changed,
    /// The latest time of modification among the changed files; now, if they were removed.
    pub(crate) at: SystemTime,
}

/// Watches the exercises.
pub(crate) struct Watch {
    folder: PathBuf,
    seen: Snapshot,
}

impl Watch {
    pub(crate) fn new(catalogue: &Catalogue) -> Self {
        let folder = catalogue.root.join("exercises");
        let seen = snapshot(&folder);
        Self { folder, seen }
    }

    /// Waits until something is saved and all is quiet again.
    pub(crate) fn wait(&mut self, catalogue: &Catalogue) -> Saved {
        loop {
            if let Some(saved) = self.look(catalogue) {
                return saved;
            }
        }
    }

    /// Looks once, after a rest. If something was saved, waits until all is quiet again.
    pub(crate) fn look(&mut self, catalogue: &Catalogue) -> Option<Saved> {
        thread::sleep(POLL);
        let mut now = snapshot(&self.folder);
        if now == self.seen {
            return None;
        }
        loop {
            thread::sleep(QUIET);
            let later = snapshot(&self.folder);
            if later == now {
                break;
            }
            now = later;
        }
        let changed = difference(&self.seen, &now);
        self.seen = now;
        if changed.is_empty() {
            return None;
        }
        let stamps = changed.iter().filter_map(|path| self.seen.get(path));
        let latest = stamps.map(|(modified, _)| *modified).max();
        Some(Saved {
            changed: classify(catalogue, &changed),
            at: latest.unwrap_or_else(SystemTime::now),
        })
    }
}

fn snapshot(folder: &Path) -> Snapshot {
    let mut files = Snapshot::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        // A folder that vanishes while we look is a change that the next look will see.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let (Ok(kind), Ok(metadata)) = (entry.file_type(), fs::metadata(&path)) else {
                continue;
            };
            if kind.is_dir() {
                if !SKIPPED.iter().any(|skipped| name == *skipped) {
                    folders.push(path);
                }
            } else if metadata.is_file()
                && path.extension().is_some_and(|e| e == "rs" || e == "toml")
            {
                let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                files.insert(path, (modified, metadata.len()));
            }
        }
    }
    files
}

fn difference(before: &Snapshot, after: &Snapshot) -> Vec<PathBuf> {
    let gone = before.keys().filter(|path| !after.contains_key(*path));
    let new_or_changed = after
        .iter()
        .filter(|(path, stamp)| before.get(*path) != Some(stamp))
        .map(|(path, _)| path);
    gone.chain(new_or_changed).cloned().collect()
}

fn classify(catalogue: &Catalogue, changed: &[PathBuf]) -> Changed {
    let mut packages = Vec::new();
    for path in changed {
        let chapter = catalogue
            .chapters
            .iter()
            .find(|chapter| path.starts_with(&chapter.folder));
        let manifest = path.file_name().is_some_and(|name| name == "Cargo.toml");
        match chapter {
            Some(chapter) if !manifest => {
                if !packages.contains(&chapter.package) {
                    packages.push(chapter.package.clone());
                }
            }
            _ => return Changed::Everything,
        }
    }
    Changed::Chapters(packages)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::catalogue::Chapter;

    #[test]
    fn tells_one_chapter_from_everything() {
        let chapter = |name: &str| Chapter {
            package: name.to_owned(),
            folder: Path::new("/r/exercises").join(name),
            exercises: Vec::new(),
            engine: Vec::new(),
        };
        let catalogue = Catalogue {
            root: "/r".into(),
            folders: BTreeSet::new(),
            chapters: vec![chapter("ch01"), chapter("ch02")],
        };
        let changed = |path: &str| classify(&catalogue, &[PathBuf::from(path)]);
        assert_eq!(
            changed("/r/exercises/ch02/src/a.rs"),
            Changed::Chapters(vec!["ch02".to_owned()])
        );
        assert_eq!(changed("/r/exercises/ch02/Cargo.toml"), Changed::Everything);
        assert_eq!(changed("/r/exercises/kit/src/a.rs"), Changed::Everything);
    }

    #[test]
    fn sees_new_changed_and_removed_sources_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.rs");
        fs::write(&file, "1").unwrap();
        let first = snapshot(folder.path());
        fs::write(folder.path().join("a.txt"), "no source").unwrap();
        assert_eq!(
            difference(&first, &snapshot(folder.path())),
            Vec::<PathBuf>::new()
        );
        fs::write(&file, "22").unwrap();
        let second = snapshot(folder.path());
        assert_eq!(difference(&first, &second), std::slice::from_ref(&file));
        fs::remove_file(&file).unwrap();
        assert_eq!(difference(&second, &snapshot(folder.path())), [file]);
    }

    #[test]
    fn a_look_ends_also_where_nothing_was_saved() {
        let folder = tempfile::tempdir().unwrap();
        let catalogue = Catalogue {
            root: folder.path().to_path_buf(),
            folders: BTreeSet::new(),
            chapters: Vec::new(),
        };
        fs::create_dir(folder.path().join("exercises")).unwrap();
        let mut watch = Watch::new(&catalogue);
        assert!(watch.look(&catalogue).is_none());
        fs::write(folder.path().join("exercises/a.rs"), "1").unwrap();
        assert!(watch.look(&catalogue).is_some());
        assert!(watch.look(&catalogue).is_none());
    }

    #[cfg(unix)]
    #[test]
    fn sees_a_linked_answer_change() {
        use std::os::unix::fs::symlink;

        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (link, file) = (folder.path().join("a.rs"), elsewhere.path().join("a.rs"));
        fs::write(&file, "1").unwrap();
        symlink(&file, &link).unwrap();
        // In a circle, and to nowhere.
        symlink(folder.path(), folder.path().join("again")).unwrap();
        symlink("nowhere.rs", folder.path().join("b.rs")).unwrap();
        let first = snapshot(folder.path());
        fs::write(&file, "22").unwrap();
        assert_eq!(difference(&first, &snapshot(folder.path())), [link]);
    }
}
