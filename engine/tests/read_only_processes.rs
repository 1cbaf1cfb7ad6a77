//! Readers and writers in separate processes: what the lock of a directory means to each, and to a
//! process that may not write there.
//!
//! The test runs itself again for each process that opens the database, and makes it let go by closing its
//! input or by `kill -9`. Two handles in one process would not do: the lock might be one that only they see.

#[expect(dead_code, reason = "each test takes what it needs")]
mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

use engine::{Background, Db, Error, Options};
use support::waiting::PATIENCE;

const DIRECTORY: &str = "ENGINE_OPEN_DIRECTORY";
const ROLE: &str = "ENGINE_OPEN_ROLE";
/// The lines of a process begin with this; the rest of its output is the test harness's.
const SAYS: &str = "it says: ";

#[derive(Clone, Copy, PartialEq, Debug)]
enum Role {
    Reader,
    Writer,
}

const ROLES: [Role; 2] = [Role::Reader, Role::Writer];

impl Role {
    fn open(self, dir: &Path) -> engine::Result<Db> {
        let of_writer = Options {
            background: Background::Manual,
            ..Options::default()
        };
        match self {
            Role::Reader => Db::open_read_only(dir, Options::default()),
            Role::Writer => Db::open(dir, of_writer),
        }
    }
}

/// A process that opens the database and holds it until its input ends.
#[test]
#[ignore = "started by the other tests, as a process of its own"]
fn one_that_opens() {
    let Some(dir) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let dir = Path::new(&dir);
    let role = std::env::var(ROLE).unwrap();
    let role = *ROLES
        .iter()
        .find(|known| format!("{known:?}") == role)
        .unwrap();
    let opened = role.open(dir);
    match &opened {
        Ok(db) => {
            if role == Role::Writer {
                db.put("of the last writer", "v").unwrap();
            }
            let rows = db.default_family().iter().count();
            // A reader would be given them by default.
            #[cfg(target_os = "linux")]
            assert_eq!(workers(), [""; 0]);
            println!("\n{SAYS}open with {rows} rows");
        }
        Err(Error::Locked { .. }) => println!("\n{SAYS}locked"),
        Err(error) => println!("\n{SAYS}{error}"),
    }
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
}

/// The threads that the engine has started in this process.
#[cfg(target_os = "linux")]
fn workers() -> Vec<String> {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let names = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("comm")).unwrap());
    names.filter(|name| name.starts_with("engine-")).collect()
}

/// A process that has said what it found.
struct Other {
    process: Child,
    said: String,
}

impl Other {
    fn open(role: Role, dir: &Path) -> Self {
        Self::by(Command::new(std::env::current_exe().unwrap()), role, dir)
    }

