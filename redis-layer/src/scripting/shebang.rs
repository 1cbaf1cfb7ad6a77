//! The first line of a script that begins with `#!`: it names the engine and says what the script needs.
//!
//! The line is C text and consists of words, which may be in quotes.

use bytes::Bytes;

use crate::types::number::c_text;
use crate::types::words::split_words;

/// What a script says about whether it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// Nothing, because it has no such line.
    Unsaid,
    /// That it may write.
    Perhaps,
    /// That it does not write.
    Never,
}

impl Writes {
    /// What the first line of a script says, which need not be known or compile. Nothing is said by a wrong line.
    #[must_use]
    pub fn said_by(source: &Bytes) -> Option<Self> {
        parse(source).ok().map(|(writes, _)| writes)
    }
}

/// The flags that Redis 7.0 knows. Here only the first one has an effect: there is no memory limit to exceed, no
/// replica and no cluster.
const KNOWN: [&[u8]; 5] = [
    b"no-writes",
    b"allow-oom",
    b"allow-stale",
    b"no-cluster",
    b"allow-cross-slot-keys",
];

/// Reads the first line. Returns what it says, and the text for Lua to compile: the rest, beginning with the line
/// break, so that lines keep their numbers.
///
/// # Errors
/// Redis's error for a wrong first line.
pub(super) fn parse(source: &Bytes) -> Result<(Writes, Bytes), Vec<u8>> {
    if !source.starts_with(b"#!") {
        return Ok((Writes::Unsaid, source.clone()));
    }
    let Some(end) = c_text(source).iter().position(|&byte| byte == b'\n') else {
        return Err(b"ERR Invalid script shebang".to_vec());
    };
    let words = split_words(&source[..end]);
    let words = words.ok_or(&b"ERR Invalid engine in script shebang"[..])?;
    // A quoted word may contain a zero byte.
    let mut words = words.iter().map(|word| c_text(word));
    let engine = words.next().unwrap_or_default();
    if engine != b"#!lua" {
        return Err([b"ERR Unexpected engine in script shebang: ", engine].concat());
    }
    let mut writes = Writes::Perhaps;
    for option in words {
        let Some(flags) = option.strip_prefix(b"flags=") else {
            return Err([b"ERR Unknown lua shebang option: ", option].concat());
        };
        if has_no_writes(flags)? {
            writes = Writes::Never;
        }
    }
    Ok((writes, source.slice(end..)))
}

/// Whether `no-writes` is among these flags, which are separated by commas. There may be none at all, but no empty
/// one.
fn has_no_writes(flags: &[u8]) -> Result<bool, Vec<u8>> {
    if flags.is_empty() {
        return Ok(false);
    }
    let mut flags = flags.split(|&byte| byte == b',');
    if let Some(unknown) = flags.clone().find(|flag| !KNOWN.contains(flag)) {
        return Err([b"ERR Unexpected flag in script shebang: ", unknown].concat());
    }
    Ok(flags.any(|flag| flag == KNOWN[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_numbers_and_unknown_words_are_refused() {
        let source = Bytes::from_static(b"#!lua flags=allow-oom,no-writes\nreturn 1");
        let (writes, body) = parse(&source).unwrap();
        assert_eq!(writes, Writes::Never);
        assert_eq!(body, "\nreturn 1");
        for (source, error) in [
            (&b"#!lua"[..], &b"ERR Invalid script shebang"[..]),
            (b"#!lua x\n", b"ERR Unknown lua shebang option: x"),
            (b"#!\n", b"ERR Unexpected engine in script shebang: #!"),
            (b"#!'lua\n", b"ERR Invalid engine in script shebang"),
            (
                b"#!lua flags=no-writes,x\n",
                b"ERR Unexpected flag in script shebang: x",
            ),
            (
                b"#!lua flags=no-writes,\n",
                b"ERR Unexpected flag in script shebang: ",
            ),
        ] {
            assert_eq!(parse(&Bytes::from_static(source)).unwrap_err(), error);
        }
    }

    #[test]
    fn a_script_says_what_it_writes_or_says_nothing() {
        for (source, says) in [
            (&b"return 1"[..], Writes::Unsaid),
            (b"#!lua\n", Writes::Perhaps),
            (b"#!lua flags=\n", Writes::Perhaps),
            (b"#!lua flags=allow-oom flags=no-writes\n", Writes::Never),
            (b"#!\"lua\" 'flags=no-writes'\n", Writes::Never),
        ] {
            let (writes, _) = parse(&Bytes::from_static(source)).unwrap();
            assert_eq!(writes, says, "{}", source.escape_ascii());
        }
    }
}
