//! Values that pass between a script and its commands, and their form in Lua.
//!
//! | answer of a command | in Lua | in Lua, after `redis.setresp(3)` |
//! |---|---|---|
//! | integer, bytes | number, string | the same |
//! | status, error | `{ok=...}`, `{err=..., ignore_error_stats_update=true}` | the same |
//! | null | `false` | `nil` |
//! | array | table from 1 on | the same |
//! | map, set | (arrays) | `{map={...}}`, `{set={member=true, ...}}` |
//! | double, boolean | (bytes, integers) | `{double=...}`, boolean |
//! | big number, verbatim text | (bytes) | `{big_number=...}`, `{verbatim_string={format=..., string=...}}` |
//!
//! In the other direction, the same forms are read from what a script returns. Numbers lose their fraction, an array
//! ends at its first nil, and unless RESP3 was chosen, `true` becomes 1 and `false` null.

use bytes::Bytes;
use mlua::{Lua, Table, Value as LuaValue};

use crate::scripting::machine::WORD_BYTES;
use crate::scripting::raise::{BYTES_MAX, truncated};
use crate::types::number::c_text;

/// How deep answers are read from tables, which may contain themselves.
const DEPTH_MAX: usize = 128;

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// The answer for something that does not exist.
    Null,
    /// An integer.
    Integer(i64),
    /// Bytes.
    Bulk(Bytes),
    /// A short text.
    Status(Bytes),
    /// An error.
    Error(Refusal),
    /// Values in order.
    Array(Vec<Value>),
    /// Pairs.
    Map(Vec<(Value, Value)>),
    /// Values without order.
    Set(Vec<Value>),
    /// A double.
    Double(f64),
    /// A boolean.
    Boolean(bool),
    /// An integer of any size, in decimal digits.
    BigNumber(Bytes),
    /// Text with a format of three letters.
    Verbatim {
        /// Such as `txt`.
        format: Bytes,
        /// The text.
        text: Bytes,
    },
}

/// An error message.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The code and the text.
    pub text: Bytes,
    /// Whether the error was counted when it arose. Redis marks such errors by this field, so that a script that
    /// answers one does not make it count again. Scripts can see the mark.
    pub is_counted: bool,
}

/// The field of an error table that marks it as counted.
pub(super) const COUNTED: &str = "ignore_error_stats_update";

impl Refusal {
    /// An error that has not been counted yet.
    pub(super) fn new(text: impl Into<Bytes>) -> Self {
        Self {
            text: text.into(),
            is_counted: false,
        }
    }

    /// The table that represents it in Lua.
    pub(super) fn to_table(&self, lua: &Lua) -> mlua::Result<Table> {
        let table = lua.create_table_with_capacity(0, 2)?;
        table.raw_set("err", lua.create_string(&self.text)?)?;
        if self.is_counted {
            table.raw_set(COUNTED, true)?;
        }
        Ok(table)
    }
}

impl Value {
    /// About how much memory the value takes in Lua.
    pub(super) fn lua_bytes(&self) -> usize {
        let all = |values: &[Self]| values.iter().map(Self::lua_bytes).sum::<usize>();
        let own = match self {
            Self::Null | Self::Integer(_) | Self::Double(_) | Self::Boolean(_) => 0,
            Self::Bulk(bytes) | Self::Status(bytes) | Self::BigNumber(bytes) => bytes.len(),
            Self::Error(refusal) => refusal.text.len(),
            Self::Verbatim { format, text } => format.len() + text.len(),
            Self::Array(values) | Self::Set(values) => all(values),
            Self::Map(pairs) => pairs
                .iter()
                .map(|(key, value)| key.lua_bytes() + value.lua_bytes())
                .sum(),
        };
        own + WORD_BYTES
    }

    /// Converts the value to Lua.
    pub(super) fn into_lua(self, lua: &Lua, resp3: bool) -> mlua::Result<LuaValue> {
        let in_table = |name: &str, value: LuaValue| {
            let table = lua.create_table_with_capacity(0, 1)?;
            table.raw_set(name, value)?;
            Ok(LuaValue::Table(table))
        };
        let string =
            |bytes: &[u8]| Ok::<_, mlua::Error>(LuaValue::String(lua.create_string(bytes)?));
        match self {
            Self::Null if resp3 => Ok(LuaValue::Nil),
            Self::Null => Ok(LuaValue::Boolean(false)),
            Self::Integer(number) => Ok(LuaValue::Integer(number)),
            Self::Bulk(bytes) => string(&bytes),
            Self::Status(text) => in_table("ok", string(&text)?),
            Self::Error(refusal) => Ok(LuaValue::Table(refusal.to_table(lua)?)),
            Self::Array(values) => {
                let table = lua.create_table_with_capacity(values.len(), 0)?;
                for (index, value) in (1_i64..).zip(values) {
                    table.raw_set(index, value.into_lua(lua, resp3)?)?;
                }
                Ok(LuaValue::Table(table))
            }
            Self::Map(pairs) => {
                let map = lua.create_table_with_capacity(0, pairs.len())?;
                for (key, value) in pairs {
                    map.raw_set(key.into_lua(lua, resp3)?, value.into_lua(lua, resp3)?)?;
                }
                in_table("map", LuaValue::Table(map))
            }
            Self::Set(values) => {
                let set = lua.create_table_with_capacity(0, values.len())?;
                for value in values {
                    set.raw_set(value.into_lua(lua, resp3)?, true)?;
                }
                in_table("set", LuaValue::Table(set))
            }
            Self::Double(number) => in_table("double", LuaValue::Number(number)),
            Self::Boolean(boolean) => Ok(LuaValue::Boolean(boolean)),
            Self::BigNumber(digits) => in_table("big_number", string(&digits)?),
            Self::Verbatim { format, text } => {
                let table = lua.create_table_with_capacity(0, 2)?;
                table.raw_set("format", string(&format)?)?;
                table.raw_set("string", string(&text)?)?;
                in_table("verbatim_string", LuaValue::Table(table))
            }
        }
    }

