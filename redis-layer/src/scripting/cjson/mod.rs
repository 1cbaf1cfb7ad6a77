//! `cjson`: JSON, as Mark Pulford's lua-cjson 2.1.0 reads and writes it.
//!
//! Tables with only positive integer keys become arrays, all others objects, and an empty table is an object. `null`
//! is the light userdata `cjson.null`. Numbers are written with 14 digits unless `encode_number_precision` says
//! otherwise. Settings that a script changes last until it ends: the next script starts with the defaults.
//!
//! Source of the behaviour: the library's manual (kyne.au/~mark/software/lua-cjson-manual.html),
//! and answers of a real server.

mod decode;
mod encode;

use std::sync::Arc;

use mlua::{Lua, MultiValue, Table, Value};
use parking_lot::Mutex;

use crate::scripting::raise::{self, Call};

/// The settings that a script can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Settings {
    sparse_convert: bool,
    sparse_ratio: usize,
    sparse_safe: usize,
    encode_depth_max: usize,
    decode_depth_max: usize,
    encode_invalid: Invalid,
    decode_invalid: bool,
    digits: usize,
    keep_buffer: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            sparse_convert: false,
            sparse_ratio: 2,
            sparse_safe: 10,
            encode_depth_max: 1000,
            decode_depth_max: 1000,
            encode_invalid: Invalid::Refused,
            decode_invalid: true,
            digits: 14,
            keep_buffer: true,
        }
    }
}

/// What to write for a number that JSON cannot express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Invalid {
    Refused,
    Printed,
    Null,
}

/// The settings of one table of functions.
pub(super) type Shared = Arc<Mutex<Settings>>;

/// The table of the library, with its own settings. `cjson.new` makes further such tables.
pub(super) fn library(lua: &Lua, settings: &Shared) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("_NAME", "cjson")?;
    table.raw_set("_VERSION", "2.1.0")?;
    table.raw_set("null", Value::NULL)?;
    let shared = Arc::clone(settings);
    table.raw_set(
        "encode",
        lua.create_function(move |lua, args: MultiValue| {
            encode::encode(&Call::new(lua, &args), *shared.lock())
        })?,
    )?;
    let shared = Arc::clone(settings);
    table.raw_set(
        "decode",
        lua.create_function(move |lua, args: MultiValue| {
            decode::decode(&Call::new(lua, &args), *shared.lock())
        })?,
    )?;
    table.raw_set(
        "new",
        lua.create_function(|lua, ()| library(lua, &Shared::default()))?,
    )?;
    let setters: [(&str, Setter); 7] = [
        ("encode_sparse_array", sparse_array),
        ("encode_max_depth", |call, settings| {
            depth(call, &mut settings.encode_depth_max)
        }),
        ("decode_max_depth", |call, settings| {
            depth(call, &mut settings.decode_depth_max)
        }),
        ("encode_number_precision", precision),
        ("encode_keep_buffer", |call, settings| {
            // There is no buffer to keep: each text is built in a buffer of its own.
            no_more_than(call, 1)?;
            settings.keep_buffer = switch(call, 1, settings.keep_buffer)?;
            Ok(one(Value::Boolean(settings.keep_buffer)))
        }),
        ("encode_invalid_numbers", encode_invalid),
        ("decode_invalid_numbers", |call, settings| {
            no_more_than(call, 1)?;
            settings.decode_invalid = switch(call, 1, settings.decode_invalid)?;
            Ok(one(Value::Boolean(settings.decode_invalid)))
        }),
    ];
    for (name, set) in setters {
        let shared = Arc::clone(settings);
        let function = lua.create_function(move |lua, args: MultiValue| {
            set(&Call::new(lua, &args), &mut shared.lock())
        })?;
        table.raw_set(name, function)?;
    }
    Ok(table)
}

