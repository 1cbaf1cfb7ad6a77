//! The engine's one error: what went wrong, where, and what a person can do about it.
//!
//! Invariants
//! 1. A message names the file (and the offset, if there is one), what was expected and what was found.
//! 2. A message ends with what to do next, or says what would have been accepted. "Failed to open" alone is never enough.
//! 3. `Corruption` is only used for bytes on disk, `Memory` for what is not there yet, `InvalidArgument` only for what a
//!    caller passed in. A comparator of a user's own may contradict itself, which no file shows: where keys are out of
//!    order, the message names that beside the damage.
//!
//! The order-preserving encodings in `keys` have an error of their own, `DecodeError`, because that
//! layer depends on nothing.

use std::io;
use std::path::{Path, PathBuf};

/// What every fallible function of the engine returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong in the engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Bytes on disk are not what the engine wrote: a checksum, a length or an order is wrong.
    #[error(
        "{} is damaged at byte {offset}: {what}. Copy the directory before anything else, then {}", file.display(), remedy(file)
    )]
    Corruption {
        /// The damaged file.
        file: PathBuf,
        /// Where in the file the first wrong thing begins.
        offset: u64,
        /// What was expected there and what was found.
        what: String,
    },

    /// Rows in memory are out of order, or not as they were written. No file is the cause.
    #[error(
        "the rows in memory are wrong: {what}. The log still holds them: check the comparator if it is your own, and \
         otherwise the machine's memory, then close the database and open it again"
    )]
    Memory {
        /// What was expected there and what was found.
        what: String,
    },

    /// The operating system refused a file operation.
    #[error("cannot {op} {}: {source}. {}", path.display(), advice(source))]
    Io {
        /// What was tried, as a verb: "open", "append to", "sync".
        op: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },

    /// A column family was created under one order and is now opened under another.
    #[error(
        "column family {family:?} was created with the comparator {stored:?} and is now opened with \
         {given:?}{}. Its files are sorted by the first, so open it with {stored:?}; to change the order, \
         copy the rows into a new column family",
        if *listed { "" } else { ", because the options do not list it" }
    )]
    ComparatorMismatch {
        /// The column family.
        family: String,
        /// The comparator's name as stored on disk.
        stored: String,
        /// The comparator's name as given at open.
        given: String,
        /// Whether the options name the family; if not, `given` is the default.
        listed: bool,
    },

    /// An earlier write to the log or the manifest failed; nothing more is written until reopening.
    #[error(
        "the database takes no more writes, because an earlier one failed: {first}. Reads still work. \
         Mend the cause, then close and open the database again"
    )]
    Poisoned {
        /// The message of the first failure.
        first: String,
    },

    /// The caller passed something that the engine cannot accept. Nothing was changed.
    #[error("{what}. Nothing was changed")]
    InvalidArgument {
        /// What was passed, and what would have been accepted.
        what: String,
    },

    /// Another process, or another handle in this one, has the database open.
    #[error(
        "{} is locked: the database is open in another process, or twice in this one. Close the other \
         one, or choose another directory", path.display()
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
    },

    /// The directory was removed or replaced while the database was open.
    #[error(
        "{} was removed or replaced while the database was open. Nothing more is written: it would be lost with the \
         old directory, or damage what is in a new one. Close the database, put the old directory or a checkpoint \
         back, and open it again", path.display()
    )]
    LockLost {
        /// The lock file.
        path: PathBuf,
    },

    /// The database was opened for reading only.
    #[error(
        "{} was opened for reading only, and takes no writes. Close it and open it with Db::open to write", dir.display()
    )]
    ReadOnly {
        /// The database's directory.
        dir: PathBuf,
    },

    /// The directory holds files, but not a database of this engine.
    #[error(
        "{} is not a database of this engine: {found}. Choose an empty directory or the right one. If it was a database, \
         copy it before anything else, then restore it from a backup or a checkpoint", path.display()
    )]
    NotADatabase {
        /// The directory.
        path: PathBuf,
        /// What was found there instead.
        found: String,
    },

    /// A file is of no kind that the engine writes, judging by its name and its bytes.
    #[error("{} looks like no file of this engine: {found}", path.display())]
    UnknownFile {
        /// The file.
        path: PathBuf,
        /// What was looked for, what was found, and what to do.
        found: String,
    },

    /// A file is intact, but a later release wrote it in a format that this one cannot read.
    #[error(
        "{} has format version {found}, and this release reads versions up to {newest}. Open it with the \
         release that wrote it, or a later one", file.display()
    )]
    UnsupportedVersion {
        /// The file.
        file: PathBuf,
        /// The version that the file states.
        found: u32,
        /// The newest version that this release knows.
        newest: u32,
    },
}

