//! One Lua state with its sandbox, and the running of scripts in it.
//!
//! A state runs one script at a time. From one script to the next it keeps only compiled scripts and the state of the
//! random numbers: everything else that a script can reach and change is made for that script, is read-only, or is
//! restored here.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use mlua::{
    Function, HookTriggers, Lua, LuaOptions, MultiValue, StdLib, Table, Value as LuaValue, VmState,
};
use parking_lot::Mutex;

use crate::scripting::failure::{Failure, failure, is_of_script, level};
use crate::scripting::raise::{self, Raised};
use crate::scripting::running::{HOOK_INSTRUCTIONS, Registry, Run};
use crate::scripting::value::{Refusal, Value};
use crate::scripting::{
    Digest, Host, Rights, Script, Setup, Stop, bits, cjson, cmsgpack, random, redis, structs,
    unpack,
};

/// How much memory a script may use, including garbage that is not collected yet.
const MEMORY_MAX: usize = 256 << 20;
/// A state that still holds more than this after a script is not used again.
const MEMORY_KEPT: usize = 8 << 20;
/// How many compiled scripts a state keeps. Beyond that it forgets all of them.
const COMPILED_MAX: usize = 500;
/// How many lines of `redis.log` are kept until the end of a script, and how many bytes they have together.
const LOG_LINES_MAX: usize = 1000;
const LOG_BYTES_MAX: usize = 1 << 20;
/// What a string or an entry of a table takes in Lua, besides the bytes of the string.
pub(super) const WORD_BYTES: usize = 64;
/// The name of a script in error messages.
const CHUNK: &str = "@user_script";

/// Up to this many bytes are put into a state without checking the limit.
const UNCHECKED_BYTES: usize = 1 << 20;

/// Lifts the memory limit of a state as long as this value exists.
///
/// With a limit, a call into a state may fail for lack of memory, so mlua wraps each call in one of Lua's protected
/// calls. Those were half of the cost of a short script. What the server itself puts into a state is usually small
/// and not worth that: if it exceeds the limit, the script is refused memory afterwards.
struct Unlimited<'l>(&'l Lua);

impl<'l> Unlimited<'l> {
    /// Lifts the limit for `bytes` that the server is about to put in; `None` if they are not few.
    fn for_bytes(lua: &'l Lua, bytes: usize) -> Option<Self> {
        let is_small =
            bytes <= UNCHECKED_BYTES && lua.used_memory() <= MEMORY_MAX - UNCHECKED_BYTES;
        let lifted = is_small && lua.set_memory_limit(0).is_ok();
        lifted.then(|| Self(lua))
    }
}

impl Drop for Unlimited<'_> {
    fn drop(&mut self) {
        // The limit could be lifted, so it can be set.
        let _ = self.0.set_memory_limit(MEMORY_MAX);
    }
}

/// How a script ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// With an answer or an error.
    Answered(Value),
    /// Early, because the host stopped it.
    Stopped,
}

/// What the libraries of a state know about the running script.
pub(super) struct Situation {
    resp3: AtomicBool,
    run: Mutex<Option<Arc<Run>>>,
    failure: Mutex<Option<Failure>>,
    log: Mutex<Log>,
    /// What the user who runs the script may do; `None` for everything.
    rights: Mutex<Option<Arc<dyn Rights>>>,
}

/// The lines of `redis.log` that are kept.
#[derive(Debug, Default)]
struct Log {
    /// Each with its level.
    lines: Vec<(u8, Vec<u8>)>,
    bytes: usize,
}

impl Situation {
    pub(super) fn set_resp3(&self, resp3: bool) {
        self.resp3.store(resp3, Ordering::Relaxed);
    }

    fn resp3(&self) -> bool {
        self.resp3.load(Ordering::Relaxed)
    }
}

/// A Lua state.
pub(super) struct Machine {
    lua: Lua,
    situation: Arc<Situation>,
    json: cjson::Shared,
    /// What scripts see as globals.
    globals: Table,
    /// What scripts see as `redis`.
    redis: Table,
    run: Function,
    compile: Function,
    compiled: HashMap<Digest, Function>,
    /// How often the scripts had been flushed when it was made.
    pub(super) generation: u64,
    /// Whether an error may have left it in a bad state.
    is_broken: bool,
}

