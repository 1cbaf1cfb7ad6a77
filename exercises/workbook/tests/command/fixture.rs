//! A small repository with two chapters of one exercise each, and the command run in it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::{NamedTempFile, TempDir};

/// How long a test waits for what must come. Generous: the machine may be building other things, and gives this test little.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// A repository of its own for one test.
///
/// The packages carry the test's name: all tests build into one target folder, so that the kit is built
/// once, and cargo tells packages apart by their name and their place in the workspace.
pub(crate) struct Repository {
    folder: TempDir,
    test: &'static str,
}

const STUB: &str = "//! Twice the number.

/// Twice `n`.
pub fn twice(n: i64) -> i64 {
    todo!(\"twice {n}\")
}
";
const SOLUTION: &str = "pub fn twice(n: i64) -> i64 { n.wrapping_mul(2) }\n";

impl Repository {
    pub(crate) fn new(test: &'static str) -> Self {
        // A name as people have them: with a space, and with a mark that combines.
        let folder = tempfile::Builder::new().prefix("of Zoe\u{308} ").tempdir();
        let folder = folder.expect("a temporary folder");
        let repository = Self { folder, test };
        let root = repository.root();
        let kit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kit");
        let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
        fs::copy(lock, root.join("Cargo.lock")).expect("the lock file");
        // The profile is that of the real workspace, so that its built dependencies serve here too.
        repository.write(
            "Cargo.toml",
            &format!(
                "[workspace]\nresolver = \"3\"\nmembers = [\"exercises/ch*\"]\n\
                 [workspace.dependencies]\nkit = {{ path = {:?} }}\n\
                 [profile.dev]\ndebug = \"line-tables-only\"\n\
                 [profile.dev.package.kit]\nopt-level = 2\n",
                kit.canonicalize().expect("the kit")
            ),
        );
        repository.write("exercises/workbook/Cargo.toml", "# Marks the repository.\n");
        repository.write(
            "book/book.toml",
            "[book]\ntitle = \"Fixture\"\nsrc = \"chapters\"\n",
        );
        repository.write(
            "book/chapters/SUMMARY.md",
            "# Summary\n\n- [One](90-first/index.md)\n",
        );
        repository.write("book/chapters/90-first/index.md", "# One\n");
        repository.chapter("ch90-first", "first-twice");
        repository.chapter("ch91-second", "second-twice");
        repository
    }

    fn chapter(&self, folder: &str, exercise: &str) {
        let file = |name: &str| format!("exercises/{folder}/{name}");
        let package = self.package(folder);
        self.write(
            &file("Cargo.toml"),
            &format!(
                "[package]\nname = \"{package}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
                 [lib]\ndoctest = false\n\
                 [[test]]\nname = \"exercises\"\npath = \"checks/main.rs\"\nharness = false\n\
                 [dev-dependencies]\nkit.workspace = true\n\
                 [[package.metadata.workbook.exercises]]\nname = \"{exercise}\"\n\
                 title = \"Twice\"\nfile = \"src/twice.rs\"\nminutes = 1\n"
            ),
        );
        self.write(&file("src/lib.rs"), "pub mod twice;\n");
        self.write(&file("src/twice.rs"), STUB);
        self.write(&file("stubs/twice.rs"), STUB);
        self.write(&file("solutions/twice.rs"), SOLUTION);
        self.write(
            &file("mistakes/twice.rs"),
            "pub fn squared(n: i64) -> i64 { n.wrapping_mul(n) }\n",
        );
        let hint = |n| {
            format!("<!-- ANCHOR: hint-{n} -->\nhint number {n}\n<!-- ANCHOR_END: hint-{n} -->\n")
        };
        self.write(
            &file(&format!("hints/{exercise}.md")),
            &[1, 2, 3].map(hint).concat(),
        );
        let library = package.replace('-', "_");
        self.write(
            &file("checks/main.rs"),
            &include_str!("main.rs.in")
                .replace("LIBRARY", &library)
                .replace("EXERCISE", exercise),
        );
    }

    /// The package in a chapter's folder.
    pub(crate) fn package(&self, folder: &str) -> String {
        format!("{folder}-{}", self.test)
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.root().join(file)
    }

    /// At once: a workbook that watches must not find the file empty in between.
    pub(crate) fn write(&self, file: &str, contents: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        let mut new = NamedTempFile::new_in(self.root()).expect("a file");
        new.write_all(contents.as_bytes()).expect("a file");
        new.persist(path).expect("a file");
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).expect("a file")
    }

    /// The command, to be run in `folder` of the repository.
    pub(crate) fn command(&self, folder: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbook"));
        command
            .args(arguments)
            .current_dir(self.path(folder))
            .env("CARGO_TARGET_DIR", target())
            .env_remove("UPDATE_GOLDEN")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        run_to_end(&mut self.command(".", arguments))
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", text(&output)))
    }
}

