//! Random scripts over the conversions and the libraries.

use crate::common::random::Random;

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "1.5",
    "-1.5",
    "0.1",
    "2^31",
    "-2^31",
    "2^31-1",
    "2^32",
    "2^53",
    "2^53+1",
    "2^63",
    "-2^63",
    "2^64",
    "1e15",
    "1e16",
    "1e17",
    "1e300",
    "1e-300",
    "1/3",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "65536",
    "-32",
    "-33",
    "-128",
    "-129",
    "-32768",
    "-32769",
    "3",
    "7",
    "-0",
    "123456789012345678",
    "1e100",
    "5e-324",
];
const TEXTS: &[&str] = &[
    "''",
    "'a'",
    "'a b'",
    "'\\0'",
    "'\\255\\254'",
    "'\\127/\\\\\\34'",
    "'12'",
    "'0x10'",
    "' 7 '",
    "'1e2'",
    "('x'):rep(31)",
    "('x'):rep(32)",
    "('x'):rep(255)",
    "('x'):rep(256)",
    "'\\r\\n\\t\\8\\12'",
    "'\\1\\31'",
    "'\u{e9}\u{1f600}'",
];
const JSON: &[&str] = &[
    "",
    " ",
    "[",
    "]",
    "{",
    "}",
    "{1",
    "{\"a\"",
    "{\"a\":",
    "{\"a\":1",
    "{\"a\":1,",
    "{\"a\" 1",
    "[1",
    "[1,",
    "[1 2",
    "1 2",
    "nul",
    "null",
    "true",
    "tru",
    "false",
    "\"abc",
    "\"a\\\\q\"",
    "\"\\\\u12\"",
    "\"\\\\u00e9\"",
    "0x10",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "Infinity",
    "+1",
    "-",
    "1.",
    ".5",
    "1e5",
    "1e999",
    "-0",
    "01",
    "1x",
    ",",
    ":",
    "[1]x",
    "\"\\\\/\"",
    "[1,]",
    "{\"a\":1,}",
    "1e",
    "--1",
    "infinit",
    "[nan]",
    "[[],{}]",
    "{\"a\":{\"b\":[1,2,{}]}}",
    "nanx",
    "-nan",
    "-x",
    "+",
    "[null,1]",
    "{\"a\":null}",
    "\t1\n",
    "nan(1)",
    "[1,2,3,4]",
    "0.1",
    "1E+2",
    "123456789012345678901234567890",
];
const FORMATS: &[&str] = &[
    "b", "B", "h", "H", "l", "L", "T", "i", "I", "i3", "I3", "i5", "i8", "I16", "i32", "f", "d",
    "s", "c0", "c1", "c3", "c", "x", "<", ">", "!", "!4", "!2", " ", "!8", "i1", "z",
];

pub(crate) struct Generator {
    random: Random,
}

impl Generator {
    pub(crate) fn new(random: Random) -> Self {
        Self { random }
    }

    fn pick(&mut self, items: &[&str]) -> String {
        self.random.pick(items).to_owned()
    }

    /// A script that cannot fail to be the same twice.
    pub(crate) fn script(&mut self) -> Vec<u8> {
        let script = match self.random.below(12) {
            0 => format!("return {}", self.value(3)),
            1 => format!("redis.setresp(3) return {}", self.value(3)),
            2 => format!("return cjson.encode({})", self.value(3)),
            3 => format!("return cjson.decode(cjson.encode({}))", self.value(2)),
            4 => {
                let json = self.pick(JSON);
                format!(
                    "local r = cjson.decode('{json}') return {{type(r), type(r) == 'userdata' or type(r) == 'table' and cjson.encode(r) or tostring(r)}}"
                )
            }
            5 => format!("return cmsgpack.pack({})", self.value(3)),
            6 => format!(
                "return {{cmsgpack.unpack(cmsgpack.pack({}))}}",
                self.value(2)
            ),
            7 => {
                let bytes = self.bytes();
                format!(
                    "local r = {{pcall(cmsgpack.unpack, '{bytes}')}} for i = 1, 9 do r[i] = type(r[i]) == 'number' and string.format('%.17g', r[i]) or r[i] end return r"
                )
            }
            8 => self.bit(),
            9 => self.pack(),
            10 => self.unpack(),
            _ => {
                let value = self.scalar();
                format!("redis.call('set', 'k', {value}) return redis.call('get', 'k')")
            }
        };
        script.into_bytes()
    }

    fn scalar(&mut self) -> String {
        match self.random.below(8) {
            0..=3 => self.pick(NUMBERS),
            4..=6 => self.pick(TEXTS),
            _ => self.pick(&["true", "false", "nil", "cjson.null"]),
        }
    }

    /// No table has two keys that are not in order, because the order of others is Lua's secret
    /// only as long as nobody asks: both servers run the same Lua, and show it.
    fn value(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.once_in(2) {
            return self.scalar();
        }
        let mut items = Vec::new();
        for _ in 0..self.random.below(4) {
            let value = self.value(depth - 1);
            items.push(match self.random.below(8) {
                0 => format!("[{}]={value}", self.random.below(14)),
                1 => format!("a={value}"),
                2 => format!(
                    "[{}]={value}",
                    self.pick(&["1.5", "-1", "'1'", "true", "2^53", "0"])
                ),
                3 => {
                    let name = self.pick(&["ok", "err", "double", "map", "set", "big_number"]);
                    format!("{name}={value}")
                }
                _ => value,
            });
        }
        format!("{{{}}}", items.join(","))
    }

    /// Bytes as a text of Lua.
    fn bytes(&mut self) -> String {
        let count = self.random.below(12);
        (0..count)
            .map(|_| {
                let byte = match self.random.below(3) {
                    0 => self.random.below(256),
                    1 => 0x80 + self.random.below(0x30),
                    _ => 0xC0 + self.random.below(0x40),
                };
                format!("\\{byte:03}")
            })
            .collect()
    }

    fn bit(&mut self) -> String {
        let name = self.pick(&[
            "tobit", "bnot", "bswap", "band", "bor", "bxor", "lshift", "rshift", "arshift", "rol",
            "ror", "tohex",
        ]);
        let arguments: Vec<String> = (0..1 + self.random.below(3))
            .map(|_| match self.random.below(3) {
                0 => self.scalar(),
                1 => self.random.below(40).to_string(),
                _ => self.pick(NUMBERS),
            })
            .collect();
        format!("return bit.{name}({})", arguments.join(","))
    }

    fn format(&mut self) -> String {
        let count = 1 + self.random.below(5);
        (0..count).map(|_| self.pick(FORMATS)).collect()
    }

    fn pack(&mut self) -> String {
        let format = self.format();
        let arguments: Vec<String> = (0..5).map(|_| self.scalar()).collect();
        format!("return struct.pack('{format}',{})", arguments.join(","))
    }

    fn unpack(&mut self) -> String {
        let format = self.format();
        let bytes = self.bytes();
        let start = self.pick(&["", ",1", ",2", ",5", ",100", ",-1"]);
        format!(
            "local r = {{pcall(struct.unpack, '{format}', '{bytes}\\0'{start})}} for i = 1, #r do r[i] = type(r[i]) == 'number' and string.format('%.17g', r[i]) or r[i] end return r"
        )
    }
}