impl Error {
    /// An [`Error::Io`] on `path`; `op` is a verb such as "open" or a verb phrase such as "append
    /// to".
    pub fn io(op: &'static str, path: impl AsRef<Path>, source: io::Error) -> Error {
        Error::Io {
            op,
            path: path.as_ref().to_path_buf(),
            source,
        }
    }

    /// An [`Error::Corruption`] of `file`; the first wrong thing begins at `offset`.
    pub fn corruption(file: impl AsRef<Path>, offset: u64, what: impl Into<String>) -> Error {
        Error::Corruption {
            file: file.as_ref().to_path_buf(),
            offset,
            what: what.into(),
        }
    }

    /// An [`Error::InvalidArgument`].
    pub fn invalid(what: impl Into<String>) -> Error {
        Error::InvalidArgument { what: what.into() }
    }

    /// Whether the error says that a file or directory does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Error::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// Whether the error says that this process could not read a file, which may be whole all the same: it lacks
    /// permission, memory or descriptors.
    pub(crate) fn is_of_process(&self) -> bool {
        use io::ErrorKind::{OutOfMemory, PermissionDenied};
        matches!(self, Error::Io { source, .. }
            if matches!(source.kind(), OutOfMemory | PermissionDenied) || are_too_many_open(source))
    }

    /// Whether the error says that memory cannot hold what was to be read.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        matches!(self, Error::Io { source, .. } if source.kind() == io::ErrorKind::OutOfMemory)
    }

    /// Whether the error says that a name leads to no file that could be read: to a directory, to a pipe, or,
    /// as a link does, to nothing.
    pub(crate) fn is_no_file(&self) -> bool {
        use io::ErrorKind::{IsADirectory, NotFound, Unsupported};
        matches!(self, Error::Io { source, .. }
            if matches!(source.kind(), IsADirectory | NotFound | Unsupported))
    }

    /// Whether the error says that the disk is full or a quota is used up.
    pub fn is_out_of_space(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, Error::Io { source, .. } if matches!(source.kind(), StorageFull | QuotaExceeded))
    }
}

/// What a person can do about a damaged file. A table never changes, so a copy of it is always right; any other file
/// is right only with those that were beside it.
fn remedy(file: &Path) -> &'static str {
    match file.extension().is_some_and(|of| of == "sst") {
        true => {
            "restore this file from a backup or a checkpoint, or repair the directory (`lsm repair`, or \
             `engine::repair`), which keeps the rest"
        }
        false => {
            "repair it (`lsm repair`, or `engine::repair`), which keeps what can still be read, or put a whole backup or \
             checkpoint in its place"
        }
    }
}

/// ENFILE and EMFILE, which have these numbers on every Unix and no `ErrorKind` of their own.
const TOO_MANY_OPEN_FILES: [i32; 2] = [23, 24];

fn are_too_many_open(source: &io::Error) -> bool {
    let number = source.raw_os_error();
    cfg!(unix) && number.is_some_and(|number| TOO_MANY_OPEN_FILES.contains(&number))
}

