//! The model of [`MemoryVfs`](super::MemoryVfs): what a disk holds, and how much of it is durable.
//!
//! It consists of plain data and a function that applies a change, so that a history can be replayed.
//!
//! Every name has two meanings: the one that the running process sees (`names`) and the one on the
//! medium (`durable`). A change of names is in `unsynced` until its directory is synced. A file has
//! its current bytes and those that it had at its last sync.
//!
//! What a power cut leaves is decided in [`power_cut`](super::power_cut).

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::power_cut::Choice;

/// A file, whatever its names. Ids are given in order of creation and never reused.
pub(super) type FileId = u64;

/// An operation that succeeded.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Create {
        path: PathBuf,
    },
    Append {
        file: FileId,
        at: usize,
        data: Arc<[u8]>,
    },
    Reserve {
        file: FileId,
        end: usize,
    },
    Trim {
        file: FileId,
        len: usize,
    },
    Sync {
        file: FileId,
    },
    CreateDirAll {
        dir: PathBuf,
    },
    RemoveDir {
        dir: PathBuf,
    },
    Remove {
        path: PathBuf,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    HardLink {
        from: PathBuf,
        to: PathBuf,
    },
    SyncDir {
        dir: PathBuf,
    },
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
    /// Where the appended bytes end; zeros follow if space was reserved.
    contents: usize,
    /// The bytes that it held at its last sync.
    durable: Arc<Vec<u8>>,
}

impl File {
    /// A file whose every byte is durable.
    fn settled(data: Vec<u8>) -> Self {
        let data = Arc::new(data);
        Self {
            contents: data.len(),
            durable: Arc::clone(&data),
            data,
        }
    }

    fn append(&mut self, at: usize, appended: &[u8]) {
        let data = Arc::make_mut(&mut self.data);
        self.contents = at + appended.len();
        if data.len() < self.contents {
            data.resize(self.contents, 0);
        }
        data[at..self.contents].copy_from_slice(appended);
    }
}

type Names = BTreeMap<PathBuf, Node>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    File(FileId),
    Dir,
}

/// One atomic change of names: `gone` disappears, and the name in `set` gets its new meaning.
#[derive(Debug, Clone)]
pub(super) struct NameChange {
    gone: Option<PathBuf>,
    set: Option<(PathBuf, Node)>,
}

impl NameChange {
    /// A new name.
    fn new_name(name: &Path, node: Node) -> Self {
        Self {
            gone: None,
            set: Some((name.to_path_buf(), node)),
        }
    }

    fn removal(name: &Path) -> Self {
        Self {
            gone: Some(name.to_path_buf()),
            set: None,
        }
    }

    fn renaming(from: &Path, to: &Path, node: Node) -> Self {
        Self {
            gone: Some(from.to_path_buf()),
            set: Some((to.to_path_buf(), node)),
        }
    }

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
            // A file that is open but has lost its name may be gone: its bytes could not be seen anyway.
            Change::Append { file, at, data } => {
                if let Some(file) = self.files.get_mut(file) {
                    file.append(*at, data);
                }
                Ok(())
            }
            Change::Reserve { file, end } => {
                if let Some(file) = self.files.get_mut(file) {
                    let data = Arc::make_mut(&mut file.data);
                    data.resize(data.len().max(*end), 0);
                }
                Ok(())
            }
            Change::Trim { file, len } => {
                if let Some(file) = self.files.get_mut(file) {
                    Arc::make_mut(&mut file.data).truncate(*len);
                }
                Ok(())
            }
            Change::Sync { file } => {
                if let Some(file) = self.files.get_mut(file) {
                    file.durable = Arc::clone(&file.data);
                }
                Ok(())
            }
            Change::CreateDirAll { dir } => self.create_dir_all(dir),
            Change::Remove { path } => self.remove(path),
            Change::RemoveDir { dir } => self.remove_dir(dir),
            Change::Rename { from, to } if self.is_dir(from) => self.rename_dir(from, to),
            Change::Rename { from, to } => self.rename(from, to),
            Change::HardLink { from, to } => self.hard_link(from, to),
            Change::SyncDir { dir } => self.sync_dir(dir),
        }
    }

    fn create(&mut self, path: &Path) -> io::Result<()> {
        self.check_place(path)?;
        let file = self.files_created;
        self.files_created += 1;
        self.files.insert(file, File::default());
        self.change_names(NameChange::new_name(path, Node::File(file)));
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
            self.change_names(NameChange::new_name(dir, Node::Dir));
        }
        Ok(())
    }

    fn remove(&mut self, path: &Path) -> io::Result<()> {
        self.file(path)?;
        self.change_names(NameChange::removal(path));
        Ok(())
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let file = Node::File(self.file(from)?);
        self.check_place(to)?;
        // POSIX: between two names of one file, nothing happens.
        if self.names.get(to) != Some(&file) {
            self.change_names(NameChange::renaming(from, to, file));
        }
        Ok(())
    }

    fn hard_link(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let file = self.file(from)?;
        self.check_place(to)?;
        if self.names.contains_key(to) {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists));
        }
        self.change_names(NameChange::new_name(to, Node::File(file)));
        Ok(())
    }

    fn remove_dir(&mut self, dir: &Path) -> io::Result<()> {
        if self.names.get(dir) != Some(&Node::Dir) {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        if self.names.keys().any(|path| path.parent() == Some(dir)) {
            return Err(io::Error::from(io::ErrorKind::DirectoryNotEmpty));
        }
        self.change_names(NameChange::removal(dir));
        Ok(())
    }

    /// Only within one directory, and only if all names inside are durable. Otherwise no program
    /// could rely on what a power cut leaves of them.
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
        self.change_names(NameChange::renaming(from, to, Node::Dir));
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

    /// Frees files that no name can refer to any more, now or after a power cut.
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

    fn change_names(&mut self, change: NameChange) {
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
        self.files.insert(id, File::settled(contents));
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
                    let File {
                        data,
                        durable: on_disk,
                        ..
                    } = &self.files[file];
                    let same = data.iter().zip(on_disk.iter());
                    let synced = same.take_while(|(now, then)| now == then).count();
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
        let mut choice = Choice::new(seed);
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
                files.entry(*id).or_insert_with(|| {
                    let data = choice.surviving_data(&file.durable, &file.data, file.contents);
                    File::settled(data)
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
