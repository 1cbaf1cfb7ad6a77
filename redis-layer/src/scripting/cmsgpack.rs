//! `cmsgpack`: MessagePack, as Salvatore Sanfilippo's lua-cmsgpack 0.4.0 packs and unpacks it.
//!
//! Numbers without a fraction are packed as integers, others as the shortest float that holds
//! them. A table whose keys are 1 to n is an array, and so is the empty table; all others are maps.
//! Tables deeper than [`NESTING_MAX`], and values that MessagePack cannot express, are packed as nil.
//!
//! Source of the behaviour: the library's README (github.com/antirez/lua-cmsgpack), the
//! specification of MessagePack, and answers of a real server.

use mlua::{Lua, LuaString, MultiValue, Table, Value};

use crate::scripting::raise::{self, Call, truncated};

/// How deep nested tables are packed.
const NESTING_MAX: usize = 16;
/// How many values are unpacked at once: as many as Lua's stack for C holds.
const UNPACK_MAX: usize = 7900;
/// How deep nested tables are unpacked: Rust's stack easily holds that.
const UNPACK_DEPTH_MAX: usize = 500;

/// The table of the library.
pub(super) fn library(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("_NAME", "cmsgpack")?;
    table.raw_set("_VERSION", "lua-cmsgpack 0.4.0")?;
    table.raw_set("_COPYRIGHT", "Copyright (C) 2012, Salvatore Sanfilippo")?;
    table.raw_set("_DESCRIPTION", "MessagePack C implementation for Lua")?;
    table.raw_set(
        "pack",
        lua.create_function(|lua, args: MultiValue| pack(lua, &args))?,
    )?;
    table.raw_set(
        "unpack",
        lua.create_function(|lua, args: MultiValue| {
            let call = Call::new(lua, &args);
            unpack(&call, 0, 0)
        })?,
    )?;
    table.raw_set(
        "unpack_one",
        lua.create_function(|lua, args: MultiValue| {
            let call = Call::new(lua, &args);
            let offset = call.integer_or(2, 0)?;
            // The offset is read before `unpack` checks the text, so a wrong offset is reported first.
            unpack(&call, 1, offset)
        })?,
    )?;
    table.raw_set(
        "unpack_limit",
        lua.create_function(|lua, args: MultiValue| {
            let call = Call::new(lua, &args);
            let limit = call.integer(2)?;
            let offset = call.integer_or(3, 0)?;
            unpack(&call, limit, offset)
        })?,
    )?;
    Ok(table)
}

fn pack(lua: &Lua, args: &MultiValue) -> mlua::Result<LuaString> {
    if args.is_empty() {
        return Err(raise::argument(lua, 0, "MessagePack pack needs input."));
    }
    let mut out = Vec::new();
    for value in args {
        put(lua, &mut out, value, 0)?;
    }
    lua.create_string(out)
}

fn put(lua: &Lua, out: &mut Vec<u8>, value: &Value, level: usize) -> mlua::Result<()> {
    raise::bound(lua, out.len())?;
    match value {
        Value::String(text) => put_text(out, &text.as_bytes()),
        Value::Boolean(boolean) => out.push(if *boolean { 0xC3 } else { 0xC2 }),
        Value::Integer(number) => put_integer(out, *number),
        Value::Number(number) => put_number(out, *number),
        Value::Table(table) if level < NESTING_MAX => put_table(lua, out, table, level + 1)?,
        _ => out.push(0xC0),
    }
    Ok(())
}

fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    put_length(out, text.len(), 0xA0, 31, Some(0xD9), [0xDA, 0xDB]);
    out.extend_from_slice(text);
}

/// Writes the shortest header for a length: the length is part of the first byte, or follows it in 1, 2 or 4 bytes.
fn put_length(
    out: &mut Vec<u8>,
    length: usize,
    in_first: u8,
    in_first_max: u8,
    one: Option<u8>,
    [two, four]: [u8; 2],
) {
    match (u8::try_from(length), u16::try_from(length), one) {
        (Ok(length), _, _) if length <= in_first_max => out.push(in_first | length),
        (Ok(length), _, Some(one)) => out.extend_from_slice(&[one, length]),
        (_, Ok(length), _) => {
            out.push(two);
            out.extend_from_slice(&length.to_be_bytes());
        }
        _ => {
            out.push(four);
            // Lua's texts and tables are smaller: the limit on its memory is far below.
            let length = u32::try_from(length).unwrap_or(u32::MAX);
            out.extend_from_slice(&length.to_be_bytes());
        }
    }
}

