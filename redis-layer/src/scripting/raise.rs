//! Errors on their way from Rust into a script.
//!
//! In Redis the libraries are C, and C raises any Lua value as an error: a text that begins with the place of the
//! call, or a table with the text in `err`. Here they are Rust, and an error from Rust reaches Lua as an object of
//! mlua. So every error of a library is a [`Raised`], and wherever a script can catch errors (`sandbox.lua`),
//! [`caught`] turns it into the Lua value before the script sees it.

use bytes::Bytes;
use mlua::{Error, Lua, MultiValue, Value};

use crate::scripting::value::Refusal;

/// An error that a library raises.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum Raised {
    /// A text, as `error("...")` raises it.
    #[error("{}", String::from_utf8_lossy(.0))]
    Text(Vec<u8>),
    /// A table with this error.
    #[error("{}", String::from_utf8_lossy(&.0.text))]
    Table(Refusal),
    /// The script has to end, and must not catch this.
    #[error("the script was stopped")]
    Stop,
}

impl From<Raised> for Error {
    fn from(raised: Raised) -> Self {
        Self::external(raised)
    }
}

/// The prefix of a message, such as `user_script:1: `: the place in the function at this level of the stack, or
/// nothing if that is not a Lua function. Level 0 is the function that is running.
pub(super) fn place(lua: &Lua, level: usize) -> String {
    let place = lua.inspect_stack(level, |frame| {
        let line = frame.current_line()?;
        let source = frame.source();
        Some(format!("{}:{line}: ", source.short_src.as_deref()?))
    });
    place.flatten().unwrap_or_default()
}

/// An error with a text, located where the library was called.
pub(super) fn text(lua: &Lua, message: impl AsRef<[u8]>) -> Error {
    let mut text = place(lua, 1).into_bytes();
    text.extend_from_slice(message.as_ref());
    Raised::Text(text).into()
}

/// An error with a table, as the functions of `redis` raise it.
pub(super) fn table(message: impl Into<Bytes>) -> Error {
    Raised::Table(Refusal::new(message)).into()
}

/// An argument that the library refuses. Positions count from 1.
pub(super) fn argument(lua: &Lua, position: usize, problem: &str) -> Error {
    let called = lua.inspect_stack(0, |frame| {
        let names = frame.names();
        let is_method = names.name_what == Some("method");
        (
            names.name.map(std::borrow::Cow::into_owned),
            usize::from(is_method),
        )
    });
    let (name, of_method) = called.unwrap_or_default();
    let name = name.unwrap_or_else(|| "?".to_owned());
    let message = if of_method == 1 && position == 1 {
        format!("calling '{name}' on bad self ({problem})")
    } else {
        let position = position.saturating_sub(of_method);
        format!("bad argument #{position} to '{name}' ({problem})")
    };
    text(lua, message)
}

/// How many bytes a library may build outside of Lua's own memory, which has its own limit.
pub(super) const BYTES_MAX: usize = 256 << 20;

/// Refuses to build more than this many bytes.
pub(super) fn bound(lua: &Lua, bytes: usize) -> mlua::Result<()> {
    if bytes > BYTES_MAX {
        return Err(text(lua, "not enough memory"));
    }
    Ok(())
}

/// The Lua value of an error, for a script that catches it.
///
/// # Errors
/// The error itself, if scripts must not catch it.
pub(super) fn caught(lua: &Lua, error: &Error) -> mlua::Result<Value> {
    match raised(error) {
        Some(Raised::Stop) => Err(Raised::Stop.into()),
        Some(Raised::Text(text)) => Ok(Value::String(lua.create_string(text)?)),
        Some(Raised::Table(refusal)) => Ok(Value::Table(refusal.to_table(lua)?)),
        None => Ok(Value::String(lua.create_string(foreign(error))?)),
    }
}

/// The library's error inside an error of mlua.
pub(super) fn raised(error: &Error) -> Option<&Raised> {
    match error {
        Error::CallbackError { cause, .. } => raised(cause),
        Error::ExternalError(error) => error.downcast_ref(),
        _ => None,
    }
}

/// The text of an error that no library raised on purpose, such as a lack of memory.
pub(super) fn foreign(error: &Error) -> String {
    match error {
        Error::CallbackError { cause, .. } => foreign(cause),
        Error::RuntimeError(text) | Error::MemoryError(text) => {
            let end = text.find("\nstack traceback").unwrap_or(text.len());
            text[..end].to_owned()
        }
        other => other.to_string(),
    }
}