impl Machine {
    pub(super) fn new(
        setup: &Setup,
        registry: &Arc<Registry>,
        generator: &random::Generator,
        generation: u64,
    ) -> mlua::Result<Self> {
        let libraries = StdLib::TABLE | StdLib::STRING | StdLib::MATH;
        let lua = Lua::new_with(libraries, LuaOptions::default())?;
        let situation = Arc::new(Situation {
            resp3: AtomicBool::new(false),
            run: Mutex::default(),
            failure: Mutex::default(),
            log: Mutex::default(),
            rights: Mutex::default(),
        });
        let json = cjson::Shared::default();
        let redis = redis::library(&lua, &situation, setup.version)?;
        add_log(&lua, &redis, &situation)?;
        add_acl_check(&lua, &redis, setup.is_command, &situation)?;
        random::install(&lua, &lua.globals().get("math")?, generator)?;
        unpack::install(&lua, &lua.globals())?;
        let globals = lua.create_table()?;
        let made_coroutine = made_coroutine(&lua, &situation, registry)?;
        let (run, compile) = sandbox(&lua, &situation, &json, made_coroutine, &globals, &redis)?;
        let (registry, of_hook) = (Arc::clone(registry), Arc::clone(&situation));
        let triggers = HookTriggers::new().every_nth_instruction(HOOK_INSTRUCTIONS);
        // A global hook, because coroutines inherit it. Each counts its own instructions.
        lua.set_global_hook(triggers, move |_, _| {
            let run = of_hook.run.lock().clone();
            if run.is_some_and(|run| run.tick(&registry)) {
                return Err(Raised::Stop.into());
            }
            Ok(VmState::Continue)
        })?;
        lua.set_memory_limit(MEMORY_MAX)?;
        Ok(Self {
            lua,
            situation,
            json,
            globals,
            redis,
            run,
            compile,
            compiled: HashMap::new(),
            generation,
            is_broken: false,
        })
    }

    /// Whether it may run another script.
    pub(super) fn is_reusable(&self) -> bool {
        if self.is_broken {
            return false;
        }
        if self.lua.used_memory() <= MEMORY_KEPT {
            return true;
        }
        self.lua.gc_collect().is_ok() && self.lua.used_memory() <= MEMORY_KEPT
    }

    /// Compiles a script.
    ///
    /// # Errors
    /// Lua's error message.
    pub(super) fn compile(&mut self, digest: Digest, body: &[u8]) -> Result<Function, Vec<u8>> {
        if let Some(function) = self.compiled.get(&digest) {
            return Ok(function.clone());
        }
        let text = self.lua.create_string(body);
        let compiled =
            text.and_then(|text| self.compile.call::<(LuaValue, LuaValue)>((text, CHUNK)));
        match compiled {
            Ok((LuaValue::Function(function), _)) => {
                if self.compiled.len() >= COMPILED_MAX {
                    self.compiled.clear();
                }
                self.compiled.insert(digest, function.clone());
                Ok(function)
            }
            Ok((_, LuaValue::String(problem))) => Err(problem.as_bytes().to_vec()),
            Ok(_) => Err(b"no reason given".to_vec()),
            Err(error) => {
                self.is_broken = true;
                Err(raise::foreign(&error).into_bytes())
            }
        }
    }

    /// Runs a script.
    pub(super) fn run(
        &mut self,
        script: &Script,
        (keys, args): (&[Bytes], &[Bytes]),
        host: &mut dyn Host,
        registry: &Registry,
    ) -> Ended {
        let function = match self.compile(script.digest, &script.body) {
            Ok(function) => function,
            // The script was compiled before, so it must be a lack of memory.
            Err(problem) => return Ended::Answered(script.failed(&Refusal::new(problem), "")),
        };
        let run = Run::begin();
        self.situation.set_resp3(false);
        *self.situation.failure.lock() = None;
        *self.situation.run.lock() = Some(Arc::clone(&run));
        *self.situation.rights.lock() = host.rights();
        *self.json.lock() = cjson::Settings::default();
        let outcome = self.call(&function, keys, args, host, &run);
        *self.situation.run.lock() = None;
        run.end(registry);
        let failure = self.situation.failure.lock().take();
        let ended = self.ended(script, outcome, failure, &run);
        let Log { lines, .. } = std::mem::take(&mut *self.situation.log.lock());
        if !matches!(ended, Ended::Stopped) {
            lines.iter().for_each(|(level, line)| print(*level, line));
        }
        ended
    }

