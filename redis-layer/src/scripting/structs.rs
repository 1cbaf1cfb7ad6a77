//! `struct`: binary records described by a format, as in Roberto Ierusalimschy's library, version 0.2.
//!
//! A format is a sequence of options:
//!
//! | option | meaning |
//! |---|---|
//! | `>` `<` | big or little endian from here on; initially little |
//! | `!n` | aligned to at most `n` bytes, a power of two; 8 without `n`, initially 1 |
//! | `b` `B`, `h` `H`, `l` `L`, `T` | signed and unsigned integers of 1, 2 and 8 bytes; `T` has 8 |
//! | `in` `In` | integers of `n` bytes, up to 32; 4 without `n` |
//! | `f` `d` | floating point of 4 and 8 bytes |
//! | `x` | one byte of padding |
//! | `s` | text and a zero byte |
//! | `cn` | `n` bytes; `c0` all of the text, or as many bytes as the number before it says |
//!
//! Source of the behaviour: the library's manual (inf.puc-rio.br/~roberto/struct), and answers of
//! a real server.

use mlua::{Lua, MultiValue, Table, Value};

use crate::scripting::raise::{self, Call, truncated};
use crate::types::number::c_text;

/// The widest integer, in bytes.
const INTEGER_BYTES_MAX: usize = 32;
/// How many arguments and results a function of C may have in Lua.
const STACK_MAX: usize = 8000;
/// The alignment that `!` alone asks for.
const NATIVE_ALIGNMENT: usize = 8;

/// The table of the library.
pub(super) fn library(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.raw_set(
        "pack",
        lua.create_function(|lua, args: MultiValue| pack(&Call::new(lua, &args)))?,
    )?;
    table.raw_set(
        "unpack",
        lua.create_function(|lua, args: MultiValue| unpack(&Call::new(lua, &args)))?,
    )?;
    table.raw_set(
        "size",
        lua.create_function(|lua, args: MultiValue| size(&Call::new(lua, &args)))?,
    )?;
    Ok(table)
}

/// A format that is being read option by option. It is C text.
struct Format<'a> {
    lua: &'a Lua,
    text: &'a [u8],
    at: usize,
    big_endian: bool,
    alignment: usize,
}

/// One option, its size, and how many bytes of padding come before it.
#[derive(Debug, Clone, Copy)]
struct Field {
    option: u8,
    size: usize,
    padding: usize,
}

impl<'a> Format<'a> {
    fn new(lua: &'a Lua, text: &'a [u8]) -> Self {
        Self {
            lua,
            text: c_text(text),
            at: 0,
            big_endian: cfg!(target_endian = "big"),
            alignment: 1,
        }
    }

    /// The number at the current position, or `default` if there are no digits.
    fn count(&mut self, default: usize) -> mlua::Result<usize> {
        let mut count: Option<i32> = None;
        while let Some(digit) = self.text.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            let digit = i32::from(digit - b'0');
            let next = count.unwrap_or(0).checked_mul(10);
            let next = next.and_then(|tens| tens.checked_add(digit));
            count = Some(next.ok_or_else(|| raise::text(self.lua, "integral size overflow"))?);
            self.at += 1;
        }
        Ok(count.map_or(default, |count| usize::try_from(count).unwrap_or(0)))
    }

    /// The next option. `offset` is where its field would begin without padding.
    fn next(&mut self, offset: usize) -> mlua::Result<Option<Field>> {
        let Some(&option) = self.text.get(self.at) else {
            return Ok(None);
        };
        self.at += 1;
        let size = match option {
            b'b' | b'B' | b'x' => 1,
            b'h' | b'H' => 2,
            b'f' => 4,
            b'l' | b'L' | b'T' | b'd' => 8,
            b'c' => self.count(1)?,
            b'i' | b'I' => self.count(4)?,
            _ => 0,
        };
        if matches!(option, b'i' | b'I') && size > INTEGER_BYTES_MAX {
            let problem =
                format!("integral size {size} is larger than limit of {INTEGER_BYTES_MAX}");
            return Err(raise::text(self.lua, problem));
        }
        let aligned = if option == b'c' {
            0
        } else {
            size.min(self.alignment)
        };
        // As in C: sizes that are not powers of two give a padding of their own kind.
        let mask = aligned.wrapping_sub(1);
        let padding = if aligned == 0 {
            0
        } else {
            aligned.wrapping_sub(offset & mask) & mask
        };
        Ok(Some(Field {
            option,
            size,
            padding,
        }))
    }

    /// Handles an option that changes how the following ones are read.
    fn control(&mut self, option: u8) -> mlua::Result<()> {
        match option {
            b' ' => {}
            b'>' => self.big_endian = true,
            b'<' => self.big_endian = false,
            b'!' => {
                let alignment = self.count(NATIVE_ALIGNMENT)?;
                if !alignment.is_power_of_two() {
                    let problem = format!("alignment {alignment} is not a power of 2");
                    return Err(raise::text(self.lua, problem));
                }
                self.alignment = alignment;
            }
            _ => {
                let option = char::from(option);
                let problem = format!("invalid format option '{option}'");
                return Err(raise::argument(self.lua, 1, &problem));
            }
        }
        Ok(())
    }
}