/// The arguments of a call from Lua, converted as C libraries convert them.
pub(super) struct Call<'a> {
    pub(super) lua: &'a Lua,
    args: &'a MultiValue,
}

impl<'a> Call<'a> {
    pub(super) const fn new(lua: &'a Lua, args: &'a MultiValue) -> Self {
        Self { lua, args }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.args.len()
    }

    /// The argument at a position, counted from 1; `None` past the last one.
    pub(super) fn value(&self, position: usize) -> Option<&'a Value> {
        self.args.get(position - 1)
    }

    /// An argument that is a number, or a text that Lua can convert to one.
    pub(super) fn number(&self, position: usize) -> mlua::Result<f64> {
        match self.value(position) {
            #[expect(
                clippy::cast_precision_loss,
                reason = "mlua calls a double an integer only if it is one"
            )]
            Some(Value::Integer(number)) => Ok(*number as f64),
            Some(Value::Number(number)) => Ok(*number),
            Some(value @ Value::String(_)) => self
                .lua
                .coerce_number(value.clone())?
                .ok_or_else(|| self.wrong_type(position, "number")),
            _ => Err(self.wrong_type(position, "number")),
        }
    }

    /// A number truncated to an integer as C does it.
    pub(super) fn integer(&self, position: usize) -> mlua::Result<i64> {
        Ok(truncated(self.number(position)?))
    }

    /// The same, or `default` if the argument is missing.
    pub(super) fn integer_or(&self, position: usize, default: i64) -> mlua::Result<i64> {
        match self.value(position) {
            None | Some(Value::Nil) => Ok(default),
            Some(_) => self.integer(position),
        }
    }

    /// An argument that is a text, or a number that Lua converts to one.
    pub(super) fn string(&self, position: usize) -> mlua::Result<mlua::LuaString> {
        match self.value(position) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(value @ (Value::Integer(_) | Value::Number(_))) => self
                .lua
                .coerce_string(value.clone())?
                .ok_or_else(|| self.wrong_type(position, "string")),
            _ => Err(self.wrong_type(position, "string")),
        }
    }

    /// [`Self::number`], for a library that appends a nil to its arguments.
    pub(super) fn number_or_nil(&self, position: usize) -> mlua::Result<f64> {
        self.value(position).map_or_else(
            || Err(self.is_nil(position, "number")),
            |_| self.number(position),
        )
    }

    /// [`Self::string`], for a library that appends a nil to its arguments.
    pub(super) fn string_or_nil(&self, position: usize) -> mlua::Result<mlua::LuaString> {
        self.value(position).map_or_else(
            || Err(self.is_nil(position, "string")),
            |_| self.string(position),
        )
    }

    fn is_nil(&self, position: usize, expected: &str) -> Error {
        argument(self.lua, position, &format!("{expected} expected, got nil"))
    }

    fn wrong_type(&self, position: usize, expected: &str) -> Error {
        let got = self.value(position).map_or("no value", type_name);
        let problem = format!("{expected} expected, got {got}");
        argument(self.lua, position, &problem)
    }
}

/// The name of a value's type, as Lua's `type` gives it.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Nil => "nil",
        Value::Boolean(_) => "boolean",
        Value::Integer(_) | Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Table(_) => "table",
        Value::Function(_) => "function",
        Value::Thread(_) => "thread",
        _ => "userdata",
    }
}

/// A double converted as C's cast to a 64-bit integer does on x86-64: truncated, and the least integer for everything
/// that does not fit.
pub(super) fn truncated(number: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "in range, and cut on purpose"
    )]
    if (-LIMIT..LIMIT).contains(&number) {
        number as i64
    } else {
        i64::MIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut_as_c_cuts_them() {
        for (number, cut) in [
            (1.9, 1),
            (-1.9, -1),
            (1e300, i64::MIN),
            (-1e300, i64::MIN),
            (f64::NAN, i64::MIN),
            (9_007_199_254_740_993.0, 9_007_199_254_740_992),
            (9_223_372_036_854_775_808.0, i64::MIN),
            (-9_223_372_036_854_775_808.0, i64::MIN),
        ] {
            assert_eq!(truncated(number), cut, "{number}");
        }
    }
}