fn put_number(out: &mut Vec<u8>, number: f64) {
    #[expect(
        clippy::cast_precision_loss,
        reason = "compared with what it came from"
    )]
    if number.is_finite() && number.abs() < 9.3e18 && truncated(number) as f64 == number {
        put_integer(out, truncated(number));
        return;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "compared with what it came from"
    )]
    let short = number as f32;
    if f64::from(short) == number {
        out.push(0xCA);
        out.extend_from_slice(&short.to_be_bytes());
    } else {
        out.push(0xCB);
        out.extend_from_slice(&number.to_be_bytes());
    }
}

fn put_integer(out: &mut Vec<u8>, number: i64) {
    let mut tagged = |tag: u8, bytes: &[u8]| {
        out.push(tag);
        out.extend_from_slice(bytes);
    };
    if let Ok(number) = u64::try_from(number) {
        if let Ok(number) = u8::try_from(number) {
            if number < 0x80 {
                out.push(number);
            } else {
                tagged(0xCC, &[number]);
            }
        } else if let Ok(number) = u16::try_from(number) {
            tagged(0xCD, &number.to_be_bytes());
        } else if let Ok(number) = u32::try_from(number) {
            tagged(0xCE, &number.to_be_bytes());
        } else {
            tagged(0xCF, &number.to_be_bytes());
        }
    } else if let Ok(number) = i8::try_from(number) {
        if number >= -32 {
            out.push(number.cast_unsigned());
        } else {
            tagged(0xD0, &number.to_be_bytes());
        }
    } else if let Ok(number) = i16::try_from(number) {
        tagged(0xD1, &number.to_be_bytes());
    } else if let Ok(number) = i32::try_from(number) {
        tagged(0xD2, &number.to_be_bytes());
    } else {
        tagged(0xD3, &number.to_be_bytes());
    }
}

fn put_table(lua: &Lua, out: &mut Vec<u8>, table: &Table, level: usize) -> mlua::Result<()> {
    let mut is_array = true;
    let mut greatest = 0;
    let mut count = 0_usize;
    for pair in table.pairs::<Value, Value>() {
        count += 1;
        match pair?.0 {
            Value::Integer(key) if key >= 1 => greatest = greatest.max(key),
            _ => is_array = false,
        }
    }
    if is_array && usize::try_from(greatest) == Ok(count) {
        put_length(out, count, 0x90, 15, None, [0xDC, 0xDD]);
        for index in 1..=greatest {
            put(lua, out, &table.raw_get(index)?, level)?;
        }
    } else {
        put_length(out, count, 0x80, 15, None, [0xDE, 0xDF]);
        for pair in table.pairs::<Value, Value>() {
            let (key, value) = pair?;
            put(lua, out, &key, level)?;
            put(lua, out, &value, level)?;
        }
    }
    Ok(())
}

/// A number as the library prints it: its low 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "as C cuts them")]
const fn printed(number: i64) -> i32 {
    number as i32
}

/// Unpacks `count` values from the offset on, or all of the text where both are 0. Otherwise the first result is the offset of
/// the next value, or -1 at the end.
fn unpack(call: &Call<'_>, count: i64, offset: i64) -> mlua::Result<MultiValue> {
    let text = call.string(1)?;
    let text = text.as_bytes();
    let length = text.len();
    if offset < 0 || count < 0 {
        // The library's message names the length where it means the limit.
        let problem = format!(
            "Invalid request to unpack with offset of {} and limit of {length}.",
            printed(offset)
        );
        return Err(raise::text(call.lua, problem));
    }
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    if start > length {
        let problem = format!(
            "Start offset {} greater than input length {length}.",
            printed(offset)
        );
        return Err(raise::text(call.lua, problem));
    }
    let mut input = Input {
        lua: call.lua,
        text: &text,
        at: start,
    };
    let is_all = count == 0 && offset == 0;
    let count_max = match usize::try_from(count) {
        Ok(count) if !is_all => count,
        _ => usize::MAX,
    };
    let mut values = Vec::new();
    while input.at < length && values.len() < count_max {
        if values.len() >= UNPACK_MAX {
            let problem = "stack overflow (too many return values at once; use unpack_one or \
                           unpack_limit instead.)";
            return Err(raise::text(call.lua, problem));
        }
        values.push(input.value(0)?);
    }
    if !is_all {
        let next = if input.at == length {
            -1
        } else {
            i64::try_from(input.at).unwrap_or(-1)
        };
        values.insert(0, Value::Integer(next));
    }
    Ok(MultiValue::from_vec(values))
}

