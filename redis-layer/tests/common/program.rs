//! The program in a process of its own, as people run it.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::servers::{free_address, wait_for};

/// The program, still without arguments.
pub(crate) fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_redis-layer"))
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

    fn spawn(command: &mut Command) -> Self {
        let address = free_address();
        let process = command
            .args(["--port", &address.port().to_string()])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let running = Self { process, address };
        assert!(wait_for(address));
        running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