/// What a person can do about an error of the operating system.
fn advice(source: &io::Error) -> &'static str {
    if are_too_many_open(source) {
        return "Raise the limit on open files (`ulimit -n`), or read tables mapped: with `TableReads::Pread` \
                every table takes one";
    }
    match source.kind() {
        io::ErrorKind::NotFound => "Check the path: a file or a directory in it is missing",
        io::ErrorKind::PermissionDenied => {
            "Check who owns it and whether this user may read and write it"
        }
        io::ErrorKind::AlreadyExists => "Choose another name, or remove the old one",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "Free some space on the disk, then try again"
        }
        io::ErrorKind::FileTooLarge => {
            "Raise the limit on the length of files (`ulimit -f`), or choose a file system that takes longer ones"
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            "Mount the file system writable, or choose another directory"
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory => {
            "Check the path: it mixes up a file and a directory"
        }
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename => {
            "Check the path: this file system cannot hold such a name"
        }
        io::ErrorKind::OutOfMemory => {
            "There is not enough memory: look at the file's length, or end other programs"
        }
        io::ErrorKind::Unsupported => "Check the path: the engine keeps its data in plain files",
        _ => "Check the disk and the system's log",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_place_and_say_what_to_do() {
        let cases = [
            (
                Error::corruption("db/000007.sst", 4096, "checksum is 1, the contents give 2"),
                "db/000007.sst is damaged at byte 4096: checksum is 1, the contents give 2. Copy the directory \
                 before anything else, then restore this file from a backup or a checkpoint, or repair the directory \
                 (`lsm repair`, or `engine::repair`), which keeps the rest",
            ),
            (
                Error::corruption("db/CURRENT", 0, "it names nothing"),
                "db/CURRENT is damaged at byte 0: it names nothing. Copy the directory before anything else, then \
                 repair it (`lsm repair`, or `engine::repair`), which keeps what can still be read, or put a whole \
                 backup or checkpoint in its place",
            ),
            (
                Error::Memory {
                    what: "the keys are not in order".to_owned(),
                },
                "the rows in memory are wrong: the keys are not in order. The log still holds them: check the comparator \
                 if it is your own, and otherwise the machine's memory, then close the database and open it again",
            ),
            (
                Error::io(
                    "append to",
                    "db/000003.log",
                    io::Error::from(io::ErrorKind::StorageFull),
                ),
                "cannot append to db/000003.log: no storage space. Free some space on the disk, then try again",
            ),
            (
                Error::ComparatorMismatch {
                    family: "score".into(),
                    stored: "bytewise".into(),
                    given: "numeric".into(),
                    listed: true,
                },
                "column family \"score\" was created with the comparator \"bytewise\" and is now opened with \
                 \"numeric\". Its files are sorted by the first, so open it with \"bytewise\"; to change the order, \
                 copy the rows into a new column family",
            ),
            (
                Error::UnsupportedVersion {
                    file: "db/000007.sst".into(),
                    found: 9,
                    newest: 1,
                },
                "db/000007.sst has format version 9, and this release reads versions up to 1. Open it with the \
                 release that wrote it, or a later one",
            ),
        ];
        for (error, message) in cases {
            assert_eq!(error.to_string(), message);
        }
    }

    /// Neither the disk nor the system's log has anything to do with these.
    #[cfg(unix)]
    #[test]
    fn a_limit_of_the_system_is_named_with_the_way_around_it() {
        let name_too_long = io::Error::from(io::ErrorKind::InvalidFilename);
        let file_too_long = io::Error::from(io::ErrorKind::FileTooLarge);
        let no_memory = io::Error::from(io::ErrorKind::OutOfMemory);
        let cases = [
            (io::Error::from_raw_os_error(23), "`ulimit -n`"),
            (io::Error::from_raw_os_error(24), "`ulimit -n`"),
            (no_memory, "end other programs"),
            (name_too_long, "this file system cannot hold such a name"),
            (file_too_long, "`ulimit -f`"),
        ];
        for (source, advice) in cases {
            let message = Error::io("open", "x", source).to_string();
            assert!(message.contains(advice), "{message}");
        }
    }

    #[test]
    fn only_a_missing_file_is_not_found() {
        assert!(Error::io("open", "x", io::Error::from(io::ErrorKind::NotFound)).is_not_found());
        assert!(
            !Error::io(
                "open",
                "x",
                io::Error::from(io::ErrorKind::PermissionDenied)
            )
            .is_not_found()
        );
        assert!(!Error::Locked { path: "x".into() }.is_not_found());
    }
}
