//! Runs an implementation in a process of its own, so that nothing it does can end the report.
//!
//! The parent starts its own program again with a private argument, hands the order over on standard
//! input, and watches a file to which the child appends one line for each answer. The learner's code
//! may print what it likes: its output streams are read, cut short, and shown with the verdict.
//!
//! What ends a child, and how it is told apart:
//!
//! ```text
//! no new line within CALL_LIMIT        an endless loop; the parent kills the child
//! nor within CALL_LIMIT_AT_REST        it waits, if it has used little processor time
//! not finished within RUN_LIMIT        too slow
//! "has overflowed its stack"           Rust's own message before it aborts
//! "memory allocation of N bytes"       Rust's own message before it aborts
//! exit without the last line           the code called `exit`
//! anything else                        a signal, by its number
//! ```
//!
//! What fails on the kit's own side, as on a full disk, is an error and nobody's verdict. A child tells it by an exit code
//! and a first word of its own, `KIT_EXIT` and `KIT_SAYS`.
//!
//! Every probe is put twice, the second time in reverse order: an answer that changes depends on
//! something other than its argument. The plainest ones are then put once more, right after themselves.

mod printed;
mod watch;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use self::printed::Printed;
use self::watch::{Ended, RUN_LIMIT, RUN_LIMIT_AT_REST, wait};
use crate::answer::{Death, Outcome};
use crate::exercise::{Judged, Who};
use crate::guard;

/// The private argument that makes a test program a child.
pub(crate) const CHILD_ARGUMENT: &str = "__answer_probes";

/// How much memory a child may map.
const MEMORY_LIMIT_MIB: u64 = 512;
/// How much stack a call may fill. The main thread has 8 MiB, or 1, and who calls itself once for each byte of a long key needs
/// more of it than that in a debug build.
const STACK_LIMIT_MIB: usize = 64;
/// How much a child may write into a file.
const FILE_LIMIT_MIB: u64 = 64;
/// After so many deaths, the rest is not asked.
const DEATHS_MAX: usize = 4;
/// The first thing a child says, before it runs a learner's code.
const READY: &str = "ready";
/// The last line of a child that answered everything.
const DONE: &str = "done";
/// How a child ends that could not do the kit's part, and how it says why on standard error.
const KIT_EXIT: u8 = 113;
const KIT_SAYS: &str = "the kit, not the answer: ";
/// What a child writes for each answer of the second round that equals the first.
const SAME: &str = "=";
/// And before it asks the same once more.
const ONCE_MORE: &str = "+";

/// What an implementation did, on all probes of an exercise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// One outcome for each probe.
    pub outcomes: Vec<Outcome>,
    /// A probe that was answered in another way when it was put again.
    pub unstable: Option<(usize, Outcome)>,
    /// The beginning of what the code printed.
    pub printed: String,
}

/// Puts all probes to an implementation, in a child process.
///
/// # Errors
/// If the child cannot be started or its answers cannot be read.
pub fn observe(exercise: &dyn Judged, who: Who) -> io::Result<Behaviour> {
    observe_within(exercise, who, RUN_LIMIT_AT_REST)
}

/// As [`observe`], where all calls together may sleep or wait for as long as `rest_max`.
///
/// # Errors
/// As there.
pub fn observe_within(
    exercise: &dyn Judged,
    who: Who,
    rest_max: Duration,
) -> io::Result<Behaviour> {
    let count = exercise.sheet().probe_count();
    let mut outcomes = Vec::with_capacity(count);
    let mut behaviour = Behaviour {
        outcomes: Vec::new(),
        unstable: None,
        printed: String::new(),
    };
    let mut deaths = 0;
    while outcomes.len() < count {
        let run = run_child(exercise.sheet().name, who, outcomes.len(), rest_max)?;
        outcomes.extend(run.outcomes);
        if behaviour.printed.is_empty() {
            behaviour.printed = run.printed;
        }
        behaviour.unstable = behaviour.unstable.or(run.unstable);
        match run.death {
            None => break,
            Some(death) if outcomes.len() < count => {
                deaths += 1;
                let slow = matches!(
                    death,
                    Death::EndlessLoop { .. } | Death::Waits { .. } | Death::TooSlow { .. }
                );
                outcomes.push(Outcome::Died(death));
                if slow || deaths >= DEATHS_MAX {
                    break;
                }
            }
            // Everything was answered once, and then the same questions ended the process.
            Some(death) => {
                let probe = run.again.unwrap_or(count - 1);
                behaviour.unstable = Some((probe, Outcome::Died(death)));
            }
        }
    }
    outcomes.resize(count, Outcome::NotAsked);
    behaviour.outcomes = outcomes;
    Ok(behaviour)
}

