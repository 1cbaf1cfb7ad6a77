//! The table `redis`, except for `call` and `pcall`: these need a host to run commands in, and are added for each
//! script.

use std::sync::Arc;

use bytes::Bytes;
use mlua::{Lua, MultiValue, Table, Value};
use sha1::{Digest, Sha1};

use crate::scripting::machine::Situation;
use crate::scripting::raise::{self, BYTES_MAX, type_name};
use crate::types::number::{c_text, format_double};

/// `redis.LOG_*`
const LOG_LEVELS: [(&str, i64); 4] = [
    ("LOG_DEBUG", 0),
    ("LOG_VERBOSE", 1),
    ("LOG_NOTICE", 2),
    ("LOG_WARNING", 3),
];
/// `redis.REPL_*`. Nothing is replicated, so they are only accepted.
const REPLICATION: [(&str, i64); 5] = [
    ("REPL_NONE", 0),
    ("REPL_AOF", 1),
    ("REPL_SLAVE", 2),
    ("REPL_REPLICA", 2),
    ("REPL_ALL", 3),
];

/// The table of the library.
pub(super) fn library(lua: &Lua, situation: &Arc<Situation>, version: &str) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    for (name, value) in LOG_LEVELS.into_iter().chain(REPLICATION) {
        table.raw_set(name, value)?;
    }
    table.raw_set("REDIS_VERSION", version)?;
    let numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
    let version_number = numbers.fold(0_i64, |number, part| number << 8 | part);
    table.raw_set("REDIS_VERSION_NUM", version_number)?;
    let add = |name: &str, function| table.raw_set(name, function);
    add(
        "error_reply",
        lua.create_function(|lua, args: MultiValue| reply(lua, &args, "err"))?,
    )?;
    add(
        "status_reply",
        lua.create_function(|lua, args: MultiValue| reply(lua, &args, "ok"))?,
    )?;
    add(
        "sha1hex",
        lua.create_function(|lua, args: MultiValue| sha1hex(lua, &args))?,
    )?;
    let of_set = Arc::clone(situation);
    add(
        "setresp",
        lua.create_function(move |lua, args: MultiValue| setresp(lua, &args, &of_set))?,
    )?;
    add(
        "set_repl",
        lua.create_function(|lua, args: MultiValue| set_repl(lua, &args))?,
    )?;
    add("replicate_commands", lua.create_function(|_, ()| Ok(true))?)?;
    add("breakpoint", lua.create_function(|_, ()| Ok(false))?)?;
    add("debug", lua.create_function(|_, _: MultiValue| Ok(()))?)?;
    Ok(table)
}

/// `redis.error_reply(text)` and `redis.status_reply(text)`: a table with one field. An error text begins with a
/// code; a text of one word gets one.
fn reply(lua: &Lua, args: &MultiValue, field: &str) -> mlua::Result<Table> {
    let table = lua.create_table_with_capacity(0, 1)?;
    let (1, Some(Value::String(text))) = (args.len(), args.front()) else {
        table.raw_set("err", "ERR wrong number or type of arguments")?;
        return Ok(table);
    };
    if field == "ok" {
        table.raw_set(field, text)?;
        return Ok(table);
    }
    let text = text.as_bytes();
    let text = c_text(&text);
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let has_code = text.contains(&b' ');
    let prefix: &[u8] = if has_code { b"" } else { b"ERR " };
    let end = text.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n'));
    let text = &text[..end.map_or(0, |end| end + 1)];
    table.raw_set(field, lua.create_string([prefix, text].concat())?)?;
    Ok(table)
}

/// `redis.sha1hex(text)`
fn sha1hex(lua: &Lua, args: &MultiValue) -> mlua::Result<String> {
    let (1, Some(value)) = (args.len(), args.front()) else {
        return Err(raise::table("ERR wrong number of arguments"));
    };
    // An argument that is neither text nor number counts as an empty text.
    let text = printed(lua, value)?.unwrap_or_default();
    Ok(hex(&Sha1::digest(text).into()))
}

