//! The first line of a script, if it begins with `#!`: which engine, and what the script needs.

use bytes::Bytes;

/// What a script says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Flags {
    /// It changes nothing.
    pub(super) no_writes: bool,
}

/// The flags that Redis 7.0 knows. Here only the first one changes anything: there is no limit of
/// memory to exceed, no replica and no cluster.
const KNOWN: [&[u8]; 5] = [
    b"no-writes",
    b"allow-oom",
    b"allow-stale",
    b"no-cluster",
    b"allow-cross-slot-keys",
];

/// Reads the first line. Answers the flags and what Lua has to compile: the rest with the line
/// break before it, so that lines keep their numbers.
///
/// # Errors
/// What Redis says about a wrong first line.
pub(super) fn parse(source: &Bytes) -> Result<(Flags, Bytes), Vec<u8>> {
    if !source.starts_with(b"#!") {
        return Ok((Flags::default(), source.clone()));
    }
    let Some(end) = source.iter().position(|&byte| byte == b'\n') else {
        return Err(b"ERR Invalid script shebang".to_vec());
    };
    let words = source[..end].split(u8::is_ascii_whitespace);
    let mut words = words.filter(|word| !word.is_empty());
    let engine = words.next().unwrap_or_default();
    if engine != b"#!lua" {
        return Err([b"ERR Unexpected engine in script shebang: ", engine].concat());
    }
    let mut flags = Flags::default();
    for option in words {
        let Some(names) = option.strip_prefix(b"flags=") else {
            return Err([b"ERR Unknown lua shebang option: ", option].concat());
        };
        for name in names.split(|&byte| byte == b',') {
            if !name.is_empty() && !KNOWN.contains(&name) {
                return Err([b"ERR Unexpected flag in script shebang: ", name].concat());
            }
            flags.no_writes |= name == KNOWN[0];
        }
    }
    Ok((flags, source.slice(end..)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_numbers_and_unknown_words_are_refused() {
        let source = Bytes::from_static(b"#!lua flags=no-writes,allow-oom\nreturn 1");
        let (flags, body) = parse(&source).unwrap();
        assert!(flags.no_writes);
        assert_eq!(body, "\nreturn 1");
        for (source, error) in [
            (&b"#!lua"[..], &b"ERR Invalid script shebang"[..]),
            (b"#!lua x\n", b"ERR Unknown lua shebang option: x"),
            (b"#!\n", b"ERR Unexpected engine in script shebang: #!"),
            (
                b"#!lua flags=no-writes,x\n",
                b"ERR Unexpected flag in script shebang: x",
            ),
        ] {
            assert_eq!(parse(&Bytes::from_static(source)).unwrap_err(), error);
        }
    }
}
