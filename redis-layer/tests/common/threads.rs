//! Whether a server has done all that it was asked for: then all its threads sleep until somebody wakes them.
//!
//! Silence does not say that. A thread that gets no processor for a while is silent too, and yet has something to say.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

/// The servers that run, by where they listen.
static SERVERS: Mutex<Vec<(SocketAddr, Threads)>> = Mutex::new(Vec::new());

/// The threads of a server. Only Linux says what they do; elsewhere they pass for asleep.
#[derive(Clone)]
pub(crate) enum Threads {
    /// All threads of a process.
    OfProcess(u32),
    /// Threads of this process: those that have added themselves.
    Added(Arc<Mutex<Vec<PathBuf>>>),
}

impl Threads {
    /// Those of the server at an address.
    pub(crate) fn of(address: SocketAddr) -> Option<Self> {
        let servers = SERVERS.lock();
        let found = servers.iter().find(|(other, _)| *other == address);
        found.map(|(_, threads)| threads.clone())
    }

    /// Notes whose they are.
    pub(crate) fn serve(self, address: SocketAddr) {
        SERVERS.lock().push((address, self));
    }

    /// No server listens at an address any more.
    pub(crate) fn forget(address: SocketAddr) {
        SERVERS.lock().retain(|(other, _)| *other != address);
    }

    /// Adds the thread that calls this.
    pub(crate) fn add_this(&self) {
        if let (Self::Added(threads), Ok(this)) = (self, fs::read_link("/proc/thread-self")) {
            threads.lock().push(PathBuf::from("/proc").join(this));
        }
    }

    /// Whether all of them slept at one moment.
    pub(crate) fn sleep(&self) -> bool {
        // Who was looked at first may have been woken by who was looked at last.
        let first = self.times_asleep();
        first.is_some() && first == self.times_asleep()
    }

    /// How often each of them has gone to sleep; `None` if one of them is awake.
    fn times_asleep(&self) -> Option<Vec<String>> {
        let threads = match self {
            Self::OfProcess(process) => {
                let threads = fs::read_dir(format!("/proc/{process}/task"));
                let threads = threads.into_iter().flatten().flatten();
                threads.map(|thread| thread.path()).collect()
            }
            Self::Added(threads) => threads.lock().clone(),
        };
        let states = threads
            .iter()
            .filter_map(|thread| fs::read_to_string(thread.join("status")).ok());
        let times = |state: String| {
            let sleeps = state.contains("\nState:\tS");
            let times = state.split_once("\nvoluntary_ctxt_switches:")?.1;
            sleeps.then(|| times.to_owned())
        };
        states.map(times).collect()
    }
}
