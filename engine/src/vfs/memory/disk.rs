//! The model behind [`MemoryVfs`](super::MemoryVfs): what a disk holds, and what of it is durable.
//!
//! Plain data and a function that applies a change, so that a history can be replayed.
//!
//! Every name has two meanings: what the running process sees (`names`) and what is on the medium (`durable`).
//! A change of names joins `unsynced` until its directory is synced. A file has one content,
//! of which the first `synced` bytes are on the medium.
//!
//! A power cut then works so:
//! 1. Of the unsynced changes of names a seed keeps all, none, the first few or any subset. Real journaling
//!    file systems keep the first few; POSIX promises less, and the engine relies on POSIX only.
//! 2. Of each file the synced part survives, and of the rest a prefix, whose last sector may be
//!    garbage from some byte on, or which may be followed by zeros up to the length the file had.
//! 3. A name whose directory is lost is lost. A file synced under an unsynced name is lost with it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a disk writes whole or not at all.
const SECTOR_BYTES: usize = 512;

/// A file, whatever its names. Ids are given in order of creation and never again.
pub(super) type FileId = u64;

/// An operation that succeeded.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Create { path: PathBuf },
    Append { file: FileId, data: Arc<[u8]> },
    Sync { file: FileId },
    CreateDirAll { dir: PathBuf },
    RemoveDir { dir: PathBuf },
    Remove { path: PathBuf },
    Rename { from: PathBuf, to: PathBuf },
    HardLink { from: PathBuf, to: PathBuf },
    SyncDir { dir: PathBuf },
}

#[derive(Debug, Clone, Default)]
pub(super) struct Disk {
    files: BTreeMap<FileId, File>,
    files_created: u64,
    names: Names,
    durable: Names,
    unsynced: Vec<NameChange>,
}

#[derive(Debug, Clone, Default)]
struct File {
    data: Arc<Vec<u8>>,
    synced: usize,
}

type Names = BTreeMap<PathBuf, Node>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    File(FileId),
    Dir,
}

/// One atomic change of names: `gone` disappears and `name` means `node`.
#[derive(Debug, Clone)]
struct NameChange {
    gone: Option<PathBuf>,
    set: Option<(PathBuf, Node)>,
}

impl NameChange {
    fn apply(&self, names: &mut Names) {
        if let (Some(from), Some((to, Node::Dir))) = (&self.gone, &self.set) {
            let moved = |path: &PathBuf| {
                path.strip_prefix(from)
                    .is_ok_and(|rest| rest != Path::new(""))
            };
            let inside: Vec<PathBuf> = names.keys().filter(|path| moved(path)).cloned().collect();
            for path in inside {
                if let (Some(node), Ok(rest)) = (names.remove(&path), path.strip_prefix(from)) {
                    names.insert(to.join(rest), node);
                }
            }
        }
        if let Some(gone) = &self.gone {
            names.remove(gone);
        }
        if let Some((name, node)) = &self.set {
            names.insert(name.clone(), *node);
        }
    }

    /// The directory whose sync makes the change durable.
    fn dir(&self) -> &Path {
        let name = self
            .set
            .as_ref()
            .map(|(name, _)| name)
            .or(self.gone.as_ref());
        name.and_then(|name| name.parent()).unwrap_or(Path::new(""))
    }
}

impl Disk {
    pub(super) fn apply(&mut self, change: &Change) -> io::Result<()> {
        match change {
            Change::Create { path } => self.create(path),
            Change::Append { file, data } => {
                // A file without a name, still open, may be gone: nobody could see the bytes.
                if let Some(file) = self.files.get_mut(file) {
                    Arc::make_mut(&mut file.data).extend_from_slice(data);
                }
                Ok(())
            }
            Change::Sync { file } => {
                if let Some(file) = self.files.get_mut(file) {
                    file.synced = file.data.len();
                }
                Ok(())
            }
            Change::CreateDirAll { dir } => self.create_dir_all(dir),
            Change::Remove { path } => {
                self.file(path)?;
                self.rename_in_memory(NameChange {
                    gone: Some(path.clone()),
                    set: None,
                });
                Ok(())
            }
            Change::RemoveDir { dir } => self.remove_dir(dir),
            Change::Rename { from, to } if self.is_dir(from) => self.rename_dir(from, to),
            Change::Rename { from, to } => {
                let file = self.file(from)?;
                self.check_place(to)?;
                if self.names.get(to) == Some(&Node::File(file)) {
                    return Ok(()); // POSIX: between two names of one file, nothing happens.
                }
                self.rename_in_memory(NameChange {
                    gone: Some(from.clone()),
                    set: Some((to.clone(), Node::File(file))),
                });
                Ok(())
            }
            Change::HardLink { from, to } => {
                let file = self.file(from)?;
                self.check_place(to)?;
                if self.names.contains_key(to) {
                    return Err(io::Error::from(io::ErrorKind::AlreadyExists));
                }
                self.rename_in_memory(NameChange {
                    gone: None,
                    set: Some((to.clone(), Node::File(file))),
                });
                Ok(())
            }
            Change::SyncDir { dir } => self.sync_dir(dir),
        }
    }

