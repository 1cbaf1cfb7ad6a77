//! A copy of the repository in which other people's answers are judged.
//!
//! An instructor collects learners' folders. Their answers are laid, one learner after the other, into one copy of *this*
//! repository, so that all are judged by the same checks, nobody's own files are touched, and only what a learner
//! has changed is compiled again. Files that stay the same keep their time stamps, which is what cargo looks at; those that
//! no answer touches get them from the originals, so that the kit is not compiled again because it was copied.
//!
//! There is one copy, and reports of several processes share it. From the first answer that is laid until the last one is
//! judged a process holds [`Turn`], so that no one gets another's verdict.
//!
//! Left out: anything of a learner's folder but the `src` of each chapter, and what a link leads to: that may be a file of
//! yours, or another learner's. `lib.rs` and all else in `src` that is no exercise's file are this repository's, if it has them.

use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::fs::{self, File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::catalogue::{Catalogue, Chapter, Exercise};

/// Folders that are built, fetched or kept by tools.
const LEFT_OUT: [&str; 4] = ["target", ".git", "node_modules", "backups"];

/// The files of a learner's `src`, chapter by chapter in the order of the catalogue.
pub(crate) type Answers = Vec<BTreeMap<PathBuf, Vec<u8>>>;

/// The right to change the copy, until it is dropped: a lock of the system, which is gone with the process.
pub(crate) struct Turn(#[expect(dead_code, reason = "it is held, not read")] File);

/// The copy.
pub(crate) struct Scratch {
    catalogue: Catalogue,
    lock: PathBuf,
    /// The repository that it is a copy of.
    original: PathBuf,
}

impl Scratch {
    /// Makes the copy, or brings it up to date.
    pub(crate) fn of(catalogue: &Catalogue) -> Result<Self> {
        let target = catalogue.root.join("target");
        let root = target.join("report");
        let lock = target.join("report.lock");
        let _turn = turn(&lock)?;
        let chapters: Vec<&Path> = catalogue.chapters.iter().map(|c| &*c.folder).collect();
        copy(&catalogue.root, &root, &chapters, Time::OfTheOriginal)?;
        // Built dependencies are shared with the repository. The chapters must not be: cargo tells packages apart by their
        // place in the workspace, and would take a learner's program for the one of this repository, whose files are
        // older. Another profile gives them other names; this one differs by nothing that is felt.
        let mut config = format!("[build]\ntarget-dir = {:?}\n", target.display().to_string());
        for chapter in &catalogue.chapters {
            let package = &chapter.package;
            config += &format!("[profile.dev.package.{package}]\ncodegen-units = 255\n");
        }
        write(&root.join(".cargo/config.toml"), config.as_bytes())?;
        Ok(Self {
            catalogue: Catalogue::load(&root)?,
            lock,
            original: catalogue.root.clone(),
        })
    }

    /// Waits until no other process uses the copy. To be held from [`with_answers`](Self::with_answers) until they are judged.
    pub(crate) fn turn(&self) -> Result<Turn> {
        turn(&self.lock)
    }

    /// What lies in the `src` of each chapter of a learner's folder, and the links in it, which are not followed. What is
    /// missing there is the stub, and counts as not started.
    pub(crate) fn answers(&self, learner: &Path) -> Result<(Answers, Vec<PathBuf>)> {
        let (mut answers, mut left_out) = (Answers::new(), Vec::new());
        for chapter in &self.catalogue.chapters {
            let folder = self.catalogue.relative(&chapter.folder);
            let mut wanted = BTreeMap::new();
            let source = learner.join(&folder).join("src");
            let mut on_the_way = source.ancestors().take_while(|at| *at != learner);
            if let Some(link) = on_the_way.find(|at| at.is_symlink()) {
                left_out.push(link.to_path_buf());
            } else {
                left_out.extend(collect(&source, Path::new(""), &mut wanted)?);
            }
            let of_exercise = |exercise: &Exercise| {
                let file = exercise.file.strip_prefix("src").unwrap_or(&exercise.file);
                file.to_path_buf()
            };
            // `lib.rs` and what it gives to the exercises: a learner's folder may be older, or hold the answers alone.
            let answered: BTreeSet<PathBuf> = chapter.exercises.iter().map(of_exercise).collect();
            let mut given = BTreeMap::new();
            collect(
                &self.original.join(&folder).join("src"),
                Path::new(""),
                &mut given,
            )?;
            wanted.extend(
                given
                    .into_iter()
                    .filter(|(file, _)| !answered.contains(file)),
            );
            for exercise in &chapter.exercises {
                if let btree_map::Entry::Vacant(missing) = wanted.entry(of_exercise(exercise)) {
                    missing.insert(read(&chapter.stub(exercise))?);
                }
            }
            answers.push(wanted);
        }
        left_out.dedup();
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

/// Makes a chapter's `src` hold these files and no others.
fn lay(chapter: &Chapter, wanted: &BTreeMap<PathBuf, Vec<u8>>) -> Result<()> {
    let source = chapter.folder.join("src");
    let mut there = BTreeMap::new();
    collect(&source, Path::new(""), &mut there)?;
    for left_behind in there.keys().filter(|file| !wanted.contains_key(*file)) {
        let path = source.join(left_behind);
        fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    for (file, contents) in wanted {
        write(&source.join(file), contents)?;
    }
    Ok(())
}

/// Adds all files below a folder, which need not exist. Answers the links there.
fn collect(
    folder: &Path,
    below: &Path,
    files: &mut BTreeMap<PathBuf, Vec<u8>>,
) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let (entries, mut links) = entries(folder)?;
    for (name, path, is_folder) in entries {
        let short = below.join(&name);
        if is_folder {
            links.extend(collect(&path, &short, files)?);
        } else {
            files.insert(short, read(&path)?);
        }
    }
    Ok(links)
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
    let (source, _) = entries(from)?;
    let gone = |name: &String| !source.iter().any(|(there, ..)| there == name);
    if to.is_dir() {
        let (there, _) = entries(to)?;
        for (_, path, is_folder) in there.into_iter().filter(|(name, ..)| gone(name)) {
            let removed = if is_folder {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            };
            removed.with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    for (name, path, is_folder) in source {
        if LEFT_OUT.contains(&name.as_str()) {
            continue;
        }
        let target = to.join(&name);
        if is_folder {
            let answered = chapters.contains(&path.as_path());
            copy(
                &path,
                &target,
                chapters,
                if answered { Time::Now } else { time },
            )?;
        } else if write(&target, &read(&path)?)? && time == Time::OfTheOriginal {
            let written = path.metadata().and_then(|original| original.modified());
            let file = File::options().write(true).open(&target);
            file.and_then(|file| file.set_modified(written?))
                .with_context(|| format!("cannot set the time of {}", target.display()))?;
        }
    }
    Ok(())
}

/// Name, path, and whether it is a folder.
type Entry = (String, PathBuf, bool);

/// What lies in a folder, and the links there: they are followed by nobody.
fn entries(folder: &Path) -> Result<(Vec<Entry>, Vec<PathBuf>)> {
    let listed =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let (mut entries, mut links) = (Vec::new(), Vec::new());
    for entry in listed {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() || kind.is_file() {
            let name = entry.file_name().to_string_lossy().into_owned();
            entries.push((name, entry.path(), kind.is_dir()));
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