    fn call(
        &self,
        function: &Function,
        keys: &[Bytes],
        args: &[Bytes],
        host: &mut dyn Host,
        run: &Run,
    ) -> mlua::Result<Result<Value, LuaValue>> {
        let given = keys.iter().chain(args).map(|word| word.len() + WORD_BYTES);
        let unlimited = Unlimited::for_bytes(&self.lua, given.sum());
        self.globals.raw_set("KEYS", self.list(keys)?)?;
        self.globals.raw_set("ARGV", self.list(args)?)?;
        let commands = Commands {
            host: RefCell::new(host),
            situation: &self.situation,
            run,
        };
        self.lua.scope(|scope| {
            let call = scope.create_function(|lua, args: MultiValue| commands.call(lua, &args))?;
            self.redis.raw_set("call", call)?;
            let pcall =
                scope.create_function(|lua, args: MultiValue| commands.pcall(lua, &args))?;
            self.redis.raw_set("pcall", pcall)?;
            drop(unlimited);
            let (succeeded, value): (bool, LuaValue) = self.run.call(function)?;
            if succeeded {
                Ok(Ok(Value::from_lua(&value, self.situation.resp3())?))
            } else {
                Ok(Err(value))
            }
        })
    }

    fn list(&self, words: &[Bytes]) -> mlua::Result<Table> {
        let list = self.lua.create_table_with_capacity(words.len(), 0)?;
        for (index, word) in (1_i64..).zip(words) {
            list.raw_set(index, self.lua.create_string(word)?)?;
        }
        Ok(list)
    }

    fn ended(
        &mut self,
        script: &Script,
        outcome: mlua::Result<Result<Value, LuaValue>>,
        failure: Option<Failure>,
        run: &Run,
    ) -> Ended {
        let value = match (outcome, failure) {
            (
                _,
                Some(Failure {
                    refusal: None,
                    place,
                }),
            ) if run.is_killed() => {
                self.is_broken = true;
                let refusal = Refusal::new("ERR Script killed by user with SCRIPT KILL...");
                script.failed(&refusal, &place)
            }
            (_, Some(Failure { refusal: None, .. })) => return Ended::Stopped,
            (Ok(Ok(value)), _) => value,
            (
                _,
                Some(Failure {
                    refusal: Some(refusal),
                    place,
                }),
            ) => script.failed(&refusal, &place),
            // No error handler was called, because there was no memory left for it.
            (Ok(Err(value)), None) => {
                self.is_broken = true;
                let text = value.to_string().unwrap_or_default();
                script.failed(&Refusal::new(format!("ERR {text}")), "")
            }
            (Err(error), None) => {
                self.is_broken = true;
                let text = format!("ERR {}", raise::foreign(&error));
                script.failed(&Refusal::new(text), "")
            }
        };
        Ended::Answered(value)
    }
}

/// `redis.call` and `redis.pcall` of one script.
struct Commands<'a, 'h> {
    host: RefCell<&'h mut dyn Host>,
    situation: &'a Situation,
    run: &'a Run,
}

impl Commands<'_, '_> {
    fn answer(&self, args: &MultiValue) -> mlua::Result<Value> {
        let args = match redis::arguments(args) {
            Ok(args) => args,
            Err(problem) => return Ok(Value::Error(Refusal::new(problem))),
        };
        let mut host = self.host.borrow_mut();
        let answer = host.call(&args, self.situation.resp3(), &|| self.run.begin_write());
        answer.map_err(|Stop| Raised::Stop.into())
    }

    fn call(&self, lua: &Lua, args: &MultiValue) -> mlua::Result<LuaValue> {
        match self.answer(args)? {
            Value::Error(refusal) => Err(Raised::Table(refusal).into()),
            answer => self.hand_over(lua, answer),
        }
    }

    fn pcall(&self, lua: &Lua, args: &MultiValue) -> mlua::Result<LuaValue> {
        self.hand_over(lua, self.answer(args)?)
    }

    fn hand_over(&self, lua: &Lua, answer: Value) -> mlua::Result<LuaValue> {
        let _unlimited = Unlimited::for_bytes(lua, answer.lua_bytes());
        answer.into_lua(lua, self.situation.resp3())
    }
}