/// Puts all probes to an implementation, in this process: for code that is known to return.
pub fn observe_here(exercise: &dyn Judged, who: Who) -> Behaviour {
    let ask = |probe| guard::call(|| exercise.ask(who, probe));
    let count = exercise.sheet().probe_count();
    let outcomes: Vec<Outcome> = (0..count).map(ask).collect();
    let plainest = exercise.sheet().plainest();
    let otherwise = |probe: usize| {
        let times = if plainest.contains(&probe) { 2 } else { 1 };
        let mut again = (0..times).map(|_| ask(probe));
        again.find(|again| *again != outcomes[probe])
    };
    let changed = |probe| Some((probe, otherwise(probe)?));
    let again = (0..count).rev().filter_map(changed);
    let unstable = again.fold(None, |_, smaller| Some(smaller));
    Behaviour {
        outcomes,
        unstable,
        printed: String::new(),
    }
}

struct Run {
    outcomes: Vec<Outcome>,
    unstable: Option<(usize, Outcome)>,
    /// The probe that the second round had reached.
    again: Option<usize>,
    printed: String,
    death: Option<Death>,
}

fn run_child(name: &str, who: Who, start: usize, rest_max: Duration) -> io::Result<Run> {
    let file = AnswerFile::new()?;
    let path = file.path.to_str().ok_or_else(|| {
        let what = "make a file for the answers, for the path is no UTF-8 (set TMPDIR):";
        cannot(what, &file.path)(io::ErrorKind::InvalidInput.into())
    })?;
    let program = std::env::current_exe()?;
    let (stdout, its_stdout) = Printed::read()?;
    let (stderr, its_stderr) = Printed::read()?;
    let mut child = Command::new(&program)
        .arg(CHILD_ARGUMENT)
        .env_clear()
        .envs(std::env::vars_os().filter(|(key, _)| {
            ["PATH", "SystemRoot", "TMPDIR", "TEMP", "LD_LIBRARY_PATH"]
                .iter()
                .any(|kept| key == kept)
        }))
        .stdin(Stdio::piped())
        .stdout(its_stdout)
        .stderr(its_stderr)
        .spawn()
        .map_err(cannot("run", &program))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A child that cannot read its order ends, and says so.
        let who = encode_who(who);
        let _ = write!(stdin, "{name}\n{who}\n{start}\n{path}\n");
    }
    let ended = wait(&mut child, &file.path, rest_max).inspect_err(|_| {
        // Nobody will look after it.
        let _ = child.kill();
        let _ = child.wait();
    })?;
    let printed = stdout.until_now();
    let errors = stderr.until_now();
    if let Ended::Itself(status) = ended
        && let Some(failure) = failure_of_the_kit(status.code(), &errors)
    {
        return Err(io::Error::other(failure));
    }
    let mut run = read_answers(&file.path, start).map_err(cannot("read", &file.path))?;
    if !run.finished {
        run.run.death = Some(match ended {
            Ended::Killed(death) => death,
            Ended::Itself(status) => cause_of_death(status, &errors),
        });
    }
    run.run.printed = printed + &without_last_words(&errors);
    Ok(run.run)
}

/// Says of an error what could not be done, and with which file.
fn cannot(what: &str, path: &Path) -> impl FnOnce(io::Error) -> io::Error {
    move |error| {
        let path = path.display();
        io::Error::new(error.kind(), format!("cannot {what} {path}: {error}"))
    }
}

/// Why a child could not do the kit's part, if that is what ended it. What the code printed may stand before it.
fn failure_of_the_kit(code: Option<i32>, errors: &str) -> Option<String> {
    let (_, failure) = errors.rsplit_once(KIT_SAYS)?;
    (code == Some(KIT_EXIT.into())).then(|| failure.trim_end().to_owned())
}

