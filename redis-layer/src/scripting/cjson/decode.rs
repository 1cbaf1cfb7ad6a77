//! Reads JSON into Lua values.
//!
//! The reader takes a little more than JSON: numbers as C reads them (hexadecimal, `nan`, `inf`,
//! a plus sign, leading zeros), and control characters inside texts. A zero byte ends the input.

use mlua::{Lua, Table, Value};

use super::Settings;
use crate::scripting::raise::{self, Call};
use crate::types::number::number_prefix;

/// A limit of our own, whatever depth the script allows, because Rust's stack is limited.
const DEPTH_MAX: usize = 1000;

/// `cjson.decode(text)`
pub(super) fn decode(call: &Call<'_>, settings: Settings) -> mlua::Result<Value> {
    if call.len() != 1 {
        return Err(raise::argument(call.lua, 1, "expected 1 argument"));
    }
    let text = call.string(1)?;
    let text = text.as_bytes();
    if text.len() >= 2 && (text[0] == 0 || text[1] == 0) {
        let problem = "JSON parser does not support UTF-16 or UTF-32";
        return Err(raise::text(call.lua, problem));
    }
    let mut decoder = Decoder {
        lua: call.lua,
        settings,
        text: &text,
        at: 0,
    };
    let first = decoder.next();
    let value = decoder.value(first, 0)?;
    let last = decoder.next();
    match last.kind {
        Kind::End => Ok(value),
        _ => Err(decoder.expected("the end", &last)),
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    ObjectBegin,
    ObjectEnd,
    ArrayBegin,
    ArrayEnd,
    Colon,
    Comma,
    Text(Vec<u8>),
    Number(f64),
    Boolean(bool),
    Null,
    End,
    Broken(&'static str),
}

/// A piece of the text, and its position.
#[derive(Debug, Clone, PartialEq)]
struct Token {
    kind: Kind,
    at: usize,
}

struct Decoder<'a> {
    lua: &'a Lua,
    settings: Settings,
    text: &'a [u8],
    at: usize,
}

impl Decoder<'_> {
    fn expected(&self, what: &str, found: &Token) -> mlua::Error {
        let name = match found.kind {
            Kind::ObjectBegin => "T_OBJ_BEGIN",
            Kind::ObjectEnd => "T_OBJ_END",
            Kind::ArrayBegin => "T_ARR_BEGIN",
            Kind::ArrayEnd => "T_ARR_END",
            Kind::Colon => "T_COLON",
            Kind::Comma => "T_COMMA",
            Kind::Text(_) => "T_STRING",
            Kind::Number(_) => "T_NUMBER",
            Kind::Boolean(_) => "T_BOOLEAN",
            Kind::Null => "T_NULL",
            Kind::End => "T_END",
            Kind::Broken(what) => what,
        };
        let at = found.at + 1;
        let problem = format!("Expected {what} but found {name} at character {at}");
        raise::text(self.lua, problem)
    }

    fn next(&mut self) -> Token {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.get(self.at) {
            self.at += 1;
        }
        let at = self.at;
        let kind = match self.text.get(at) {
            None | Some(0) => Kind::End,
            Some(b'{') => self.taken(1, Kind::ObjectBegin),
            Some(b'}') => self.taken(1, Kind::ObjectEnd),
            Some(b'[') => self.taken(1, Kind::ArrayBegin),
            Some(b']') => self.taken(1, Kind::ArrayEnd),
            Some(b':') => self.taken(1, Kind::Colon),
            Some(b',') => self.taken(1, Kind::Comma),
            Some(b'"') => return self.quoted(),
            Some(b'-' | b'0'..=b'9') => {
                if !self.settings.decode_invalid && self.is_not_json_number() {
                    Kind::Broken("invalid number")
                } else {
                    self.number()
                }
            }
            Some(_) => self.word(),
        };
        Token { kind, at }
    }

    fn taken(&mut self, bytes: usize, kind: Kind) -> Kind {
        self.at += bytes;
        kind
    }

    fn word(&mut self) -> Kind {
        let rest = &self.text[self.at..];
        for (word, kind) in [
            (&b"true"[..], Kind::Boolean(true)),
            (b"false", Kind::Boolean(false)),
            (b"null", Kind::Null),
        ] {
            if rest.starts_with(word) {
                return self.taken(word.len(), kind);
            }
        }
        if self.settings.decode_invalid && self.is_not_json_number() {
            return self.number();
        }
        Kind::Broken("invalid token")
    }

    /// Whether there is a number here that C can read but JSON does not allow.
    fn is_not_json_number(&self) -> bool {
        let rest = &self.text[self.at..];
        let rest = match rest.first() {
            Some(b'+') => return true,
            Some(b'-') => &rest[1..],
            _ => rest,
        };
        match rest {
            [b'0', b'x' | b'X' | b'0'..=b'9', ..] => true,
            [b'0'..=b'9', ..] => false,
            _ => {
                let starts = |word: &str| {
                    rest.get(..3)
                        .is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
                };
                starts("inf") || starts("nan")
            }
        }
    }

    fn number(&mut self) -> Kind {
        match number_prefix(&self.text[self.at..]) {
            (_, 0) => Kind::Broken("invalid number"),
            (number, length) => self.taken(length, Kind::Number(number)),
        }
    }

    /// Reads a text in quotes. Errors inside it are reported at the position where reading stopped.
    fn quoted(&mut self) -> Token {
        let start = self.at;
        self.at += 1;
        let mut text = Vec::new();
        let broken = |at, what| Token {
            kind: Kind::Broken(what),
            at,
        };
        loop {
            match self.text.get(self.at) {
                None | Some(0) => return broken(self.at, "unexpected end of string"),
                Some(b'"') => break,
                Some(b'\\') => {
                    if let Err(what) = self.escape(&mut text) {
                        return broken(self.at, what);
                    }
                }
                Some(&byte) => {
                    text.push(byte);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        Token {
            kind: Kind::Text(text),
            at: start,
        }
    }

    /// Reads what a backslash begins, and adds the character that it stands for. An error leaves the position there.
    fn escape(&mut self, text: &mut Vec<u8>) -> Result<(), &'static str> {
        let byte = match self.text.get(self.at + 1) {
            Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
            Some(b'b') => 0x08,
            Some(b'f') => 0x0C,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                let found = unicode(&self.text[self.at..]);
                let (character, taken) = found.ok_or("invalid unicode escape code")?;
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                self.at += taken;
                return Ok(());
            }
            _ => return Err("invalid escape code"),
        };
        text.push(byte);
        self.at += 2;
        Ok(())
    }

    fn value(&mut self, token: Token, depth: usize) -> mlua::Result<Value> {
        Ok(match token.kind {
            Kind::Text(text) => Value::String(self.lua.create_string(text)?),
            Kind::Number(number) => Value::Number(number),
            Kind::Boolean(boolean) => Value::Boolean(boolean),
            Kind::Null => Value::NULL,
            Kind::ObjectBegin => Value::Table(self.object(depth + 1)?),
            Kind::ArrayBegin => Value::Table(self.array(depth + 1)?),
            _ => return Err(self.expected("value", &token)),
        })
    }

    fn descend(&self, depth: usize) -> mlua::Result<()> {
        if depth > self.settings.decode_depth_max.min(DEPTH_MAX) {
            let at = self.at;
            let problem =
                format!("Found too many nested data structures ({depth}) at character {at}");
            return Err(raise::text(self.lua, problem));
        }
        Ok(())
    }

    fn object(&mut self, depth: usize) -> mlua::Result<Table> {
        self.descend(depth)?;
        let table = self.lua.create_table()?;
        let mut token = self.next();
        if token.kind == Kind::ObjectEnd {
            return Ok(table);
        }
        loop {
            let Kind::Text(key) = token.kind else {
                return Err(self.expected("object key string", &token));
            };
            let key = self.lua.create_string(key)?;
            token = self.next();
            if token.kind != Kind::Colon {
                return Err(self.expected("colon", &token));
            }
            token = self.next();
            let value = self.value(token, depth)?;
            table.raw_set(key, value)?;
            token = self.next();
            match token.kind {
                Kind::ObjectEnd => return Ok(table),
                Kind::Comma => token = self.next(),
                _ => return Err(self.expected("comma or object end", &token)),
            }
        }
    }

    fn array(&mut self, depth: usize) -> mlua::Result<Table> {
        self.descend(depth)?;
        let table = self.lua.create_table()?;
        let mut token = self.next();
        if token.kind == Kind::ArrayEnd {
            return Ok(table);
        }
        let mut index = 1_i64;
        loop {
            let value = self.value(token, depth)?;
            table.raw_set(index, value)?;
            index += 1;
            token = self.next();
            match token.kind {
                Kind::ArrayEnd => return Ok(table),
                Kind::Comma => token = self.next(),
                _ => return Err(self.expected("comma or array end", &token)),
            }
        }
    }
}

/// The character of a `\uXXXX` at the start of a text, or of two that form one character in UTF-16, and how many
/// bytes that takes.
fn unicode(text: &[u8]) -> Option<(char, usize)> {
    let code = |from: usize| {
        let escape = text.get(from..from + 6)?;
        let digits = escape.strip_prefix(b"\\u")?;
        let mut digits = digits.iter().map(|&byte| char::from(byte).to_digit(16));
        digits.try_fold(0, |code, digit| Some(code << 4 | digit?))
    };
    let first = code(0)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, 6));
    }
    let is_high = (0xD800..0xDC00).contains(&first);
    let second = code(6).filter(|second| is_high && (0xDC00..0xE000).contains(second))?;
    let character = 0x10000 + ((first & 0x3FF) << 10 | (second & 0x3FF));
    Some((char::from_u32(character)?, 12))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_characters_beyond_16_bits_come_in_pairs() {
        assert_eq!(unicode(b"\\u00e9!"), Some(('\u{e9}', 6)));
        assert_eq!(unicode(b"\\ud83d\\ude00"), Some(('\u{1f600}', 12)));
        for broken in [
            &b"\\u12"[..],
            b"\\u12g4",
            b"\\ud83d",
            b"\\ud83dx",
            b"\\ud83d\\u0041",
            b"\\ude00\\ud83d",
        ] {
            assert_eq!(unicode(broken), None);
        }
    }
}
