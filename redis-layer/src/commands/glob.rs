//! Patterns as `CONFIG GET` and others take them: `*`, `?`, `[a-z]`, `[^a]` and `\` before any.
//!
//! The algorithm remembers the last `*` only and goes back to it, so it needs no recursion and at
//! most pattern x text steps, whatever a client sends.

/// Whether `text` matches `pattern`, ASCII letters in any case.
#[must_use]
pub(crate) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            last_star = Some((p + 1, t));
            p += 1;
            continue;
        }
        if let Some(length) = match_one(&pattern[p..], text[t]) {
            p += length;
            t += 1;
        } else if let Some((behind_star, taken)) = last_star {
            // Let the star take one byte more.
            last_star = Some((behind_star, taken + 1));
            p = behind_star;
            t = taken + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

/// How many bytes of the pattern match `byte`, if its first element does.
fn match_one(pattern: &[u8], byte: u8) -> Option<usize> {
    let same = |a: u8| a.eq_ignore_ascii_case(&byte);
    match *pattern {
        [] => None,
        [b'?', ..] => Some(1),
        [b'[', ref class @ ..] => {
            let (matched, length) = match_class(class, byte);
            matched.then_some(1 + length)
        }
        [b'\\', escaped, ..] => same(escaped).then_some(2),
        [plain, ..] => same(plain).then_some(1),
    }
}

/// Whether a class matches, and how long it is, its `]` included. Without one it goes to the end.
fn match_class(class: &[u8], byte: u8) -> (bool, usize) {
    let byte = byte.to_ascii_lowercase();
    let negated = class.first() == Some(&b'^');
    let mut at = usize::from(negated);
    let mut found = false;
    loop {
        match class.get(at..).unwrap_or(&[]) {
            [] => break,
            [b']', ..] => {
                at += 1;
                break;
            }
            [b'\\', escaped, ..] => {
                found |= escaped.to_ascii_lowercase() == byte;
                at += 2;
            }
            [from, b'-', to, ..] => {
                let (from, to) = (from.to_ascii_lowercase(), to.to_ascii_lowercase());
                found |= (from.min(to)..=from.max(to)).contains(&byte);
                at += 3;
            }
            [plain, ..] => {
                found |= plain.to_ascii_lowercase() == byte;
                at += 1;
            }
        }
    }
    (found != negated, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_redis() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("save", "SAVE", true),
            ("max*", "maxmemory", true),
            ("*max*p*", "maxmemory-policy", true),
            ("*x", "maxmemory", false),
            ("?a?e", "save", true),
            ("[rs]ave", "save", true),
            ("[^s]ave", "save", false),
            ("[a-t]ave", "save", true),
            ("[a-", "a", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("", "", true),
            ("", "x", false),
            ("a[", "a", false),
        ] {
            assert_eq!(
                matches(pattern.as_bytes(), text.as_bytes()),
                expected,
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn a_hostile_pattern_takes_no_exponential_time() {
        let pattern = b"*a".repeat(50);
        assert!(!matches(&pattern, &b"a".repeat(49)));
        assert!(!matches(
            &[pattern, b"b".to_vec()].concat(),
            &b"a".repeat(5000)
        ));
    }
}
