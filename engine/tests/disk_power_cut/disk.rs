//! A disk that records all that is written to it, and mounted disks.
//!
//! The disk is a file that `qemu-storage-daemon` shows through FUSE. Behind it, the daemon's driver `blklogwrites` appends
//! each write and each flush to a record before it is done.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The length of a disk: enough for each file system. Most of it is a hole.
pub(crate) const BYTES: u64 = 512 << 20;

/// A disk with a new file system.
pub(crate) struct RecordedDisk {
    dir: PathBuf,
    daemon: Child,
}

impl RecordedDisk {
    /// Makes a disk in the directory `dir`, with a file system of this kind.
    pub(crate) fn new(dir: &Path, kind: &str) -> Self {
        for (name, bytes) in [("disk", BYTES), ("record", 0), ("export", 0)] {
            File::create(dir.join(name))
                .unwrap()
                .set_len(bytes)
                .unwrap();
        }
        let mut daemon = Command::new("qemu-storage-daemon");
        daemon.current_dir(dir).stdin(Stdio::null());
        for node in [
            "driver=file,node-name=disk,filename=disk",
            "driver=file,node-name=record,filename=record",
            "driver=blklogwrites,node-name=recorded,file=disk,log=record,log-sector-size=512",
        ] {
            daemon.args(["--blockdev", node]);
        }
        daemon.args([
            "--export",
            "fuse,id=export,node-name=recorded,mountpoint=export,writable=on",
        ]);
        let daemon = daemon.spawn().expect("qemu-storage-daemon is installed");
        let disk = Self {
            dir: dir.to_path_buf(),
            daemon,
        };
        let end = Instant::now() + Duration::from_secs(20);
        while fs::metadata(disk.export()).unwrap().len() < BYTES {
            assert!(Instant::now() < end, "the disk appears");
            thread::sleep(Duration::from_millis(20));
        }
        run(
            &format!("mkfs.{kind}"),
            ["-q".as_ref(), disk.export().as_os_str()],
        );
        disk
    }

    /// The file that is the disk.
    pub(crate) fn export(&self) -> PathBuf {
        self.dir.join("export")
    }

    /// The length of the record, in bytes.
    pub(crate) fn recorded(&self) -> u64 {
        fs::metadata(self.dir.join("record")).unwrap().len()
    }

    /// Removes the disk and returns its record.
    pub(crate) fn into_record(self) -> Vec<u8> {
        fs::read(self.dir.join("record")).unwrap()
    }
}

impl Drop for RecordedDisk {
    fn drop(&mut self) {
        // The daemon serves until nothing uses its file.
        run("umount", [self.export()]);
        self.daemon.kill().unwrap();
        self.daemon.wait().unwrap();
    }
}

/// A file that is mounted as a disk.
pub(crate) struct Mount {
    at: PathBuf,
}

impl Mount {
    pub(crate) fn new(disk: &Path, at: &Path) -> Self {
        fs::create_dir_all(at).unwrap();
        run(
            "mount",
            [
                "-o".as_ref(),
                "loop".as_ref(),
                disk.as_os_str(),
                at.as_os_str(),
            ],
        );
        Self {
            at: at.to_path_buf(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.at
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        run("umount", [&self.at]);
    }
}

fn run(program: &str, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) {
    let done = Command::new(program).args(arguments).output();
    let done = done.unwrap_or_else(|error| panic!("{program} runs: {error}"));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(
        done.status.success() || thread::panicking(),
        "{program}: {said}"
    );
}