fn encode_who(who: Who) -> String {
    match who {
        Who::Learner => "learner".to_owned(),
        Who::Stub => "stub".to_owned(),
        Who::Solution => "solution".to_owned(),
        Who::Mistake(index) => format!("mistake {index}"),
    }
}

fn decode_who(text: &str) -> Option<Who> {
    Some(match text.split_once(' ') {
        Some(("mistake", index)) => Who::Mistake(index.parse().ok()?),
        _ => match text {
            "learner" => Who::Learner,
            "stub" => Who::Stub,
            "solution" => Who::Solution,
            _ => return None,
        },
    })
}

/// The file of answers; removed when the parent has read it.
struct AnswerFile {
    path: PathBuf,
}

impl AnswerFile {
    fn new() -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("keys-in-order-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        File::create(&path).map_err(cannot("make", &path))?;
        Ok(Self { path })
    }
}

impl Drop for AnswerFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

struct Answers {
    run: Run,
    finished: bool,
}

fn read_answers(path: &Path, start: usize) -> io::Result<Answers> {
    let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    let mut answers = Answers {
        run: Run {
            outcomes: Vec::new(),
            unstable: None,
            again: None,
            printed: String::new(),
            death: None,
        },
        finished: false,
    };
    // A line that a dying child did not finish is not an answer.
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let mut same = 0;
    for line in whole.lines().skip(1).filter(|line| *line != ONCE_MORE) {
        if line == DONE {
            answers.finished = true;
        } else if line == SAME {
            same += 1;
        } else if let Some(rest) = line.strip_prefix('!') {
            same += 1;
            // The second round runs backwards: the last one is the smallest.
            if let Some((probe, outcome)) = rest.split_once(' ') {
                answers.run.unstable =
                    Some((probe.parse().unwrap_or(0), serde_json::from_str(outcome)?));
            }
        } else {
            answers.run.outcomes.push(serde_json::from_str(line)?);
        }
    }
    answers.run.again = (start + answers.run.outcomes.len()).checked_sub(same + 1);
    Ok(answers)
}

/// What Rust's runtime says before it aborts. We tell it in our own words.
const LAST_WORDS: [&str; 4] = [
    "has overflowed its stack",
    "fatal runtime error",
    "memory allocation of ",
    // Follows the line about memory.
    "note: run with `RUST_BACKTRACE=1` environment variable",
];

fn without_last_words(errors: &str) -> String {
    errors
        .lines()
        .filter(|line| !LAST_WORDS.iter().any(|words| line.contains(words)))
        .map(|line| format!("{line}\n"))
        .collect()
}

fn cause_of_death(status: ExitStatus, errors: &str) -> Death {
    if errors.contains(LAST_WORDS[0]) {
        return Death::StackOverflow;
    }
    if let Some((_, rest)) = errors.rsplit_once(LAST_WORDS[2]) {
        return Death::OutOfMemory {
            asked: rest.split(' ').next().and_then(|n| n.parse().ok()),
            limit_mib: MEMORY_LIMIT_MIB,
        };
    }
    if let Some(code) = status.code() {
        return Death::Exit(code);
    }
    Death::Signal(signal_name(status))
}

#[cfg(unix)]
fn signal_name(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    match status.signal() {
        Some(6) => "SIGABRT, as by std::process::abort, or by a panic in a `drop` while another panic unwinds".to_owned(),
        Some(11) => "SIGSEGV, an invalid memory access".to_owned(),
        Some(9) => "SIGKILL, by the system or by itself".to_owned(),
        Some(24) => "SIGXCPU, out of processor time".to_owned(),
        Some(25) => {
            "SIGXFSZ, its answers take too much room, or a file that it wrote does".to_owned()
        }
        Some(number) => format!("signal {number}"),
        None => status.to_string(),
    }
}

#[cfg(not(unix))]
fn signal_name(status: ExitStatus) -> String {
    status.to_string()
}

/// The child's side: reads its order, answers the probes, and says when it is done, or why it cannot go on.
pub(crate) fn answer_probes(find: impl Fn(&str) -> Option<Box<dyn Judged>>) -> ExitCode {
    limit_resources();
    match answer_order(io::stdin().lock(), find) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{KIT_SAYS}{error}");
            ExitCode::from(KIT_EXIT)
        }
    }
}