    fn create(&mut self, path: &Path) -> io::Result<()> {
        self.check_place(path)?;
        let file = self.files_created;
        self.files_created += 1;
        self.files.insert(file, File::default());
        self.rename_in_memory(NameChange {
            gone: None,
            set: Some((path.to_path_buf(), Node::File(file))),
        });
        Ok(())
    }

    fn create_dir_all(&mut self, dir: &Path) -> io::Result<()> {
        let mut above: Vec<&Path> = dir.ancestors().collect();
        above.reverse();
        for dir in above {
            if self.is_dir(dir) {
                continue;
            }
            if self.names.contains_key(dir) {
                return Err(io::Error::from(io::ErrorKind::AlreadyExists));
            }
            self.rename_in_memory(NameChange {
                gone: None,
                set: Some((dir.to_path_buf(), Node::Dir)),
            });
        }
        Ok(())
    }

    fn remove_dir(&mut self, dir: &Path) -> io::Result<()> {
        if self.names.get(dir) != Some(&Node::Dir) {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        if self.names.keys().any(|path| path.parent() == Some(dir)) {
            return Err(io::Error::from(io::ErrorKind::DirectoryNotEmpty));
        }
        self.rename_in_memory(NameChange {
            gone: Some(dir.to_path_buf()),
            set: None,
        });
        Ok(())
    }

    /// Only within one directory, and only when all names inside are durable: what a power cut between would leave of the
    /// others is for no program to rely on.
    fn rename_dir(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let in_one = from.parent() == to.parent();
        let inside = self
            .unsynced
            .iter()
            .any(|change| change.dir().starts_with(from));
        if !in_one || inside {
            return Err(io::Error::from(io::ErrorKind::Unsupported));
        }
        if self.names.contains_key(to) {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists));
        }
        self.rename_in_memory(NameChange {
            gone: Some(from.to_path_buf()),
            set: Some((to.to_path_buf(), Node::Dir)),
        });
        Ok(())
    }

    fn sync_dir(&mut self, dir: &Path) -> io::Result<()> {
        if !self.is_dir(dir) {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        let durable = &mut self.durable;
        self.unsynced.retain(|change| {
            let synced = change.dir() == dir;
            if synced {
                change.apply(durable);
            }
            !synced
        });
        self.forget_nameless_files();
        Ok(())
    }

    /// Frees what no name can mean any more, now or after a power cut.
    fn forget_nameless_files(&mut self) {
        let unsynced = self
            .unsynced
            .iter()
            .filter_map(|change| change.set.as_ref().map(|(_, node)| node));
        let named: BTreeSet<FileId> = self
            .names
            .values()
            .chain(self.durable.values())
            .chain(unsynced)
            .filter_map(|node| match node {
                Node::File(file) => Some(*file),
                Node::Dir => None,
            })
            .collect();
        self.files.retain(|file, _| named.contains(file));
    }

    fn rename_in_memory(&mut self, change: NameChange) {
        change.apply(&mut self.names);
        self.unsynced.push(change);
    }

    /// Checks that a file may be given this name.
    fn check_place(&self, path: &Path) -> io::Result<()> {
        if self.is_dir(path) {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        match path.parent() {
            Some(dir) if self.is_dir(dir) => Ok(()),
            Some(dir) if self.names.contains_key(dir) => {
                Err(io::Error::from(io::ErrorKind::NotADirectory))
            }
            _ => Err(io::Error::from(io::ErrorKind::NotFound)),
        }
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.parent().is_none_or(|parent| parent == path)
            || self.names.get(path) == Some(&Node::Dir)
    }

    fn file(&self, path: &Path) -> io::Result<FileId> {
        match self.names.get(path) {
            Some(Node::File(file)) => Ok(*file),
            _ if self.is_dir(path) => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            _ => Err(io::Error::from(io::ErrorKind::NotFound)),
        }
    }

    pub(super) fn open(&self, path: &Path) -> io::Result<(FileId, u64)> {
        let file = self.file(path)?;
        Ok((file, self.files[&file].data.len() as u64))
    }

    pub(super) fn contents(&self, path: &Path) -> io::Result<Arc<Vec<u8>>> {
        Ok(Arc::clone(&self.files[&self.file(path)?].data))
    }

    pub(super) fn damage(&mut self, path: &Path, contents: Vec<u8>) -> io::Result<()> {
        let id = self.file(path)?;
        let synced = contents.len();
        self.files.insert(
            id,
            File {
                data: Arc::new(contents),
                synced,
            },
        );
        Ok(())
    }

    pub(super) fn exists(&self, path: &Path) -> io::Result<bool> {
        let is_file = |path: &Path| matches!(self.names.get(path), Some(Node::File(_)));
        if path.ancestors().skip(1).any(is_file) {
            return Err(io::Error::from(io::ErrorKind::NotADirectory));
        }
        Ok(self.is_dir(path) || is_file(path))
    }

    pub(super) fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        if !self.is_dir(dir) {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        let inside = self.names.keys().filter(|path| path.parent() == Some(dir));
        Ok(inside
            .filter_map(|path| path.file_name())
            .map(OsString::from)
            .collect())
    }

    pub(super) fn tree(&self) -> String {
        let mut tree = String::new();
        for (path, node) in &self.names {
            let durable = if self.durable.get(path) == Some(node) {
                ""
            } else {
                ", name not durable"
            };
            let line = match node {
                Node::Dir => writeln!(tree, "{}/{durable}", path.display()),
                Node::File(file) => {
                    let File { data, synced } = &self.files[file];
                    writeln!(
                        tree,
                        "{}: {} bytes, {synced} durable{durable}",
                        path.display(),
                        data.len()
                    )
                }
            };
            line.expect("writing to a string");
        }
        tree
    }

    pub(super) fn after_power_cut(&self, seed: u64) -> Disk {
        let mut choice = Choice { seed, state: seed };
        let mut names = self.durable.clone();
        for change in choice.surviving(&self.unsynced) {
            change.apply(&mut names);
        }
        let dirs: BTreeSet<PathBuf> = names
            .iter()
            .filter(|(_, node)| **node == Node::Dir)
            .map(|(path, _)| path.clone())
            .collect();
        let reachable = |path: &Path| {
            path.ancestors()
                .skip(1)
                .all(|dir| dir.parent().is_none() || dirs.contains(dir))
        };
        names.retain(|path, _| reachable(path));

        let mut files = BTreeMap::new();
        for node in names.values() {
            if let Node::File(id) = node {
                let file = &self.files[id];
                let data = choice.surviving_data(&file.data, file.synced);
                files.entry(*id).or_insert_with(|| File {
                    synced: data.len(),
                    data: Arc::new(data),
                });
            }
        }
        Disk {
            files,
            files_created: self.files_created,
            durable: names.clone(),
            names,
            unsynced: Vec::new(),
        }
    }
}

/// The dice of a power cut.
struct Choice {
    seed: u64,
    state: u64,
}

/// What becomes of something that was not synced.
enum Fate {
    Lost,
    Kept,
    /// The first part of it is kept.
    Torn,
    /// Any part of it is kept.
    Scattered,
}

impl Choice {
    fn fate(&mut self) -> Fate {
        match (self.seed, self.below(4)) {
            (0, _) | (_, 0) => Fate::Lost,
            (1, _) | (_, 1) => Fate::Kept,
            (_, 2) => Fate::Torn,
            _ => Fate::Scattered,
        }
    }

    fn surviving<'a>(&mut self, unsynced: &'a [NameChange]) -> Vec<&'a NameChange> {
        match self.fate() {
            Fate::Lost => Vec::new(),
            Fate::Kept => unsynced.iter().collect(),
            Fate::Torn => unsynced
                .iter()
                .take(self.below(unsynced.len() + 1))
                .collect(),
            Fate::Scattered => unsynced.iter().filter(|_| self.below(2) == 0).collect(),
        }
    }

    /// The bytes of a file after the cut. Those from `synced` on are at the dice's mercy.
    fn surviving_data(&mut self, data: &[u8], synced: usize) -> Vec<u8> {
        let written = data.len();
        match self.fate() {
            Fate::Lost => data[..synced].to_vec(),
            Fate::Kept => data.to_vec(),
            Fate::Torn => data[..synced + self.below(written - synced + 1)].to_vec(),
            Fate::Scattered => {
                let mut kept = data[..synced + self.below(written - synced + 1)].to_vec();
                let (garbled, zeros_after) = (self.below(2) == 0, self.below(2) == 0);
                if garbled {
                    let sector = kept.len() / SECTOR_BYTES * SECTOR_BYTES;
                    let torn = sector.max(synced);
                    let garbage_from = torn + self.below(kept.len() - torn + 1);
                    for byte in &mut kept[garbage_from..] {
                        *byte = self.below(256) as u8;
                    }
                }
                if zeros_after {
                    // The length reached the medium, the data did not.
                    kept.resize(written, 0);
                }
                kept
            }
        }
    }

    /// A number below `n`, which is not 0. (SplitMix64; Steele, Lea and Flood, 2014.)
    fn below(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}