    fn by(mut command: Command, role: Role, dir: &Path) -> Self {
        command.args(["--exact", "one_that_opens", "--ignored", "--nocapture"]);
        command.env(DIRECTORY, dir).env(ROLE, format!("{role:?}"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let process = command.spawn().unwrap();
        let said = String::new();
        let mut other = Self { process, said };
        let lines = BufReader::new(other.process.stdout.take().unwrap()).lines();
        let (says, said) = mpsc::channel();
        // Not joined: whatever holds up the other process, this one does not wait for it for ever.
        thread::spawn(move || {
            let mut lines = lines.map_while(Result::ok);
            let said = lines.find_map(|line| line.strip_prefix(SAYS).map(str::to_owned));
            says.send(said.unwrap_or_else(|| "nothing".to_owned()))
        });
        other.said = said.recv_timeout(PATIENCE).unwrap();
        other
    }

    fn ask(role: Role, dir: &Path) -> String {
        Self::open(role, dir).said.clone()
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // As with `kill -9`: it closes nothing.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A database with two rows, one of them in the log.
fn database(dir: &Path) {
    let db = Role::Writer.open(dir).unwrap();
    db.put("in a table", "v").unwrap();
    db.flush().unwrap();
    db.put("in the log", "v").unwrap();
}

fn is_locked(opened: &engine::Result<Db>) -> bool {
    matches!(opened, Err(Error::Locked { .. }))
}

#[test]
fn only_readers_share_a_database_whichever_process_comes_first() {
    for holder in ROLES {
        for comer in ROLES {
            let context = format!("{comer:?} beside {holder:?}");
            let above = tempfile::tempdir().unwrap();
            let dir = above.path().join("db");
            database(&dir);
            let share = holder == Role::Reader && comer == Role::Reader;
            let expected = if share { "open with 2 rows" } else { "locked" };
            // First another process holds it; then we do.
            let other = Other::open(holder, &dir);
            let rows = if holder == Role::Writer { 3 } else { 2 };
            assert_eq!(other.said, format!("open with {rows} rows"), "{context}");
            assert_eq!(Other::ask(comer, &dir), expected, "{context}");
            assert_eq!(is_locked(&comer.open(&dir)), !share, "{context}");
            // Nothing left by a killed process keeps anybody out, and what it wrote is there.
            drop(other);
            let ours = holder.open(&dir).unwrap();
            assert_eq!(ours.default_family().iter().count(), rows, "{context}");
            assert_eq!(Other::ask(comer, &dir), expected, "{context}");
            ours.close().unwrap();
            let all = if comer == Role::Writer { 3 } else { rows };
            let said = Other::ask(comer, &dir);
            assert_eq!(said, format!("open with {all} rows"), "{context}");
        }
    }
}

/// Every name below the directory, with its length and bytes.
fn contents(dir: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let mut all: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|file| file.unwrap())
        .map(|file| (file.file_name(), fs::read(file.path()).unwrap()))
        .collect();
    all.sort();
    all
}

/// What a reader and a writer find in a directory where the process may not write, and what others
/// find meanwhile.
#[cfg(target_os = "linux")]
fn is_read_where_nothing_can_be_written(dir: &Path, start: impl Fn(Role) -> Other) {
    let before = contents(dir);
    let writer = start(Role::Writer);
    assert!(
        writer.said.starts_with("cannot ") && writer.said.contains(dir.to_str().unwrap()),
        "{}",
        writer.said
    );
    drop(writer);
    let readers = [start(Role::Reader), start(Role::Reader)];
    for reader in &readers {
        assert_eq!(reader.said, "open with 2 rows");
    }
    assert_eq!(contents(dir), before);
    // The lock also works for a process that may write there.
    assert!(is_locked(&Role::Writer.open(dir)));
    assert!(Role::Reader.open(dir).is_ok());
    drop(readers);
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_mount_that_takes_no_writes_it_is_read() {
    let above = tempfile::tempdir().unwrap();
    let dir = above.path().join("db");
    database(&dir);
    let here = std::env::current_exe().unwrap();
    let mounted = |then: &str| {
        let mut unshare = Command::new("unshare");
        let script = format!(
            "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && ! touch \"$0/new\" 2>/dev/null && {then}"
        );
        unshare
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
            .args([&dir, &here]);
        unshare
    };
    let possible = mounted("true").stderr(Stdio::null()).status();
    if !possible.is_ok_and(|status| status.success()) {
        println!("not tested: this machine lets nobody mount in a namespace of their own");
        return;
    }
    is_read_where_nothing_can_be_written(&dir, |role| {
        Other::by(mounted("exec \"$@\""), role, &dir)
    });
    Role::Writer.open(&dir).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn permissions_to_read_are_enough() {
    use std::os::unix::fs::PermissionsExt;

    let above = tempfile::tempdir().unwrap();
    let dir = above.path().join("db");
    database(&dir);
    let allow = |of_files: u32, of_dir: u32| {
        for (name, _) in contents(&dir) {
            let file = dir.join(name);
            fs::set_permissions(file, fs::Permissions::from_mode(of_files)).unwrap();
        }
        fs::set_permissions(&dir, fs::Permissions::from_mode(of_dir)).unwrap();
    };
    allow(0o444, 0o555);
    if fs::write(dir.join("new"), "").is_ok() {
        println!("not tested: permissions mean nothing to who may do everything");
        return;
    }
    let before = contents(&dir);
    let reader = Other::open(Role::Reader, &dir);
    assert_eq!(reader.said, "open with 2 rows");
    assert!(Role::Reader.open(&dir).is_ok());
    drop(reader);
    let writer = Other::ask(Role::Writer, &dir);
    assert!(writer.starts_with("cannot "), "{writer}");
    assert_eq!(contents(&dir), before);
    allow(0o644, 0o755);
    Role::Writer.open(&dir).unwrap();
}
