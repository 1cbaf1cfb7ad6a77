//! Puts an exercise back to its stub, and keeps what was there.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::Serialize;

use crate::catalogue::Catalogue;

/// What a reset did.
#[derive(Debug, Serialize)]
pub(crate) struct Reset {
    pub(crate) name: String,
    pub(crate) file: String,
    /// Where the answer is kept; nothing if there was none to keep.
    pub(crate) backup: Option<String>,
    /// Whether the file was changed.
    pub(crate) changed: bool,
}

/// Resets one exercise, after asking unless `yes`.
pub(crate) fn reset(catalogue: &Catalogue, name: &str, yes: bool) -> Result<Reset> {
    let (chapter, exercise) = catalogue.find(name)?;
    let (answer, stub) = (chapter.answer(exercise), chapter.stub(exercise));
    let pristine = fs::read(&stub).with_context(|| format!("cannot read {}", stub.display()))?;
    let current = match fs::read(&answer) {
        Ok(current) => Some(current),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", answer.display()));
        }
    };
    let mut done = Reset {
        name: exercise.name.clone(),
        file: catalogue.relative(&answer),
        backup: None,
        changed: current.as_ref() != Some(&pristine),
    };
    if !done.changed {
        return Ok(done);
    }
    // Where there is no file, nothing can be lost.
    if let (false, Some(_)) = (yes, &current) {
        confirm(&done.file)?;
    }
    if let Some(current) = current {
        let folder = catalogue.root.join("exercises/backups");
        let kept = keep(&folder, &exercise.name, &current)?;
        done.backup = Some(catalogue.relative(&kept));
    }
    fs::write(&answer, pristine).with_context(|| format!("cannot write {}", answer.display()))?;
    Ok(done)
}

fn confirm(file: &str) -> Result<()> {
    if !io::stdin().is_terminal() {
        bail!("nobody is there to ask whether to reset {file}; say so with --yes");
    }
    eprint!("Put {file} back to its stub? Your answer is kept as a copy. [y/N] ");
    io::stderr().flush()?;
    let mut reply = String::new();
    io::stdin().lock().read_line(&mut reply)?;
    if !["y", "yes"].contains(&reply.trim().to_lowercase().as_str()) {
        bail!("nothing was changed");
    }
    Ok(())
}

/// Writes a backup under the first number that is free. Never overwrites one.
fn keep(folder: &Path, name: &str, contents: &[u8]) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for number in 1_u32.. {
        let path = folder.join(format!("{name}.{number}.rs"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                file.write_all(contents)?;
                file.sync_all()?;
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot write {}", path.display()));
            }
        }
    }
    bail!("{} is full of backups of {name}", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backups_never_overwrite_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let first = keep(folder.path(), "a", b"1").unwrap();
        let second = keep(folder.path(), "a", b"2").unwrap();
        assert_ne!(first, second);
        assert_eq!(fs::read(first).unwrap(), b"1");
        assert_eq!(fs::read(second).unwrap(), b"2");
    }
}