fn answer_order(
    order: impl io::BufRead,
    find: impl Fn(&str) -> Option<Box<dyn Judged>>,
) -> io::Result<()> {
    let mut order = order.lines();
    let mut next = || order.next().unwrap_or(Ok(String::new()));
    let (name, who, start, path) = (next()?, next()?, next()?, next()?);
    let bad = || io::Error::new(io::ErrorKind::InvalidInput, "not a valid order");
    let exercise = find(&name).ok_or_else(bad)?;
    let who = decode_who(&who).ok_or_else(bad)?;
    let start: usize = start.parse().map_err(|_| bad())?;
    let path = Path::new(&path);
    let file = OpenOptions::new().append(true).open(path);
    let file = file.map_err(cannot("open", path))?;
    let answers = || write_answers(exercise.as_ref(), who, start, file);
    let written = thread::scope(|scope| {
        let room = thread::Builder::new().stack_size(STACK_LIMIT_MIB << 20);
        let ended = room.spawn_scoped(scope, answers)?.join();
        ended.unwrap_or_else(|_| Err(io::Error::other("the answers ended in a panic")))
    });
    written.map_err(cannot("write", path))
}

fn write_answers(exercise: &dyn Judged, who: Who, start: usize, mut file: File) -> io::Result<()> {
    writeln!(file, "{READY}")?;
    let count = exercise.sheet().probe_count();
    let mut first = Vec::with_capacity(count - start);
    for probe in start..count {
        let outcome = guard::call(|| exercise.ask(who, probe));
        let mut line = serde_json::to_string(&outcome)?;
        line.push('\n');
        file.write_all(line.as_bytes())?;
        first.push(outcome);
    }
    let plainest = exercise.sheet().plainest();
    for probe in (start..count).rev() {
        let same = |again: &Outcome| *again == first[probe - start];
        let mut again = guard::call(|| exercise.ask(who, probe));
        if same(&again) && plainest.contains(&probe) {
            writeln!(file, "{ONCE_MORE}")?;
            again = guard::call(|| exercise.ask(who, probe));
        }
        if same(&again) {
            writeln!(file, "{SAME}")?;
        } else {
            writeln!(file, "!{probe} {}", serde_json::to_string(&again)?)?;
        }
    }
    writeln!(file, "{DONE}")
}

/// Bounds what the code may take from the machine. Where a limit is not to be had, the time limits
/// still hold.
fn limit_resources() {
    let mib = 1 << 20;
    for (resource, limit) in [
        (rlimit::Resource::AS, MEMORY_LIMIT_MIB * mib),
        (rlimit::Resource::FSIZE, FILE_LIMIT_MIB * mib),
        (rlimit::Resource::CPU, 2 * RUN_LIMIT.as_secs()),
        (rlimit::Resource::CORE, 0),
    ] {
        let _ = resource.set(limit, limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exercise::{Cast, Exercise};

    #[cfg(target_os = "linux")]
    #[test]
    fn answers_that_cannot_be_written_are_told_with_their_path() {
        let exercise = |_: &str| -> Option<Box<dyn Judged>> {
            let cast = Cast {
                learner: (),
                stub: (),
                solution: (),
            };
            Some(Box::new(Exercise::new("none", "00-kit", cast)))
        };
        for (path, what) in [("/dev/full", "write"), ("/dev/null/answers", "open")] {
            let order = format!("none\nlearner\n0\n{path}\n");
            let failed = answer_order(order.as_bytes(), exercise).unwrap_err();
            let told = format!("cannot {what} {path}: ");
            assert!(failed.to_string().starts_with(&told), "{failed}");
        }
    }

    #[test]
    fn a_failure_of_the_kit_is_told_from_an_exit_of_the_code() {
        let said = format!("printed without an end of line{KIT_SAYS}cannot write /tmp/a: full\n");
        let failure = failure_of_the_kit(Some(KIT_EXIT.into()), &said);
        assert_eq!(failure.as_deref(), Some("cannot write /tmp/a: full"));
        assert_eq!(failure_of_the_kit(Some(KIT_EXIT.into()), "printed\n"), None);
        assert_eq!(failure_of_the_kit(Some(1), &said), None);
        assert_eq!(failure_of_the_kit(None, &said), None);
    }
}
