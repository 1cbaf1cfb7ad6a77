//! A copy of the repository in which other people's answers are judged.
//!
//! An instructor collects learners' folders. Their answers are laid, one learner after the other, into one copy of *this*
//! repository, so that all are judged by the same checks, nobody's own files are touched, and only what a learner
//! has changed is compiled again. Files that stay the same keep their time stamps, which is what cargo looks at; those that
//! no answer touches get them from the originals, so that the kit is not compiled again because it was copied.
//!
//! There is one copy, and reports of several processes share it. From the first answer that is laid until the last one is
//! judged a process holds a [`Turn`], so that no one gets another's verdict.
//!
//! Left out: of the repository all that is no package's, such as the data of a server; of a learner's folder anything but
//! the Rust sources in the `src` of each chapter, and what a link leads to: that may be a file of yours, or another
//! learner's. `lib.rs` and all else in `src` that is no exercise's file are this repository's, if it has them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::catalogue::{Catalogue, Chapter, Exercise};

/// Folders below those of the packages that are built, fetched or kept by tools.
const LEFT_OUT: [&str; 4] = ["target", ".git", "node_modules", "backups"];
/// What the copy has beside the packages' folders. Cargo reads the repository's own `.cargo` too: the copy lies below it.
const AT_THE_ROOT: [&str; 2] = ["Cargo.toml", "Cargo.lock"];
/// The longest source of a learner's that is read.
const SOURCE_BYTES_MAX: u64 = 1 << 20;

/// Files and their contents, by their place in a chapter's `src`.
type Files = BTreeMap<PathBuf, Vec<u8>>;
/// The files of a learner's `src`, chapter by chapter in the order of the catalogue.
pub(crate) type Answers = Vec<Files>;

/// The right to change the copy, until it is dropped: a lock of the system, which is gone with the process.
pub(crate) struct Turn(#[expect(dead_code, reason = "it is held, not read")] File);

/// The copy.
pub(crate) struct Scratch {
    catalogue: Catalogue,
    lock: PathBuf,
    /// Chapter by chapter.
    given: Vec<Given>,
}

/// What a chapter gives to every learner.
struct Given {
    /// For exercises that a learner has no file of: these count as not started.
    stubs: Files,
    /// `lib.rs` and what it gives to the exercises: a learner's folder may be older, or hold the answers alone.
    kept: Files,
}

/// Something in a learner's `src` that is not laid into the copy.
pub(crate) struct LeftOut {
    path: PathBuf,
    /// A sentence that begins with the path.
    why: &'static str,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path.display(), self.why)
    }
}

impl Scratch {
    /// Makes the copy, or brings it up to date.
    pub(crate) fn of(catalogue: &Catalogue) -> Result<Self> {
        let target = catalogue.root.join("target");
        let root = target.join("report");
        let lock = target.join("report.lock");
        let _turn = turn(&lock)?;
        make(catalogue, &root)?;
        let copied = Catalogue::load(&root)?;
        let mut given = Vec::new();
        for (original, chapter) in catalogue.chapters.iter().zip(&copied.chapters) {
            let mut stubs = Files::new();
            for exercise in &chapter.exercises {
                stubs.insert(of_exercise(exercise), read(&chapter.stub(exercise))?);
            }
            let mut kept = Files::new();
            let source = original.folder.join("src");
            let found = Found::in_folder(&source)?;
            for file in found.files.into_iter().filter(|f| !stubs.contains_key(f)) {
                let contents = read(&source.join(&file))?;
                kept.insert(file, contents);
            }
            given.push(Given { stubs, kept });
        }
        Ok(Self {
            catalogue: copied,
            lock,
            given,
        })
    }

    /// Waits until no other process uses the copy. To be held from [`with_answers`](Self::with_answers) until they are judged.
    pub(crate) fn turn(&self) -> Result<Turn> {
        turn(&self.lock)
    }

    /// The sources in the `src` of each chapter of a learner's folder, and what else lies there. What is missing there is
    /// the stub, and counts as not started.
    pub(crate) fn answers(&self, learner: &Path) -> Result<(Answers, Vec<LeftOut>)> {
        let (mut answers, mut left_out) = (Answers::new(), Vec::new());
        for (chapter, given) in self.catalogue.chapters.iter().zip(&self.given) {
            let mut wanted = given.stubs.clone();
            let source = learner
                .join(self.catalogue.relative(&chapter.folder))
                .join("src");
            let mut on_the_way = source.ancestors().take_while(|at| *at != learner);
            if let Some(link) = on_the_way.find(|at| at.is_symlink()) {
                left_out.push(LeftOut::link(link));
            } else {
                left_out.extend(collect(&source, &mut wanted)?);
            }
            wanted.extend(given.kept.clone());
            answers.push(wanted);
        }
        left_out.sort_by(|a, b| a.path.cmp(&b.path));
        // A link above several chapters.
        left_out.dedup_by(|a, b| a.path == b.path);
        for left_out in &mut left_out {
            if let Ok(short) = left_out.path.strip_prefix(learner) {
                left_out.path = short.to_path_buf();
            }
        }
        Ok((answers, left_out))
    }

