//! Lua scripts as Redis 7.0 runs them: the sandbox, the libraries, time and memory limits.
//!
//! This layer knows no commands. A script's `redis.call` goes to a [`Host`], which runs the command
//! and answers a [`Value`]. `docs/scripting.md` says what scripts may expect.
//!
//! The texts of scripts are kept until they are flushed, as in Redis. A Lua state runs one script at a time, and idle
//! states are kept in a pool: scripts on different keys run in parallel, and nearly always there is a state that has
//! compiled the script already. A single state with a lock would be less code, but every script would wait for the
//! slowest one.
//!
//! ```text
//! machine                 a Lua state, its sandbox, and the running of a script in it
//! running                 scripts that take long
//! redis                   the library that scripts reach the server by
//! cjson, cmsgpack,        the other libraries
//!   structs, bits
//! random, unpack          functions of Lua, as Redis has them
//! value, raise, failure   values and errors on their way between a script and its commands
//! shebang                 what the first line says of a script
//! ```
//!
//! Invariants
//! 1. A state is in the pool or used by one script, never both.
//! 2. If a script ends in a way that may leave its state unclean, the state is not used again.
//! 3. `Stop` from the host ends the script: no `pcall` of the script can catch it.

mod bits;
mod cjson;
mod cmsgpack;
mod failure;
mod machine;
mod raise;
mod random;
mod redis;
mod running;
mod shebang;
mod structs;
mod unpack;
mod value;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::{Mutex, RwLock};
use sha1::{Digest as _, Sha1};

use crate::types::number::c_text;
use machine::{Ended, Machine};
use running::Registry;

pub use running::Killed;
pub use shebang::Writes;
pub use value::{Refusal, Value};

/// How many idle states are kept. Machines seldom have more processors to run scripts on.
const IDLE_MAX: usize = 16;

/// The SHA-1 of a script's text, which identifies the script.
type Digest = [u8; 20];

/// Returned by the host when the script must not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop;

/// What runs the commands of one script.
pub trait Host {
    /// Runs a command. An error is an answer too. With `resp3`, the answer may have forms that only RESP3 has. Before a
    /// command that may change something, `begin_write` is called.
    ///
    /// # Errors
    /// [`Stop`] if the script must end here, which `begin_write` may say too. Then nobody sees its answer.
    fn call(
        &mut self,
        args: &[Bytes],
        resp3: bool,
        begin_write: &dyn Fn() -> Result<(), Stop>,
    ) -> Result<Value, Stop>;

    /// What the user who runs the script may do; `None` for everything.
    fn rights(&self) -> Option<Arc<dyn Rights>>;
}

/// What a user may do.
pub trait Rights: std::fmt::Debug + Send + Sync {
    /// Whether the user may run a command that exists.
    fn allow(&self, args: &[Bytes]) -> bool;
}

/// What this layer needs to know about the server.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    /// The value of `redis.REDIS_VERSION`.
    pub version: &'static str,
    /// Says whether there is a command that takes these arguments.
    pub is_command: fn(&[Bytes]) -> bool,
    /// Called now and then by a script that takes long, on its thread, so that another thread can serve other
    /// clients.
    pub yield_thread: fn(),
}

/// A script that has been compiled once without an error.
#[derive(Debug)]
pub struct Script {
    digest: Digest,
    body: Bytes,
    writes: Writes,
    /// Whether it used keys that it had not named.
    uses_undeclared_keys: AtomicBool,
}

impl Script {
    /// What its first line says about writing.
    #[must_use]
    pub const fn writes(&self) -> Writes {
        self.writes
    }

    /// Whether it used keys that it had not named when it last ran.
    #[must_use]
    pub fn uses_undeclared_keys(&self) -> bool {
        self.uses_undeclared_keys.load(Ordering::Relaxed)
    }

    /// Remembers that it used keys that it had not named.
    pub fn mark_undeclared_keys(&self) {
        self.uses_undeclared_keys.store(true, Ordering::Relaxed);
    }

    /// Its name: 40 hexadecimal digits.
    #[must_use]
    pub fn sha(&self) -> String {
        redis::hex(&self.digest)
    }

    /// The answer of a script that failed. It names the script and the place of the error.
    fn failed(&self, refusal: &Refusal, place: &str) -> Value {
        let text = c_text(&refusal.text);
        let mut error = [text, b" script: ", self.sha().as_bytes()].concat();
        if !place.is_empty() {
            error.extend_from_slice(format!(", on {place}.").as_bytes());
        }
        Value::Error(Refusal {
            text: error.into(),
            is_counted: refusal.is_counted,
        })
    }
}