fn pack(call: &Call<'_>) -> mlua::Result<mlua::LuaString> {
    let text = call.string(1)?;
    let text = text.as_bytes();
    let mut format = Format::new(call.lua, &text);
    let mut out = Vec::new();
    let mut position = 2;
    while let Some(field) = format.next(out.len())? {
        raise::bound(call.lua, out.len())?;
        out.resize(out.len() + field.padding, 0);
        match field.option {
            b'b' | b'B' | b'h' | b'H' | b'l' | b'L' | b'T' | b'i' | b'I' => {
                let number = call.number_or_nil(position)?;
                position += 1;
                put_integer(&mut out, number, field.size, format.big_endian);
            }
            b'x' => out.push(0),
            b'f' | b'd' => {
                let number = call.number_or_nil(position)?;
                position += 1;
                put_float(&mut out, number, field.size, format.big_endian);
            }
            b'c' | b's' => {
                let bytes = call.string_or_nil(position)?;
                position += 1;
                let bytes = bytes.as_bytes();
                let size = if field.size == 0 {
                    bytes.len()
                } else {
                    field.size
                };
                let Some(bytes) = bytes.get(..size) else {
                    return Err(raise::argument(call.lua, position, "string too short"));
                };
                out.extend_from_slice(bytes);
                if field.option == b's' {
                    out.push(0);
                }
            }
            option => format.control(option)?,
        }
    }
    call.lua.create_string(out)
}

/// The low eight bytes hold the number; those above are zero, whatever the sign.
fn put_integer(out: &mut Vec<u8>, number: f64, size: usize, big_endian: bool) {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "cut on purpose, as C does"
    )]
    let value = if number < 0.0 || number.is_nan() {
        truncated(number).cast_unsigned()
    } else if number < 18_446_744_073_709_551_616.0 {
        number as u64
    } else {
        0
    };
    let mut bytes = [0; INTEGER_BYTES_MAX];
    bytes[..8].copy_from_slice(&value.to_le_bytes());
    let start = out.len();
    out.extend_from_slice(&bytes[..size]);
    if big_endian {
        out[start..].reverse();
    }
}

fn put_float(out: &mut Vec<u8>, number: f64, size: usize, big_endian: bool) {
    let start = out.len();
    if size == 4 {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "rounded to a float on purpose"
        )]
        let number = number as f32;
        out.extend_from_slice(&number.to_le_bytes());
    } else {
        out.extend_from_slice(&number.to_le_bytes());
    }
    if big_endian {
        out[start..].reverse();
    }
}

