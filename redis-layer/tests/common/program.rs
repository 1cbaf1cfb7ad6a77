//! The program in a process of its own, as people run it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::threads::Threads;
use super::waiting::{DEADLINE, eventually};

/// The program, still without arguments.
pub(crate) fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_redis-layer"))
}

/// Waits until a process has ended.
#[track_caller]
pub(crate) fn end_of(process: &mut Child) -> ExitStatus {
    let mut status = None;
    eventually(|| {
        status = process.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}

/// Runs a program to its end and returns what it says, after it was told this. A program that does not end fails the test.
#[track_caller]
pub(crate) fn output_of(command: &mut Command, input: &[u8]) -> Output {
    fn all_of(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
        let read = move || {
            let mut all = Vec::new();
            pipe.read_to_end(&mut all).unwrap();
            all
        };
        thread::spawn(read)
    }
    let piped = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut process = Killed(piped.spawn().unwrap());
    let stdout = all_of(process.0.stdout.take().unwrap());
    let stderr = all_of(process.0.stderr.take().unwrap());
    // It may end before it has read all of it.
    let _ = process.0.stdin.take().unwrap().write_all(input);
    let status = end_of(&mut process.0);
    let [stdout, stderr] = [stdout, stderr].map(|reading| reading.join().unwrap());
    Output {
        status,
        stdout,
        stderr,
    }
}

/// Kills a process when it is dropped, as where a test fails.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A program that serves, on a free port. Killed when it is dropped, as by `kill -9`.
pub(crate) struct Running {
    pub(crate) process: Child,
    pub(crate) address: SocketAddr,
}

impl Running {
    /// Over the data in a directory.
    pub(crate) fn over(dir: &Path, more: &[&str]) -> Self {
        Self::spawn(command().arg("--dir").arg(dir).args(more))
    }

    /// Over data in memory.
    pub(crate) fn in_memory(more: &[&str]) -> Self {
        Self::spawn(command().arg("--memory").args(more))
    }

    /// At a port that the system chooses, as the program says: one that looked free might be taken by somebody else before the
    /// program is there, and then a stranger would answer.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut process = command
            .args(["--port", "0"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(process.stderr.take().unwrap());
        let (sender, address) = mpsc::channel();
        // It reads to the end, or the program would wait for a reader of its log.
        thread::spawn(move || {
            for line in said.lines().map_while(Result::ok) {
                let address = line.split("listening at ").nth(1);
                if let Some(address) = address.and_then(|address| address.trim().parse().ok()) {
                    let _ = sender.send(address);
                }
            }
        });
        let address = address.recv_timeout(DEADLINE);
        let Ok(address) = address else {
            let _ = process.kill();
            panic!("the program does not listen");
        };
        Threads::OfProcess(process.id()).serve(address);
        Self { process, address }
    }

    /// How much memory of a kind it has, as the system counts: `VmRSS` is all that is in memory, `RssAnon` what no
    /// file stands behind.
    pub(crate) fn bytes_of(&self, kind: &str) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let mut lines = status.lines().filter_map(|line| line.split_once(':'));
        let (_, value) = lines.find(|(name, _)| *name == kind).unwrap();
        let kilobytes = value.trim().trim_end_matches(" kB");
        kilobytes.parse::<usize>().unwrap() * 1024
    }

    /// How much processor time it has taken.
    pub(crate) fn processor_time(&self) -> Duration {
        processor_time_of(&self.process.id().to_string())
    }
}

/// How much processor time a process has taken, as the system counts, or this thread: that is `thread-self`.
pub(crate) fn processor_time_of(process: &str) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // Behind the name, which may hold anything, the times are fields 12 and 13, in hundredths of a second.
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let times = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = times.map(|time| time.parse::<u64>().unwrap()).sum();
    Duration::from_millis(10 * ticks)
}

impl Drop for Running {
    fn drop(&mut self) {
        Threads::forget(self.address);
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
