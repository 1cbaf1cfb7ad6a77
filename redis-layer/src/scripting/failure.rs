//! Why a script failed, as the client reads it: the error, and the place in the script.

use mlua::{Lua, Table, Value as LuaValue};

use crate::scripting::raise::{self, Raised};
use crate::scripting::redis;
use crate::scripting::value::{COUNTED, Refusal};

/// Why a script failed.
#[derive(Debug)]
pub(super) struct Failure {
    /// `None` if the script has to end without an answer of its own.
    pub(super) refusal: Option<Refusal>,
    pub(super) place: String,
}

/// The name of what wraps functions for scripts.
const SANDBOX: Option<&str> = Some("sandbox");

/// The level of the stack at which the script was when an error was raised. Called in an error handler: the functions of
/// the handler, the function from C that raised the error, and the wrappers around it are passed over.
pub(super) fn level(lua: &Lua) -> usize {
    let is_wrapper = |level| {
        let is_wrapper = lua.inspect_stack(level, |frame| {
            frame.source().short_src.as_deref() == SANDBOX
        });
        is_wrapper == Some(true)
    };
    let is_c = |level| lua.inspect_stack(level, |frame| frame.source().what == "C") == Some(true);
    // The function that asks is level 0.
    let mut level = 1;
    while is_wrapper(level) {
        level += 1;
    }
    if is_c(level) {
        level += 1;
    }
    while is_wrapper(level) {
        level += 1;
    }
    level
}

/// Whether a value is a function that a script has made.
pub(super) fn is_of_script(value: &LuaValue) -> bool {
    let LuaValue::Function(function) = value else {
        return false;
    };
    let source = function.info();
    source.what == "Lua" && source.short_src.as_deref() != SANDBOX
}

/// The error and its place. Called as the error handler, while the stack is still there.
pub(super) fn failure(lua: &Lua, value: &LuaValue) -> Failure {
    let level = level(lua);
    let place = lua.inspect_stack(level, |frame| {
        let line = frame
            .current_line()
            .map_or(-1, |line| i64::try_from(line).unwrap_or(-1));
        let source = frame.source();
        format!("{}:{line}", source.source.as_deref().unwrap_or_default())
    });
    let place = place.unwrap_or_default();
    let with_code = |message: &[u8]| Refusal::new(with_code(lua, level, message));
    let refusal = match value {
        LuaValue::Error(error) => match raise::raised(error) {
            Some(Raised::Stop) => None,
            Some(Raised::Table(refusal)) => Some(refusal.clone()),
            Some(Raised::Text(text)) => Some(with_code(text)),
            None => Some(with_code(raise::foreign(error).as_bytes())),
        },
        LuaValue::Table(table) => Some(refusal_in(lua, table)),
        LuaValue::String(text) => Some(with_code(&text.as_bytes())),
        LuaValue::Nil => Some(Refusal::new("ERR nil")),
        // `cjson.null`, as Lua prints it.
        LuaValue::LightUserData(pointer) if pointer.0.is_null() => {
            Some(with_code(b"userdata: (nil)"))
        }
        value => Some(with_code(value.to_string().unwrap_or_default().as_bytes())),
    };
    Failure { refusal, place }
}

/// The error message in a table that was raised as an error.
fn refusal_in(lua: &Lua, table: &Table) -> Refusal {
    let text = table.get::<LuaValue>("err");
    let text = text.and_then(|value| redis::printed(lua, &value));
    Refusal {
        text: text.ok().flatten().unwrap_or("ERR unknown error".into()),
        is_counted: matches!(table.get(COUNTED), Ok(LuaValue::Boolean(true))),
    }
}

/// A message with `ERR` before it, and with the place in the script instead of the place in a wrapper.
fn with_code(lua: &Lua, level: usize, message: &[u8]) -> Vec<u8> {
    let of_wrapper = message.strip_prefix(b"sandbox:").and_then(|rest| {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        rest[digits..].strip_prefix(b": ")
    });
    match of_wrapper {
        Some(rest) => [b"ERR ", raise::place(lua, level).as_bytes(), rest].concat(),
        None => [b"ERR ", message].concat(),
    }
}