fn unpack(call: &Call<'_>) -> mlua::Result<MultiValue> {
    let text = call.string(1)?;
    let text = text.as_bytes();
    let mut format = Format::new(call.lua, &text);
    let data = call.string(2)?;
    let data = data.as_bytes();
    let start = call.integer_or(3, 1)?;
    if start == 0 {
        return Err(raise::argument(call.lua, 3, "offset must be 1 or greater"));
    }
    let too_short = || raise::argument(call.lua, 2, "data string too short");
    // A negative start is past every end, as in C, where it wraps around.
    let mut at = usize::try_from(start).map_or(usize::MAX, |start| start - 1);
    let mut values: Vec<Value> = Vec::new();
    while let Some(field) = format.next(at)? {
        at = at.saturating_add(field.padding);
        let mut taken = field.size;
        if at.checked_add(taken).is_none_or(|end| end > data.len()) {
            return Err(too_short());
        }
        // There has to be room for this value and the position behind the last one.
        if call.len() + values.len() + 2 > STACK_MAX {
            let problem = "stack overflow (too many results)";
            return Err(raise::text(call.lua, problem));
        }
        match field.option {
            b'b' | b'B' | b'h' | b'H' | b'l' | b'L' | b'T' | b'i' | b'I' => {
                let signed = field.option.is_ascii_lowercase();
                let bytes = &data[at..at + taken];
                values.push(Value::Number(integer(bytes, signed, format.big_endian)));
            }
            b'f' | b'd' => {
                values.push(Value::Number(float(
                    &data[at..at + taken],
                    format.big_endian,
                )));
            }
            b'x' => {}
            b'c' => {
                if taken == 0 {
                    taken = size_before(call.lua, &mut values)?;
                    if at.checked_add(taken).is_none_or(|end| end > data.len()) {
                        return Err(too_short());
                    }
                }
                let text = call.lua.create_string(&data[at..at + taken])?;
                values.push(Value::String(text));
            }
            b's' => {
                let Some(length) = data[at..].iter().position(|&byte| byte == 0) else {
                    return Err(raise::text(call.lua, "unfinished string in data"));
                };
                let text = call.lua.create_string(&data[at..at + length])?;
                values.push(Value::String(text));
                taken = length + 1;
            }
            option => format.control(option)?,
        }
        at += taken;
    }
    values.push(Value::Integer(
        i64::try_from(at).unwrap_or(i64::MAX).saturating_add(1),
    ));
    Ok(MultiValue::from_vec(values))
}

/// The size of a `c0` field: the number that was read last. It is not returned as a value itself.
fn size_before(lua: &Lua, values: &mut Vec<Value>) -> mlua::Result<usize> {
    let size = match values.last() {
        Some(Value::Number(number)) => truncated(*number),
        Some(Value::String(text)) => match lua.coerce_number(Value::String(text.clone()))? {
            Some(number) => truncated(number),
            None => return Err(raise::text(lua, "format 'c0' needs a previous size")),
        },
        _ => return Err(raise::text(lua, "format 'c0' needs a previous size")),
    };
    values.pop();
    Ok(usize::try_from(size).unwrap_or(usize::MAX))
}

/// The integer in the low eight bytes. A sign is considered only up to eight bytes.
fn integer(bytes: &[u8], signed: bool, big_endian: bool) -> f64 {
    let mut little: Vec<u8> = bytes.to_vec();
    if big_endian {
        little.reverse();
    }
    let size = little.len();
    little.resize(size.max(8), 0);
    let mut low = [0; 8];
    low.copy_from_slice(&little[..8]);
    let value = u64::from_le_bytes(low);
    #[expect(clippy::cast_precision_loss, reason = "a number of Lua is a double")]
    if !signed {
        value as f64
    } else if (1..8).contains(&size) {
        let unused = 64 - 8 * u32::try_from(size).unwrap_or(8);
        ((value << unused).cast_signed() >> unused) as f64
    } else {
        value.cast_signed() as f64
    }
}

fn float(bytes: &[u8], big_endian: bool) -> f64 {
    let mut little = [0; 8];
    little[..bytes.len()].copy_from_slice(bytes);
    if big_endian {
        little[..bytes.len()].reverse();
    }
    if bytes.len() == 4 {
        let mut low = [0; 4];
        low.copy_from_slice(&little[..4]);
        f64::from(f32::from_le_bytes(low))
    } else {
        f64::from_le_bytes(little)
    }
}

fn size(call: &Call<'_>) -> mlua::Result<i64> {
    let text = call.string(1)?;
    let text = text.as_bytes();
    let mut format = Format::new(call.lua, &text);
    let mut at = 0_usize;
    while let Some(field) = format.next(at)? {
        at += field.padding;
        match field.option {
            b's' => {
                let problem = "option 's' has no fixed size";
                return Err(raise::argument(call.lua, 1, problem));
            }
            b'c' if field.size == 0 => {
                let problem = "option 'c0' has no fixed size";
                return Err(raise::argument(call.lua, 1, problem));
            }
            option if !option.is_ascii_alphanumeric() => format.control(option)?,
            _ => {}
        }
        at += field.size;
    }
    Ok(i64::try_from(at).unwrap_or(i64::MAX))
}
