//! `bit`: operations on 32-bit integers, as in Lua BitOp 1.0.
//!
//! A number is rounded to an integer and wrapped to 32 bits; results are signed.
//! Source of the behaviour: the documentation of Lua BitOp (bitop.luajit.org/semantics.html).

use mlua::{Lua, MultiValue, Table};

use crate::scripting::raise::Call;

/// The table of the library.
pub(super) fn library(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let add = |name: &str, work: fn(&Call<'_>) -> mlua::Result<i32>| {
        let function = lua.create_function(move |lua, args: MultiValue| {
            let call = Call::new(lua, &args);
            work(&call)
        })?;
        table.raw_set(name, function)
    };
    add("tobit", |call| bits(call, 1))?;
    add("bnot", |call| Ok(!bits(call, 1)?))?;
    add("bswap", |call| Ok(bits(call, 1)?.swap_bytes()))?;
    add("band", |call| fold(call, |a, b| a & b))?;
    add("bor", |call| fold(call, |a, b| a | b))?;
    add("bxor", |call| fold(call, |a, b| a ^ b))?;
    add("lshift", |call| shift(call, |x, n| x << n))?;
    add("rshift", |call| shift(call, |x, n| x >> n))?;
    add("arshift", |call| {
        shift(call, |x, n| (x.cast_signed() >> n).cast_unsigned())
    })?;
    add("rol", |call| shift(call, u32::rotate_left))?;
    add("ror", |call| shift(call, u32::rotate_right))?;
    table.raw_set(
        "tohex",
        lua.create_function(|lua, args: MultiValue| tohex(&Call::new(lua, &args)))?,
    )?;
    Ok(table)
}

/// The argument at a position, rounded half to even and wrapped.
fn bits(call: &Call<'_>, position: usize) -> mlua::Result<i32> {
    /// 2^52 + 2^51: after it is added, the low bits of the double are those of the integer.
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    let low = (call.number(position)? + MAGIC).to_bits() & u64::from(u32::MAX);
    Ok(u32::try_from(low).unwrap_or_default().cast_signed())
}

/// After the first, the arguments are taken from the last: that decides which wrong one is named.
fn fold(call: &Call<'_>, work: fn(i32, i32) -> i32) -> mlua::Result<i32> {
    let first = bits(call, 1)?;
    let mut rest = (2..=call.len()).rev();
    rest.try_fold(first, |sum, position| Ok(work(sum, bits(call, position)?)))
}

/// Only the low five bits of the distance count.
fn shift(call: &Call<'_>, work: fn(u32, u32) -> u32) -> mlua::Result<i32> {
    let value = bits(call, 1)?.cast_unsigned();
    let distance = bits(call, 2)?.cast_unsigned() & 31;
    Ok(work(value, distance).cast_signed())
}

/// `bit.tohex(x [, digits])`: a negative number of digits asks for capitals.
fn tohex(call: &Call<'_>) -> mlua::Result<String> {
    let value = bits(call, 1)?;
    let digits = match call.value(2) {
        None => 8,
        Some(_) => bits(call, 2)?,
    };
    let text = if digits < 0 {
        format!("{value:08X}")
    } else {
        format!("{value:08x}")
    };
    let shown = usize::try_from(digits.unsigned_abs().min(8)).unwrap_or(8);
    Ok(text[8 - shown..].to_owned())
}