    /// Converts the value that a script returns.
    pub(super) fn from_lua(value: &LuaValue, resp3: bool) -> mlua::Result<Self> {
        let mut reader = Reader {
            resp3,
            left: BYTES_MAX,
        };
        let read = reader.value(value, 0)?;
        // A part of an answer would pass for all of it.
        Ok(if reader.left == 0 { too_large() } else { read })
    }
}

fn too_large() -> Value {
    Value::Error(Refusal::new("ERR not enough memory"))
}

/// Reads answers from Lua values.
struct Reader {
    resp3: bool,
    /// How many more bytes are allowed. Lua stores a text once however often it is used, but here each use is a copy.
    left: usize,
}

impl Reader {
    fn value(&mut self, value: &LuaValue, depth: usize) -> mlua::Result<Value> {
        let cost = match value {
            LuaValue::String(text) => text.as_bytes().len(),
            _ => size_of::<Value>(),
        };
        self.left = self.left.saturating_sub(cost);
        Ok(match value {
            _ if self.left == 0 => too_large(),
            LuaValue::String(text) => Value::Bulk(bytes(text)),
            LuaValue::Integer(number) => Value::Integer(*number),
            LuaValue::Number(number) => Value::Integer(truncated(*number)),
            LuaValue::Boolean(boolean) if self.resp3 => Value::Boolean(*boolean),
            LuaValue::Boolean(true) => Value::Integer(1),
            LuaValue::Table(_) if depth >= DEPTH_MAX => {
                Value::Error(Refusal::new("ERR reached lua stack limit"))
            }
            LuaValue::Table(table) => self.table(table, depth + 1)?,
            _ => Value::Null,
        })
    }

    /// Looks for the fields in the same order as Redis. It is split into small functions, because each level of a
    /// table takes the stack space of one of them.
    fn table(&mut self, table: &Table, depth: usize) -> mlua::Result<Value> {
        if let Some(value) = short(table)? {
            return Ok(value);
        }
        if let LuaValue::Table(map) = table.raw_get("map")? {
            return self.map(&map, depth);
        }
        if let LuaValue::Table(set) = table.raw_get("set")? {
            return self.set(&set, depth);
        }
        match text_of_other_form(table)? {
            Some(value) => Ok(value),
            None => self.array(table, depth),
        }
    }

    fn map(&mut self, map: &Table, depth: usize) -> mlua::Result<Value> {
        let mut pairs = Vec::new();
        for pair in map.pairs::<LuaValue, LuaValue>() {
            if self.left == 0 {
                break;
            }
            let (key, value) = pair?;
            pairs.push((self.value(&key, depth)?, self.value(&value, depth)?));
        }
        Ok(Value::Map(pairs))
    }

    fn set(&mut self, set: &Table, depth: usize) -> mlua::Result<Value> {
        let mut members = Vec::new();
        for pair in set.pairs::<LuaValue, LuaValue>() {
            if self.left == 0 {
                break;
            }
            members.push(self.value(&pair?.0, depth)?);
        }
        Ok(Value::Set(members))
    }

    fn array(&mut self, table: &Table, depth: usize) -> mlua::Result<Value> {
        let mut values = Vec::new();
        for index in 1_i64.. {
            match table.raw_get(index)? {
                LuaValue::Nil => break,
                _ if self.left == 0 => break,
                value => values.push(self.value(&value, depth)?),
            }
        }
        Ok(Value::Array(values))
    }
}

/// An error, a status or a double.
fn short(table: &Table) -> mlua::Result<Option<Value>> {
    if let LuaValue::String(text) = table.raw_get("err")? {
        return Ok(Some(Value::Error(Refusal {
            text: line(&text),
            is_counted: table.raw_get::<LuaValue>(COUNTED)? == LuaValue::Boolean(true),
        })));
    }
    if let LuaValue::String(text) = table.raw_get("ok")? {
        return Ok(Some(Value::Status(line(&text))));
    }
    Ok(match table.raw_get("double")? {
        #[expect(clippy::cast_precision_loss, reason = "it was a double")]
        LuaValue::Integer(number) => Some(Value::Double(number as f64)),
        LuaValue::Number(number) => Some(Value::Double(number)),
        _ => None,
    })
}

/// A big number or verbatim text.
fn text_of_other_form(table: &Table) -> mlua::Result<Option<Value>> {
    if let LuaValue::String(digits) = table.raw_get("big_number")? {
        return Ok(Some(Value::BigNumber(bytes(&digits))));
    }
    if let LuaValue::Table(verbatim) = table.raw_get("verbatim_string")?
        && let LuaValue::String(text) = verbatim.raw_get("string")?
        && let LuaValue::String(format) = verbatim.raw_get("format")?
    {
        return Ok(Some(Value::Verbatim {
            format: bytes(&format),
            text: bytes(&text),
        }));
    }
    Ok(None)
}

/// The text of a status or an error.
fn line(text: &mlua::LuaString) -> Bytes {
    Bytes::copy_from_slice(c_text(&text.as_bytes()))
}

fn bytes(text: &mlua::LuaString) -> Bytes {
    Bytes::copy_from_slice(&text.as_bytes())
}