/// All scripts of a server.
pub struct Scripts {
    setup: Setup,
    known: RwLock<HashMap<Digest, Arc<Script>>>,
    idle: Mutex<Vec<Machine>>,
    /// How often the scripts were flushed. A state from before the last flush is not used again.
    generation: AtomicU64,
    registry: Arc<Registry>,
    /// Of `math.random`.
    generator: random::Generator,
}

impl Scripts {
    /// No scripts.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        Self {
            setup,
            known: RwLock::default(),
            idle: Mutex::default(),
            generation: AtomicU64::new(0),
            registry: Arc::new(Registry::new(setup.yield_thread)),
            generator: random::Generator::default(),
        }
    }

    /// The script with this text. It is kept from now on.
    ///
    /// # Errors
    /// Redis's error for a script that does not compile.
    pub fn load(&self, source: &Bytes) -> Result<Arc<Script>, Vec<u8>> {
        let digest: Digest = Sha1::digest(source).into();
        if let Some(script) = self.known.read().get(&digest) {
            return Ok(Arc::clone(script));
        }
        let (writes, body) = shebang::parse(source)?;
        let mut machine = self.machine()?;
        let compiled = machine.compile(digest, &body);
        self.put_back(machine);
        compiled.map_err(|problem| {
            [b"ERR Error compiling script (new function): ", &*problem].concat()
        })?;
        let script = Arc::new(Script {
            digest,
            // A copy, because the text is a slice of a larger buffer.
            body: Bytes::copy_from_slice(&body),
            writes,
            uses_undeclared_keys: AtomicBool::new(false),
        });
        self.known.write().insert(digest, Arc::clone(&script));
        Ok(script)
    }

    /// The script with this name, ignoring case.
    #[must_use]
    pub fn find(&self, sha: &[u8]) -> Option<Arc<Script>> {
        let digest = parse_sha(sha)?;
        self.known.read().get(&digest).cloned()
    }

    /// How many scripts are kept, and the bytes of their texts.
    #[must_use]
    pub fn kept(&self) -> (usize, usize) {
        let known = self.known.read();
        (
            known.len(),
            known.values().map(|script| script.body.len()).sum(),
        )
    }

    /// Forgets all scripts.
    pub fn flush(&self) {
        self.known.write().clear();
        self.generation.fetch_add(1, Ordering::Relaxed);
        self.idle.lock().clear();
    }

    /// Ends the running scripts that have changed nothing.
    pub fn kill(&self) -> Killed {
        self.registry.kill()
    }

    /// What [`kill`](Self::kill) would do.
    pub fn can_kill(&self) -> Killed {
        self.registry.can_kill()
    }

    /// Ends all scripts that run for long, now and later, whatever they have changed. The caller must see to it that
    /// none of these changes is committed.
    pub fn stop(&self) {
        self.registry.stop();
    }

    /// Whether a script has been running for so long that other clients are refused.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.registry.is_busy()
    }

    /// Sets how long a script may run before other clients are refused; 0 for no limit.
    pub fn set_busy_after(&self, limit: Duration) {
        self.registry.set_busy_after(limit);
    }

    /// Runs a script with its keys and arguments.
    ///
    /// # Errors
    /// [`Stop`] if the host stopped the script.
    pub fn run(
        &self,
        script: &Script,
        keys: &[Bytes],
        args: &[Bytes],
        host: &mut dyn Host,
    ) -> Result<Value, Stop> {
        let mut machine = match self.machine() {
            Ok(machine) => machine,
            Err(problem) => return Ok(Value::Error(Refusal::new(problem))),
        };
        let ended = machine.run(script, (keys, args), host, &self.registry);
        self.put_back(machine);
        match ended {
            Ended::Answered(value) => Ok(value),
            Ended::Stopped => Err(Stop),
        }
    }

    fn machine(&self) -> Result<Machine, Vec<u8>> {
        if let Some(machine) = self.idle.lock().pop() {
            return Ok(machine);
        }
        let generation = self.generation.load(Ordering::Relaxed);
        Machine::new(&self.setup, &self.registry, &self.generator, generation)
            .map_err(|error| format!("ERR cannot start Lua: {error}").into_bytes())
    }

    fn put_back(&self, machine: Machine) {
        let is_current = machine.generation == self.generation.load(Ordering::Relaxed);
        if is_current && machine.is_reusable() {
            let mut idle = self.idle.lock();
            if idle.len() < IDLE_MAX {
                idle.push(machine);
            }
        }
    }
}

/// 40 hexadecimal digits.
fn parse_sha(sha: &[u8]) -> Option<Digest> {
    let mut digest = Digest::default();
    if sha.len() != 2 * digest.len() {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(sha.chunks_exact(2)) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        *byte = u8::try_from(digit(0)? << 4 | digit(1)?).ok()?;
    }
    Some(digest)
}