/// A digest in lower case.
pub(super) fn hex(digest: &[u8; 20]) -> String {
    use std::fmt::Write as _;
    digest.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// `redis.setresp(2 or 3)`
fn setresp(lua: &Lua, args: &MultiValue, situation: &Situation) -> mlua::Result<()> {
    let (1, Some(value)) = (args.len(), args.front()) else {
        return Err(raise::table("ERR redis.setresp() requires one argument."));
    };
    match lua.coerce_number(value.clone())?.map(raise::truncated) {
        Some(2) => situation.set_resp3(false),
        Some(3) => situation.set_resp3(true),
        _ => return Err(raise::table("ERR RESP version must be 2 or 3.")),
    }
    Ok(())
}

/// `redis.set_repl(flags)`
fn set_repl(lua: &Lua, args: &MultiValue) -> mlua::Result<()> {
    let (1, Some(value)) = (args.len(), args.front()) else {
        let problem = "ERR redis.set_repl() requires two arguments.";
        return Err(raise::table(problem));
    };
    let flags = lua.coerce_number(value.clone())?.map(raise::truncated);
    if !(0..=3).contains(&flags.unwrap_or(0)) {
        let problem =
            "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.";
        return Err(raise::table(problem));
    }
    Ok(())
}

/// The level and the text of `redis.log(level, text, ...)`.
pub(super) fn log_line(lua: &Lua, args: &MultiValue) -> mlua::Result<(u8, Vec<u8>)> {
    if args.len() < 2 {
        let problem = "ERR redis.log() requires two arguments or more.";
        return Err(raise::table(problem));
    }
    let level = args.front().cloned().unwrap_or(Value::Nil);
    let Some(level) = lua.coerce_number(level)? else {
        let problem = "ERR First argument must be a number (log level).";
        return Err(raise::table(problem));
    };
    let level = u8::try_from(raise::truncated(level)).ok();
    let Some(level) = level.filter(|level| *level <= 3) else {
        return Err(raise::table("ERR Invalid debug level."));
    };
    // What is neither text nor number is left out, as is a number that Lua has no memory to print.
    let words = args.iter().skip(1);
    let words = words.filter_map(|value| printed(lua, value).ok().flatten());
    let words = within_bound(words.map(Ok)).map_err(raise::table)?;
    Ok((level, words.join(&b' ')))
}

/// The arguments of `redis.call`, as bytes.
pub(super) fn arguments(args: &MultiValue) -> Result<Vec<Bytes>, &'static str> {
    if args.is_empty() {
        return Err("ERR Please specify at least one argument for this redis lib call");
    }
    within_bound(args.iter().map(|value| {
        argument(value).ok_or("ERR Lua redis lib command arguments must be strings or integers")
    }))
}

/// Collects words, unless they have too many bytes together. Lua stores a text once however often it is used, but these
/// copies add up.
fn within_bound(
    words: impl Iterator<Item = Result<Bytes, &'static str>>,
) -> Result<Vec<Bytes>, &'static str> {
    let mut left = BYTES_MAX;
    let mut found = Vec::with_capacity(words.size_hint().1.unwrap_or_default());
    for word in words {
        let word = word?;
        left = left
            .checked_sub(word.len())
            .ok_or("ERR not enough memory")?;
        found.push(word);
    }
    Ok(found)
}

/// Text as it is, and a number as Lua prints it, with 14 digits. Nothing for other values.
pub(super) fn printed(lua: &Lua, value: &Value) -> mlua::Result<Option<Bytes>> {
    let text = match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(_) | Value::Number(_) => lua.coerce_string(value.clone())?,
        _ => None,
    };
    Ok(text.map(|text| Bytes::copy_from_slice(&text.as_bytes())))
}

/// An argument of a command: text as it is, and a number printed with 17 digits.
fn argument(value: &Value) -> Option<Bytes> {
    match value {
        Value::String(text) => Some(Bytes::copy_from_slice(&text.as_bytes())),
        #[expect(clippy::cast_precision_loss, reason = "it was a double")]
        Value::Integer(number) if number.unsigned_abs() >= 100_000_000_000_000_000 => {
            Some(format_double(*number as f64))
        }
        Value::Integer(number) => Some(number.to_string().into()),
        Value::Number(number) => Some(format_double(*number)),
        other => {
            debug_assert!(type_name(other) != "number");
            None
        }
    }
}
