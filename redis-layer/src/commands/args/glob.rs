//! Patterns as `KEYS`, `CONFIG GET` and others take them: `*`, `?`, `[a-z]`, `[^a]` and `\` before any character.
//!
//! Only the last `*` is remembered to go back to. So the algorithm needs no recursion and takes at most pattern x
//! text steps, whatever a client sends.

/// If more stars than this are followed by something, nothing matches: Redis calls itself for each, and gives up
/// there.
const STARS_MAX: usize = 1000;

/// Whether the case of letters matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// Letters match only in the same case.
    Exact,
    /// ASCII letters match in any case.
    Any,
}

impl Case {
    const fn fold(self, byte: u8) -> u8 {
        match self {
            Self::Exact => byte,
            Self::Any => byte.to_ascii_lowercase(),
        }
    }
}

/// Whether `text` matches `pattern`. An empty text matches only an empty pattern, not even `*`; callers for which `*`
/// means everything check for that first.
#[must_use]
pub(crate) fn matches(pattern: &[u8], text: &[u8], case: Case) -> bool {
    if text.is_empty() {
        return pattern.is_empty();
    }
    let (mut p, mut t) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    let mut stars = 0;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            p += pattern[p..]
                .iter()
                .take_while(|&&byte| byte == b'*')
                .count();
            if p == pattern.len() {
                return true;
            }
            stars += 1;
            if stars > STARS_MAX {
                return false;
            }
            last_star = Some((p, t));
            continue;
        }
        if let Some(length) = match_one(&pattern[p..], text[t], case) {
            p += length;
            t += 1;
        } else if let Some((behind_star, taken)) = last_star {
            // Let the star match one more byte.
            last_star = Some((behind_star, taken + 1));
            p = behind_star;
            t = taken + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

/// The length of the pattern's first element, if that element matches `byte`.
fn match_one(pattern: &[u8], byte: u8, case: Case) -> Option<usize> {
    let same = |a: u8| case.fold(a) == case.fold(byte);
    match *pattern {
        [] => None,
        [b'?', ..] => Some(1),
        [b'[', ref class @ ..] => {
            let (matched, length) = match_class(class, byte, case);
            matched.then_some(1 + length)
        }
        [b'\\', escaped, ..] => same(escaped).then_some(2),
        [plain, ..] => same(plain).then_some(1),
    }
}

/// Whether a class matches, and how long it is, including its `]`. Without a `]` it extends to the end.
fn match_class(class: &[u8], byte: u8, case: Case) -> (bool, usize) {
    let byte = case.fold(byte);
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
                found |= case.fold(*escaped) == byte;
                at += 2;
            }
            [from, b'-', to, ..] => {
                let (from, to) = (case.fold(*from), case.fold(*to));
                found |= (from.min(to)..=from.max(to)).contains(&byte);
                at += 3;
            }
            [plain, ..] => {
                found |= case.fold(*plain) == byte;
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
            ("*", "", false),
            ("a**", "a", true),
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
                matches(pattern.as_bytes(), text.as_bytes(), Case::Any),
                expected,
                "{pattern} {text}"
            );
        }
        assert!(!matches(b"Save", b"save", Case::Exact));
        assert!(!matches(b"[A-Z]ave", b"save", Case::Exact));
        assert!(matches(b"[a-z]ave", b"save", Case::Exact));
    }

    #[test]
    fn beyond_a_thousand_stars_nothing_matches() {
        let text = [b'a'; 3000];
        for (pattern, stars, end, expected) in [
            ("*a", 1000, "", true),
            ("*a", 1000, "**", true),
            ("*a", 1001, "", false),
            ("***a", 1000, "", true),
            ("a*", 1001, "", true),
            ("a*", 1002, "", false),
            ("*?", 1001, "*", false),
        ] {
            let whole = pattern.repeat(stars) + end;
            assert_eq!(
                matches(whole.as_bytes(), &text, Case::Exact),
                expected,
                "{pattern} {stars} {end}"
            );
        }
    }

    #[test]
    fn a_hostile_pattern_takes_no_exponential_time() {
        let pattern = b"*a".repeat(50);
        assert!(!matches(&pattern, &b"a".repeat(49), Case::Any));
        assert!(!matches(
            &[pattern, b"b".to_vec()].concat(),
            &b"a".repeat(5000),
            Case::Any
        ));
    }
}