    /// The copy's exercises, with these answers in it.
    pub(crate) fn with_answers(&self, answers: &Answers) -> Result<&Catalogue> {
        for (chapter, wanted) in self.catalogue.chapters.iter().zip(answers) {
            lay(chapter, wanted)?;
        }
        Ok(&self.catalogue)
    }
}

/// An exercise's file below `src`.
fn of_exercise(exercise: &Exercise) -> PathBuf {
    let file = exercise.file.strip_prefix("src").unwrap_or(&exercise.file);
    file.to_path_buf()
}

/// Waits for the lock, and says for whom.
fn turn(path: &Path) -> Result<Turn> {
    let cannot = || format!("cannot lock {}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(cannot)?;
    }
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    let mut file = options.open(path).with_context(cannot)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            // Some systems let nobody read a file that another process has locked.
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            eprintln!(
                "another `cargo workbook report` {holder} holds {}; waiting until it has judged (Ctrl-C gives up)",
                path.display()
            );
            file.lock().with_context(cannot)?;
        }
        Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
    }
    let process = format!("(process {})", std::process::id());
    file.set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| file.write_all(process.as_bytes()))
        .with_context(cannot)?;
    Ok(Turn(file))
}

/// Makes `root` a copy of the repository.
fn make(catalogue: &Catalogue, root: &Path) -> Result<()> {
    let chapters: Vec<&Path> = catalogue.chapters.iter().map(|c| &*c.folder).collect();
    if root.is_dir() {
        let mut kept = catalogue.folders.clone();
        kept.extend(AT_THE_ROOT.map(OsString::from));
        kept.insert(".cargo".into());
        remove_others(root, |entry| kept.contains(&entry.name))?;
    }
    for folder in &catalogue.folders {
        let (from, to) = (catalogue.root.join(folder), root.join(folder));
        copy(&from, &to, &chapters, Time::OfTheOriginal)?;
    }
    for file in AT_THE_ROOT {
        let path = catalogue.root.join(file);
        if path.is_file() {
            copy_file(&path, &root.join(file), Time::OfTheOriginal)?;
        }
    }
    // Built dependencies are shared with the repository. The chapters must not be: cargo tells packages apart by their
    // place in the workspace, and would take a learner's program for the one of this repository, whose files are
    // older. Another profile gives them other names; this one differs by nothing that is felt.
    let mut config = "[build]\ntarget-dir = \"..\"\n".to_owned();
    for chapter in &catalogue.chapters {
        let package = &chapter.package;
        config += &format!("[profile.dev.package.{package}]\ncodegen-units = 255\n");
    }
    write(&root.join(".cargo/config.toml"), config.as_bytes())?;
    Ok(())
}

/// Makes a chapter's `src` hold these files and no others.
fn lay(chapter: &Chapter, wanted: &Files) -> Result<()> {
    let source = chapter.folder.join("src");
    let there = Found::in_folder(&source)?;
    for left_behind in there
        .files
        .iter()
        .filter(|file| !wanted.contains_key(*file))
    {
        let path = source.join(left_behind);
        fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    // An empty folder would stand in the way of a file of its name. The others are not removed.
    for folder in there.folders.iter().rev() {
        let _ = fs::remove_dir(source.join(folder));
    }
    for (file, contents) in wanted {
        write(&source.join(file), contents)?;
    }
    Ok(())
}

/// Adds the sources below a learner's folder, which need not exist. Answers what else lies there.
fn collect(source: &Path, files: &mut Files) -> Result<Vec<LeftOut>> {
    let found = Found::in_folder(source)?;
    let mut left_out: Vec<LeftOut> = found.links.iter().map(|l| LeftOut::link(l)).collect();
    for file in found.files {
        let path = source.join(&file);
        if file.extension().is_none_or(|extension| extension != "rs") {
            let why = "is no Rust source, and is not read";
            left_out.push(LeftOut { path, why });
            continue;
        }
        let cannot = || format!("cannot read {}", path.display());
        let opened = File::open(&path).with_context(cannot)?;
        let mut contents = Vec::new();
        let mut bounded = opened.take(SOURCE_BYTES_MAX + 1);
        if bounded.read_to_end(&mut contents).with_context(cannot)? as u64 <= SOURCE_BYTES_MAX {
            files.insert(file, contents);
        } else {
            let why = "is longer than 1 MiB; it is not read, and counts as not started";
            left_out.push(LeftOut { path, why });
        }
    }
    Ok(left_out)
}

impl LeftOut {
    fn link(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            why: "is a link; what it leads to is not read, and counts as not started",
        }
    }
}