/// `redis.log`: lines are kept until the script has ended, because it may have to run again. Those for which there is no
/// room are printed at once.
fn add_log(lua: &Lua, redis: &Table, situation: &Arc<Situation>) -> mlua::Result<()> {
    let situation = Arc::clone(situation);
    let log = lua.create_function(move |lua, args: MultiValue| {
        let (level, line) = redis::log_line(lua, &args)?;
        let mut log = situation.log.lock();
        let bytes = log.bytes + line.len();
        if log.lines.len() < LOG_LINES_MAX && bytes <= LOG_BYTES_MAX {
            log.bytes = bytes;
            log.lines.push((level, line));
        } else {
            drop(log);
            print(level, &line);
        }
        Ok(())
    })?;
    redis.raw_set("log", log)
}

fn print(level: u8, line: &[u8]) {
    let line = String::from_utf8_lossy(line);
    match level {
        0 => tracing::trace!(target: "script", "{line}"),
        1 => tracing::debug!(target: "script", "{line}"),
        2 => tracing::info!(target: "script", "{line}"),
        _ => tracing::warn!(target: "script", "{line}"),
    }
}

/// `redis.acl_check_cmd`: whether the user who runs the script may run a command.
fn add_acl_check(
    lua: &Lua,
    redis: &Table,
    is_command: fn(&[Bytes]) -> bool,
    situation: &Arc<Situation>,
) -> mlua::Result<()> {
    let situation = Arc::clone(situation);
    let check = lua.create_function(move |_, args: MultiValue| {
        let args = redis::arguments(&args).map_err(raise::table)?;
        if !is_command(&args) {
            let problem = "ERR Invalid command passed to redis.acl_check_cmd()";
            return Err(raise::table(problem));
        }
        let rights = situation.rights.lock().clone();
        Ok(rights.is_none_or(|rights| rights.allow(&args)))
    })?;
    redis.raw_set("acl_check_cmd", check)
}

/// What the sandbox calls whenever a script makes a coroutine.
fn made_coroutine(
    lua: &Lua,
    situation: &Arc<Situation>,
    registry: &Arc<Registry>,
) -> mlua::Result<Function> {
    let (registry, situation) = (Arc::clone(registry), Arc::clone(situation));
    lua.create_function(move |_, ()| {
        let run = situation.run.lock().clone();
        match run.is_some_and(|run| run.made_coroutine(&registry)) {
            true => Err(Raised::Stop.into()),
            false => Ok(()),
        }
    })
}

/// Builds the environment of scripts in `globals`. Returns a function that runs a script, and one that compiles one.
fn sandbox(
    lua: &Lua,
    situation: &Arc<Situation>,
    json: &cjson::Shared,
    made_coroutine: Function,
    globals: &Table,
    redis: &Table,
) -> mlua::Result<(Function, Function)> {
    let libraries = lua.create_table()?;
    libraries.raw_set("bit", bits::library(lua)?)?;
    libraries.raw_set("cjson", cjson::library(lua, json)?)?;
    libraries.raw_set("cmsgpack", cmsgpack::library(lua)?)?;
    libraries.raw_set("redis", redis)?;
    libraries.raw_set("struct", structs::library(lua)?)?;
    let unwrap = lua.create_function(|lua, value: LuaValue| match value {
        LuaValue::Error(error) => raise::caught(lua, &error),
        value => Ok(value),
    })?;
    let situation = Arc::clone(situation);
    let describe = lua.create_function(move |lua, value: LuaValue| {
        let failure = failure(lua, &value);
        *situation.failure.lock() = Some(failure);
        Ok(())
    })?;
    let tools = lua.create_table()?;
    tools.raw_set("unwrap", unwrap)?;
    tools.raw_set("describe", describe)?;
    tools.raw_set("made_coroutine", made_coroutine)?;
    tools.raw_set(
        "place_in_script",
        lua.create_function(|lua, ()| Ok(raise::place(lua, level(lua))))?,
    )?;
    tools.raw_set(
        "is_of_script",
        lua.create_function(|_, value: LuaValue| Ok(is_of_script(&value)))?,
    )?;
    lua.load(include_str!("sandbox.lua"))
        .set_name("=sandbox")
        .call((libraries, tools, globals))
}