struct Input<'a> {
    lua: &'a Lua,
    text: &'a [u8],
    at: usize,
}

impl Input<'_> {
    fn take(&mut self, count: usize) -> mlua::Result<&[u8]> {
        let end = self.at.checked_add(count);
        match end.and_then(|end| self.text.get(self.at..end)) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => Err(raise::text(self.lua, "Missing bytes in input.")),
        }
    }

    /// A big-endian number of up to eight bytes.
    fn unsigned(&mut self, size: usize) -> mlua::Result<u64> {
        let bytes = self.take(size)?.iter();
        Ok(bytes.fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn length(&mut self, size: usize) -> mlua::Result<usize> {
        Ok(usize::try_from(self.unsigned(size)?).unwrap_or(usize::MAX))
    }

    fn signed(&mut self, size: u32) -> mlua::Result<Value> {
        let unused = 64 - 8 * size;
        let number = self.unsigned(usize::try_from(size).unwrap_or(8))?;
        Ok(Value::Integer((number << unused).cast_signed() >> unused))
    }

    fn value(&mut self, depth: usize) -> mlua::Result<Value> {
        if depth > UNPACK_DEPTH_MAX {
            let problem = "stack overflow (in function mp_decode_to_lua_array)";
            return Err(raise::text(self.lua, problem));
        }
        let tag = self.take(1)?[0];
        match tag {
            0x80..=0x9F | 0xDC..=0xDF => self.container(tag, depth + 1),
            _ => self.scalar(tag),
        }
    }

    /// Separate from [`Self::scalar`], so that each level takes little of the stack.
    fn container(&mut self, tag: u8, depth: usize) -> mlua::Result<Value> {
        let length = match tag {
            0xDC | 0xDE => self.length(2)?,
            0xDD | 0xDF => self.length(4)?,
            _ => usize::from(tag & 0xF),
        };
        match tag {
            0x90..=0x9F | 0xDC | 0xDD => self.array(length, depth),
            _ => self.map(length, depth),
        }
    }

    fn scalar(&mut self, tag: u8) -> mlua::Result<Value> {
        Ok(match tag {
            0..=0x7F => Value::Integer(i64::from(tag)),
            0xE0.. => Value::Integer(i64::from(tag.cast_signed())),
            0xA0..=0xBF => self.bytes(usize::from(tag & 0x1F))?,
            0xC0 => Value::Nil,
            0xC2 => Value::Boolean(false),
            0xC3 => Value::Boolean(true),
            0xD9..=0xDB => {
                let length = self.length(1 << (tag - 0xD9))?;
                self.bytes(length)?
            }
            0xCA => {
                let bits = u32::try_from(self.unsigned(4)?).unwrap_or(0);
                Value::Number(f32::from_bits(bits).into())
            }
            0xCB => Value::Number(f64::from_bits(self.unsigned(8)?)),
            // The library returns all 64 bits as a signed integer.
            0xCC..=0xCF => Value::Integer(self.unsigned(1 << (tag & 3))?.cast_signed()),
            0xD0..=0xD3 => self.signed(1 << (tag & 3))?,
            _ => return Err(raise::text(self.lua, "Bad data format in input.")),
        })
    }

    fn bytes(&mut self, length: usize) -> mlua::Result<Value> {
        let lua = self.lua;
        Ok(Value::String(lua.create_string(self.take(length)?)?))
    }

    /// The length is only claimed by the input, so no memory is reserved for it.
    fn array(&mut self, length: usize, depth: usize) -> mlua::Result<Value> {
        let table = self.lua.create_table()?;
        for index in 1..=length {
            let value = self.value(depth)?;
            table.raw_set(index, value)?;
        }
        Ok(Value::Table(table))
    }

    fn map(&mut self, length: usize, depth: usize) -> mlua::Result<Value> {
        let table = self.lua.create_table()?;
        for _ in 0..length {
            let key = self.value(depth)?;
            let value = self.value(depth)?;
            match key {
                Value::Nil => {
                    let problem = b"table index is nil".to_vec();
                    return Err(raise::Raised::Text(problem).into());
                }
                Value::Number(number) if number.is_nan() => {
                    let problem = b"table index is NaN".to_vec();
                    return Err(raise::Raised::Text(problem).into());
                }
                key => table.raw_set(key, value)?,
            }
        }
        Ok(Value::Table(table))
    }
}