/// The target folder of the build that this test belongs to.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("a target folder")
        .to_path_buf()
}

/// Runs a command to its end.
///
/// # Panics
/// If it does not end.
pub(crate) fn run_to_end(command: &mut Command) -> Output {
    let streams = [(); 2].map(|()| tempfile::tempfile().expect("a file"));
    let [stdout, stderr] = streams.each_ref().map(|s| s.try_clone().expect("a file"));
    let child = command.stdout(stdout).stderr(stderr).spawn();
    let status = Killed(child.expect("the command runs")).ends();
    let [stdout, stderr] = streams.map(|mut stream| {
        let mut bytes = Vec::new();
        stream.rewind().expect("a file");
        stream.read_to_end(&mut bytes).expect("a file");
        bytes
    });
    Output {
        status,
        stdout,
        stderr,
    }
}

/// Waits for what must come.
///
/// # Panics
/// If it does not, with these words.
pub(crate) fn until(mut come: impl FnMut() -> bool, not: &str) {
    let begin = Instant::now();
    while !come() {
        assert!(begin.elapsed() < PATIENCE, "{not}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Everything that a command printed.
pub(crate) fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// A command that may not end by itself; killed when it goes out of scope, also by a test that fails.
pub(crate) struct Killed(pub(crate) Child);

impl Killed {
    /// How it ends.
    ///
    /// # Panics
    /// If it does not.
    pub(crate) fn ends(&mut self) -> ExitStatus {
        let mut status = None;
        let mut has_ended = || {
            status = self.0.try_wait().expect("a child to wait for");
            status.is_some()
        };
        until(&mut has_ended, "the command does not end");
        status.expect("it has ended")
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The lines that a running command prints.
pub(crate) struct Lines(Receiver<String>);

impl Lines {
    pub(crate) fn of(stream: Option<impl Read + Send + 'static>) -> Self {
        let stream = BufReader::new(stream.expect("a pipe"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in stream.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self(lines)
    }

    /// Waits for a line that contains `part`, and returns it.
    pub(crate) fn wait_for(&self, part: &str) -> String {
        self.until(part).1
    }

    /// Waits for a line that contains `part`, and returns what came before it.
    pub(crate) fn before(&self, part: &str) -> Vec<String> {
        self.until(part).0
    }

    fn until(&self, part: &str) -> (Vec<String>, String) {
        let begin = Instant::now();
        let mut seen = Vec::new();
        while let Some(left) = PATIENCE.checked_sub(begin.elapsed()) {
            match self.0.recv_timeout(left) {
                Ok(line) if line.contains(part) => return (seen, line),
                Ok(line) => seen.push(line),
                Err(_) => break,
            }
        }
        panic!("{part:?} never came; what came:\n{}", seen.join("\n"));
    }

    /// What comes until the command ends.
    pub(crate) fn rest(&self) -> Vec<String> {
        self.0.iter().collect()
    }
}