/// All that lies below a folder, which need not exist. Files and folders by their place in it, a folder before what is in it.
#[derive(Default)]
struct Found {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    /// These are followed by nobody.
    links: Vec<PathBuf>,
}

impl Found {
    fn in_folder(folder: &Path) -> Result<Self> {
        let mut found = Self::default();
        match folder.metadata() {
            Ok(metadata) if metadata.is_dir() => found.add(folder, Path::new(""))?,
            Ok(_) => {}
            Err(error) if [NotFound, NotADirectory].contains(&error.kind()) => {}
            // To be kept out is not to find nothing.
            Err(error) => {
                return Err(error).with_context(|| format!("cannot list {}", folder.display()));
            }
        }
        Ok(found)
    }

    fn add(&mut self, folder: &Path, below: &Path) -> Result<()> {
        let (entries, links) = entries(&folder.join(below))?;
        self.links.extend(links);
        for entry in entries {
            let short = below.join(&entry.name);
            if entry.is_folder {
                self.folders.push(short.clone());
                self.add(folder, &short)?;
            } else {
                self.files.push(short);
            }
        }
        Ok(())
    }
}

/// Which time a file gets that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Time {
    /// Cargo takes the copy for the original.
    OfTheOriginal,
    /// Where answers come and go: what was there before may have been compiled after the original was written.
    Now,
}

/// Makes one folder hold what another one holds, and nothing else. `chapters` are the folders that answers are laid into.
fn copy(from: &Path, to: &Path, chapters: &[&Path], time: Time) -> Result<()> {
    let time = if chapters.contains(&from) {
        Time::Now
    } else {
        time
    };
    let (source, _) = entries(from)?;
    if to.is_dir() {
        remove_others(to, |there| source.contains(there))?;
    }
    for entry in source {
        if LEFT_OUT.iter().any(|name| entry.name == *name) {
            continue;
        }
        let (path, target) = (from.join(&entry.name), to.join(&entry.name));
        if entry.is_folder {
            copy(&path, &target, chapters, time)?;
        } else {
            copy_file(&path, &target, time)?;
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path, time: Time) -> Result<()> {
    if write(to, &read(from)?)? && time == Time::OfTheOriginal {
        let written = from.metadata().and_then(|original| original.modified());
        let file = File::options().write(true).open(to);
        file.and_then(|file| file.set_modified(written?))
            .with_context(|| format!("cannot set the time of {}", to.display()))?;
    }
    Ok(())
}

/// Removes from a folder of the copy what is not to stay.
fn remove_others(folder: &Path, stays: impl Fn(&Entry) -> bool) -> Result<()> {
    let (there, _) = entries(folder)?;
    for entry in there.iter().filter(|entry| !stays(entry)) {
        let path = folder.join(&entry.name);
        let removed = if entry.is_folder {
            fs::remove_dir_all(&path)
        } else {
            fs::remove_file(&path)
        };
        removed.with_context(|| format!("cannot remove {}", path.display()))?;
    }
    Ok(())
}

#[derive(PartialEq, Eq)]
struct Entry {
    name: OsString,
    is_folder: bool,
}

/// What lies in a folder, and the links there.
fn entries(folder: &Path) -> Result<(Vec<Entry>, Vec<PathBuf>)> {
    let cannot = || format!("cannot list {}", folder.display());
    let listed = fs::read_dir(folder).with_context(cannot)?;
    let (mut entries, mut links) = (Vec::new(), Vec::new());
    for entry in listed {
        let entry = entry.with_context(cannot)?;
        let kind = entry.file_type().with_context(cannot)?;
        if kind.is_dir() || kind.is_file() {
            entries.push(Entry {
                name: entry.file_name(),
                is_folder: kind.is_dir(),
            });
        } else if kind.is_symlink() {
            links.push(entry.path());
        }
    }
    Ok((entries, links))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file, unless it holds this already. Says whether it did.
fn write(path: &Path, contents: &[u8]) -> Result<bool> {
    if fs::read(path).is_ok_and(|there| there == contents) {
        return Ok(false);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, contents).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn what_no_answer_touches_is_as_old_as_its_original() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let chapter = from.join("exercises/ch90");
        let old = SystemTime::now() - Duration::from_secs(3600);
        let files = ["exercises/kit/lib.rs", "exercises/ch90/src/lib.rs"];
        for file in files {
            let path = from.join(file);
            write(&path, b"text").unwrap();
            let opened = File::options().write(true).open(path).unwrap();
            opened.set_modified(old).unwrap();
        }
        copy(&from, &to, &[&chapter], Time::OfTheOriginal).unwrap();
        let copied = files.map(|file| to.join(file).metadata().unwrap().modified().unwrap() == old);
        assert_eq!(copied, [true, false]);
    }
}
