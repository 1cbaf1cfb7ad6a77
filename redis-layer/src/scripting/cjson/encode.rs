//! Writes Lua values as JSON.

use mlua::{Lua, LuaString, Table, Value};

use super::{Invalid, Settings};
use crate::scripting::raise::{self, Call, truncated, type_name};
use crate::types::number::format_significant;

/// A limit of our own, whatever depth the script allows, because Rust's stack is limited.
const DEPTH_MAX: usize = 1000;

/// `cjson.encode(value)`
pub(super) fn encode(call: &Call<'_>, settings: Settings) -> mlua::Result<LuaString> {
    let (1, Some(value)) = (call.len(), call.value(1)) else {
        return Err(raise::argument(call.lua, 1, "expected 1 argument"));
    };
    let mut encoder = Encoder {
        lua: call.lua,
        settings,
        out: Vec::new(),
    };
    encoder.value(value, 0)?;
    call.lua.create_string(encoder.out)
}

struct Encoder<'a> {
    lua: &'a Lua,
    settings: Settings,
    out: Vec<u8>,
}

impl Encoder<'_> {
    fn value(&mut self, value: &Value, depth: usize) -> mlua::Result<()> {
        raise::bound(self.lua, self.out.len())?;
        match value {
            Value::Nil => self.out.extend_from_slice(b"null"),
            Value::LightUserData(pointer) if pointer.0.is_null() => {
                self.out.extend_from_slice(b"null");
            }
            Value::Boolean(true) => self.out.extend_from_slice(b"true"),
            Value::Boolean(false) => self.out.extend_from_slice(b"false"),
            #[expect(clippy::cast_precision_loss, reason = "it was a double")]
            Value::Integer(number) => self.number(*number as f64)?,
            Value::Number(number) => self.number(*number)?,
            Value::String(text) => self.text(&text.as_bytes()),
            Value::Table(table) => self.table(table, depth + 1)?,
            other => return Err(self.refuse(type_name(other), "type not supported")),
        }
        Ok(())
    }

    fn refuse(&self, what: &str, why: &str) -> mlua::Error {
        raise::text(self.lua, format!("Cannot serialise {what}: {why}"))
    }

    fn number(&mut self, number: f64) -> mlua::Result<()> {
        if !number.is_finite() {
            match self.settings.encode_invalid {
                Invalid::Refused => return Err(self.refuse("number", "must not be NaN or Inf")),
                Invalid::Null => {
                    self.out.extend_from_slice(b"null");
                    return Ok(());
                }
                Invalid::Printed if number.is_nan() => {
                    self.out.extend_from_slice(b"nan");
                    return Ok(());
                }
                Invalid::Printed => {}
            }
        }
        let text = format_significant(number, self.settings.digits);
        self.out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn text(&mut self, text: &[u8]) {
        self.out.reserve(text.len() + 2);
        self.out.push(b'"');
        for &byte in text {
            let escaped = match byte {
                b'"' | b'\\' | b'/' => byte,
                0x08 => b'b',
                b'\t' => b't',
                b'\n' => b'n',
                0x0C => b'f',
                b'\r' => b'r',
                0..0x20 | 0x7F => {
                    let code = format!("\\u{byte:04x}");
                    self.out.extend_from_slice(code.as_bytes());
                    continue;
                }
                _ => {
                    self.out.push(byte);
                    continue;
                }
            };
            self.out.extend_from_slice(&[b'\\', escaped]);
        }
        self.out.push(b'"');
    }

    fn table(&mut self, table: &Table, depth: usize) -> mlua::Result<()> {
        if depth > self.settings.encode_depth_max.min(DEPTH_MAX) {
            let problem = format!("Cannot serialise, excessive nesting ({depth})");
            return Err(raise::text(self.lua, problem));
        }
        match self.array_length(table)? {
            Some(length) if length > 0 => self.array(table, length, depth),
            _ => self.object(table, depth),
        }
    }

    /// The greatest key, if all keys are positive integers. `None` if the table is an object.
    fn array_length(&self, table: &Table) -> mlua::Result<Option<i64>> {
        // The library keeps the greatest key in 32 bits; a key that does not fit becomes the least number.
        let mut greatest = 0_i32;
        let mut items = 0_usize;
        for pair in table.pairs::<Value, Value>() {
            let key = match pair?.0 {
                #[expect(clippy::cast_precision_loss, reason = "it was a double")]
                Value::Integer(key) => key as f64,
                Value::Number(key) => key,
                _ => return Ok(None),
            };
            if key < 1.0 || key.floor() != key {
                return Ok(None);
            }
            if key > f64::from(greatest) {
                greatest = i32::try_from(truncated(key)).unwrap_or(i32::MIN);
            }
            items += 1;
        }
        let length = usize::try_from(greatest).unwrap_or(0);
        let Settings {
            sparse_ratio,
            sparse_safe,
            sparse_convert,
            ..
        } = self.settings;
        let is_sparse =
            sparse_ratio > 0 && length > items.saturating_mul(sparse_ratio) && length > sparse_safe;
        if is_sparse && !sparse_convert {
            return Err(self.refuse("table", "excessively sparse array"));
        }
        Ok((!is_sparse).then_some(i64::from(greatest)))
    }

    fn array(&mut self, table: &Table, length: i64, depth: usize) -> mlua::Result<()> {
        self.out.push(b'[');
        for index in 1..=length {
            if index > 1 {
                self.out.push(b',');
            }
            let value: Value = table.raw_get(index)?;
            self.value(&value, depth)?;
        }
        self.out.push(b']');
        Ok(())
    }

    fn object(&mut self, table: &Table, depth: usize) -> mlua::Result<()> {
        self.out.push(b'{');
        let mut is_first = true;
        for pair in table.pairs::<Value, Value>() {
            let (key, value) = pair?;
            if !is_first {
                self.out.push(b',');
            }
            is_first = false;
            match key {
                Value::String(text) => self.text(&text.as_bytes()),
                #[expect(clippy::cast_precision_loss, reason = "it was a double")]
                Value::Integer(number) => self.number_key(number as f64)?,
                Value::Number(number) => self.number_key(number)?,
                other => {
                    let why = "table key must be a number or string";
                    return Err(self.refuse(type_name(&other), why));
                }
            }
            self.out.push(b':');
            self.value(&value, depth)?;
        }
        self.out.push(b'}');
        Ok(())
    }

    fn number_key(&mut self, number: f64) -> mlua::Result<()> {
        self.out.push(b'"');
        self.number(number)?;
        self.out.push(b'"');
        Ok(())
    }
}
