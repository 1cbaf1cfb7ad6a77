//! Words on a line, as a person types them: inline requests, and the first line of a script.
//!
//! In double quotes `\n`, `\r`, `\t`, `\b`, `\a` and `\xhh` are escapes, and `\` before any other character gives that
//! character; in single quotes only `\'` is an escape. A closing quote must end its word.

use bytes::Bytes;

/// The words of a line, or `None` if its quotes do not balance.
#[must_use]
pub fn split_words(line: &[u8]) -> Option<Vec<Bytes>> {
    let mut rest = line;
    let mut words = Vec::new();
    loop {
        let spaces = rest.iter().take_while(|&&byte| is_space(byte)).count();
        rest = &rest[spaces..];
        if rest.is_empty() {
            return Some(words);
        }
        let (word, behind) = take_word(rest)?;
        words.push(word.into());
        rest = behind;
    }
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Takes the first word, and returns it with the rest of the line.
fn take_word(mut rest: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut word = Vec::new();
    loop {
        match rest {
            [] | [b' ' | b'\n' | b'\r' | b'\t', ..] => return Some((word, rest)),
            [b'"', quoted @ ..] => {
                let behind = take_double_quoted(quoted, &mut word)?;
                return Some((word, behind));
            }
            [b'\'', quoted @ ..] => {
                let behind = take_single_quoted(quoted, &mut word)?;
                return Some((word, behind));
            }
            [byte, behind @ ..] => {
                word.push(*byte);
                rest = behind;
            }
        }
    }
}

/// Adds the rest of a double-quoted word, and returns what follows the quote.
fn take_double_quoted<'a>(mut rest: &'a [u8], word: &mut Vec<u8>) -> Option<&'a [u8]> {
    loop {
        rest = match rest {
            [b'\\', b'x', high, low, behind @ ..]
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let value = digit(*high)? * 16 + digit(*low)?;
                word.push(u8::try_from(value).ok()?);
                behind
            }
            [b'\\', escaped, behind @ ..] => {
                word.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 0x08,
                    b'a' => 0x07,
                    other => *other,
                });
                behind
            }
            [b'"', behind @ ..] => return ends_word(behind),
            [byte, behind @ ..] => {
                word.push(*byte);
                behind
            }
            [] => return None,
        };
    }
}

/// Adds the rest of a single-quoted word, and returns what follows the quote.
fn take_single_quoted<'a>(mut rest: &'a [u8], word: &mut Vec<u8>) -> Option<&'a [u8]> {
    loop {
        rest = match rest {
            [b'\\', b'\'', behind @ ..] => {
                word.push(b'\'');
                behind
            }
            [b'\'', behind @ ..] => return ends_word(behind),
            [byte, behind @ ..] => {
                word.push(*byte);
                behind
            }
            [] => return None,
        };
    }
}

/// Checks that a closing quote is followed by white space or by nothing.
fn ends_word(behind: &[u8]) -> Option<&[u8]> {
    behind
        .first()
        .is_none_or(|&byte| is_space(byte))
        .then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_redis_splits_them() {
        let words = |line: &str| {
            let words = split_words(line.as_bytes())?;
            Some(
                words
                    .iter()
                    .map(|w| w.escape_ascii().to_string())
                    .collect::<Vec<_>>(),
            )
        };
        let some = |words: &[&str]| Some(words.iter().map(|&w| w.to_owned()).collect());
        assert_eq!(words("  set a\t b "), some(&["set", "a", "b"]));
        assert_eq!(words(""), some(&[]));
        assert_eq!(words(r#""a b" 'c d' "" "#), some(&["a b", "c d", ""]));
        assert_eq!(words(r#""\x00\xfF\n\q""#), some(&[r"\x00\xff\nq"]));
        assert_eq!(words(r#"'it\'s \n'"#), some(&[r"it\'s \\n"]));
        assert_eq!(words(r#"a"b c""#), some(&["ab c"]));
        for unbalanced in [r#""a"#, "'a", r#""a"b"#, r"'a'b", r#""a\"#, r#""\x4"#] {
            assert_eq!(words(unbalanced), None, "{unbalanced}");
        }
    }
}