/// Changes a setting if there are arguments, and returns its value.
type Setter = fn(&Call<'_>, &mut Settings) -> mlua::Result<MultiValue>;

fn one(value: Value) -> MultiValue {
    MultiValue::from_vec(vec![value])
}

fn no_more_than(call: &Call<'_>, count: usize) -> mlua::Result<()> {
    if call.len() > count {
        let problem = "found too many arguments";
        return Err(raise::argument(call.lua, count + 1, problem));
    }
    Ok(())
}

/// Reads a boolean, or `on` or `off`.
fn switch(call: &Call<'_>, position: usize, current: bool) -> mlua::Result<bool> {
    match call.value(position) {
        None | Some(Value::Nil) => Ok(current),
        Some(Value::Boolean(on)) => Ok(*on),
        Some(_) => {
            let option = call.string(position)?;
            let option = option.as_bytes();
            match &*option {
                b"on" => Ok(true),
                b"off" => Ok(false),
                other => Err(invalid_option(call, position, other)),
            }
        }
    }
}

fn invalid_option(call: &Call<'_>, position: usize, option: &[u8]) -> mlua::Error {
    let option = String::from_utf8_lossy(option);
    raise::argument(call.lua, position, &format!("invalid option '{option}'"))
}

/// An integer between bounds. Errors always name the first argument, as the library's do.
fn bounded(
    call: &Call<'_>,
    position: usize,
    (low, high): (i64, i64),
    current: usize,
) -> mlua::Result<usize> {
    let value = match call.value(position) {
        None | Some(Value::Nil) => return Ok(current),
        // The library keeps it in 32 bits.
        Some(_) => call.integer(position)? << 32 >> 32,
    };
    if !(low..=high).contains(&value) {
        let problem = format!("expected integer between {low} and {high}");
        return Err(raise::argument(call.lua, 1, &problem));
    }
    Ok(usize::try_from(value).unwrap_or(current))
}

fn number(value: usize) -> Value {
    Value::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

fn sparse_array(call: &Call<'_>, settings: &mut Settings) -> mlua::Result<MultiValue> {
    const COUNTS: (i64, i64) = (0, i32::MAX as i64);
    no_more_than(call, 3)?;
    settings.sparse_convert = switch(call, 1, settings.sparse_convert)?;
    settings.sparse_ratio = bounded(call, 2, COUNTS, settings.sparse_ratio)?;
    settings.sparse_safe = bounded(call, 3, COUNTS, settings.sparse_safe)?;
    Ok(MultiValue::from_vec(vec![
        Value::Boolean(settings.sparse_convert),
        number(settings.sparse_ratio),
        number(settings.sparse_safe),
    ]))
}

fn depth(call: &Call<'_>, depth_max: &mut usize) -> mlua::Result<MultiValue> {
    no_more_than(call, 1)?;
    *depth_max = bounded(call, 1, (1, i64::from(i32::MAX)), *depth_max)?;
    Ok(one(number(*depth_max)))
}

fn precision(call: &Call<'_>, settings: &mut Settings) -> mlua::Result<MultiValue> {
    no_more_than(call, 1)?;
    settings.digits = bounded(call, 1, (1, 14), settings.digits)?;
    Ok(one(number(settings.digits)))
}

fn encode_invalid(call: &Call<'_>, settings: &mut Settings) -> mlua::Result<MultiValue> {
    no_more_than(call, 1)?;
    let is_null = match call.value(1) {
        Some(Value::String(text)) => *text.as_bytes() == *b"null",
        _ => false,
    };
    settings.encode_invalid = if is_null {
        Invalid::Null
    } else if call.value(1).is_none_or(Value::is_nil) {
        settings.encode_invalid
    } else if switch(call, 1, false)? {
        Invalid::Printed
    } else {
        Invalid::Refused
    };
    Ok(one(match settings.encode_invalid {
        Invalid::Refused => Value::Boolean(false),
        Invalid::Printed => Value::Boolean(true),
        Invalid::Null => Value::String(call.lua.create_string("null")?),
    }))
}
