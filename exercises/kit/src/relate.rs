//! Relations between right keys and given ones that hold on every probe.
//!
//! These name no misconception. They state what the given bytes are, in terms of the right ones:
//! a fixed order of bytes, a fixed set of inverted bits, a fixed sum, a cut or a prefix. A learner
//! whose mistake nobody has foreseen still reads what their code computes.

use crate::answer::hex;

/// With fewer pairs than this, a relation may hold by chance.
const PAIRS_MIN: usize = 12;

/// A sentence that completes "your key is ...", or nothing when no simple relation holds.
///
/// Each pair is (right, given).
pub(crate) fn relation(pairs: &[(&[u8], &[u8])]) -> Option<String> {
    if pairs.len() < PAIRS_MIN || pairs.iter().all(|(right, given)| right == given) {
        return None;
    }
    if let Some(extended) = extended(pairs) {
        return Some(extended);
    }
    let right_len = uniform(pairs.iter().map(|p| p.0.len()))?;
    let given_len = uniform(pairs.iter().map(|p| p.1.len()))?;
    if right_len == given_len {
        return constant(pairs)
            .or_else(|| shuffled(pairs, right_len))
            .or_else(|| stuck(pairs, right_len))
            .or_else(|| negated(pairs, right_len))
            .or_else(|| shifted(pairs, right_len));
    }
    cut(pairs, given_len)
}

fn uniform(mut lengths: impl Iterator<Item = usize>) -> Option<usize> {
    let first = lengths.next()?;
    lengths.all(|length| length == first).then_some(first)
}

fn constant(pairs: &[(&[u8], &[u8])]) -> Option<String> {
    let first = pairs[0].1;
    pairs
        .iter()
        .all(|(_, given)| *given == first)
        .then(|| format!("always the same: {}", hex(first)))
}

/// Where a given byte comes from, on every pair.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    /// From this right byte, with these bits inverted.
    Right(usize, u8),
    /// From nowhere: it is always this one.
    Always(u8),
}

/// Every given byte is one of the right bytes, with the same bits inverted each time, or constant.
fn shuffled(pairs: &[(&[u8], &[u8])], len: usize) -> Option<String> {
    let mut sources: Vec<Source> = Vec::with_capacity(len);
    for i in 0..len {
        let taken = |j: &usize| {
            let from = |s: &Source| matches!(s, Source::Right(k, _) if k == j);
            sources.iter().any(from)
        };
        // The byte's own place first, then what goes on backwards, then its mirror image: the plainest explanation wins.
        let backwards = match sources.last() {
            Some(Source::Right(last, _)) => last.checked_sub(1),
            _ => None,
        };
        let plain = [Some(i), backwards, Some(len - 1 - i)];
        let candidates = plain.into_iter().flatten().chain(0..len);
        let source = candidates
            .filter(|j| !taken(j))
            .find_map(|j| Some(Source::Right(j, constant_mask(pairs, i, j)?)));
        let first = pairs[0].1[i];
        let constant = || pairs.iter().all(|(_, g)| g[i] == first);
        sources.push(match source {
            Some(source) => source,
            None if constant() => Source::Always(first),
            None => return None,
        });
    }
    if is_riddle(&sources) {
        return None;
    }
    let said: Vec<String> = [order_of(&sources), inverted(&sources), constants(&sources)]
        .into_iter()
        .flatten()
        .collect();
    (!said.is_empty()).then(|| format!("the right one with {}", said.join(", and ")))
}

/// Bytes in no simple order, of which some have some bits inverted: that may hold of digits in a text, and nobody sees by it what
/// the code does.
fn is_riddle(sources: &[Source]) -> bool {
    let last = sources.len() - 1;
    let moved =
        |(i, s): (usize, &Source)| matches!(s, Source::Right(j, _) if *j != i && i + j != last);
    let partly = |s: &Source| matches!(s, Source::Right(_, bits) if *bits != 0 && *bits != 0xff);
    sources.iter().enumerate().any(moved) && sources.iter().any(partly)
}

fn order_of(sources: &[Source]) -> Option<String> {
    let place = |(i, s): (usize, &Source)| match s {
        Source::Right(j, _) => *j,
        Source::Always(_) => i,
    };
    let places: Vec<usize> = sources.iter().enumerate().map(place).collect();
    if places.iter().enumerate().all(|(i, &j)| i == j) {
        return None;
    }
    let last = places.len() - 1;
    if places.iter().enumerate().all(|(i, &j)| i + j == last) {
        return Some("its bytes in the reverse order".to_owned());
    }
    let places: Vec<String> = places.iter().map(ToString::to_string).collect();
    Some(format!("its bytes in the order {}", places.join(" ")))
}

fn inverted(sources: &[Source]) -> Option<String> {
    let mask: Vec<u8> = sources
        .iter()
        .map(|source| match source {
            Source::Right(_, bits) => *bits,
            Source::Always(_) => 0,
        })
        .collect();
    if mask.iter().all(|&bits| bits == 0) {
        None
    } else if mask.iter().all(|&bits| bits == 0xff) {
        Some("every bit inverted".to_owned())
    } else {
        Some(format!("these bits inverted: {}", hex(&mask)))
    }
}

fn constants(sources: &[Source]) -> Option<String> {
    let constant: Vec<String> = sources
        .iter()
        .enumerate()
        .filter_map(|(i, source)| match source {
            Source::Always(byte) => Some(format!("byte {i} always {byte:02x}")),
            Source::Right(..) => None,
        })
        .collect();
    (!constant.is_empty()).then(|| constant.join(", "))
}

fn constant_mask(pairs: &[(&[u8], &[u8])], given: usize, right: usize) -> Option<u8> {
    let mask = pairs[0].1[given] ^ pairs[0].0[right];
    pairs
        .iter()
        .all(|(r, g)| g[given] ^ r[right] == mask)
        .then_some(mask)
}

/// The given bytes are the right ones, but for some bits that are always 0, or always 1.
fn stuck(pairs: &[(&[u8], &[u8])], len: usize) -> Option<String> {
    mask_of(len)?;
    let numbers = || pairs.iter().map(|(r, g)| (number(r), number(g)));
    let changed = numbers().fold(0, |bits, (right, given)| bits | right ^ given);
    let says = |bit: u8| {
        let bytes = &changed.to_be_bytes()[16 - len..];
        format!("the right one with these bits always {bit}: {}", hex(bytes))
    };
    if numbers().all(|(_, given)| given & changed == 0) {
        Some(says(0))
    } else if numbers().all(|(_, given)| given & changed == changed) {
        Some(says(1))
    } else {
        None
    }
}

/// The given bytes, read as one big-endian number, are the right ones subtracted from zero.
fn negated(pairs: &[(&[u8], &[u8])], len: usize) -> Option<String> {
    let mask = mask_of(len)?;
    pairs
        .iter()
        .all(|(r, g)| number(g) == 0_u128.wrapping_sub(number(r)) & mask)
        .then(|| "the right one with its sign turned".to_owned())
}

fn number(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0, |n, &b| n << 8 | u128::from(b))
}

/// All bits of a number of so many bytes, if there is an integer for it.
fn mask_of(len: usize) -> Option<u128> {
    let bits = u32::try_from(len * 8).ok().filter(|bits| *bits <= 128)?;
    u128::MAX.checked_shr(128 - bits)
}

/// The given bytes, read as one big-endian number, exceed the right ones by a fixed amount.
fn shifted(pairs: &[(&[u8], &[u8])], len: usize) -> Option<String> {
    let mask = mask_of(len)?;
    let sum = number(pairs[0].1).wrapping_sub(number(pairs[0].0)) & mask;
    let holds = pairs
        .iter()
        .all(|(r, g)| number(g).wrapping_sub(number(r)) & mask == sum);
    holds.then(|| {
        let bytes = &sum.to_be_bytes()[16 - len..];
        format!(
            "the right one plus {} (as one {}-bit number, wrapping)",
            hex(bytes),
            len * 8
        )
    })
}

/// The given bytes are the right ones from or up to some place. Longer ones are never that.
fn cut(pairs: &[(&[u8], &[u8])], given_len: usize) -> Option<String> {
    let which = if pairs.iter().all(|(r, g)| r.ends_with(g)) {
        "last"
    } else if pairs.iter().all(|(r, g)| r.starts_with(g)) {
        "first"
    } else {
        return None;
    };
    Some(format!(
        "only the {which} {given_len} bytes of the right one"
    ))
}

/// The same bytes stand before every right key, or after it, however long it is.
fn extended(pairs: &[(&[u8], &[u8])]) -> Option<String> {
    let all = |holds: &dyn Fn(&[u8], &[u8]) -> bool| pairs.iter().all(|(r, g)| holds(r, g));
    let (right, given) = pairs[0];
    let more = given.len().checked_sub(right.len()).filter(|n| *n > 0)?;
    if !all(&|r, g| g.len() == r.len() + more) {
        return None;
    }
    let (front, back) = (&given[..more], &given[right.len()..]);
    if all(&|r, g| g.starts_with(front) && g.ends_with(r)) {
        return Some(format!("the right one with {} in front", hex(front)));
    }
    all(&|r, g| g.ends_with(back) && g.starts_with(r))
        .then(|| format!("the right one with {} after it", hex(back)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(wrong: impl Fn(u64) -> Vec<u8>) -> Option<String> {
        let numbers: Vec<u64> = (0..40)
            .map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        let right: Vec<[u8; 8]> = numbers.iter().map(|n| n.to_be_bytes()).collect();
        let given: Vec<Vec<u8>> = numbers.iter().map(|&n| wrong(n)).collect();
        let pairs: Vec<(&[u8], &[u8])> = right
            .iter()
            .zip(&given)
            .map(|(r, g)| (r.as_slice(), g.as_slice()))
            .collect();
        relation(&pairs)
    }

    #[test]
    fn names_what_holds_on_every_pair() {
        let is = |wrong: fn(u64) -> Vec<u8>, expected: &str| {
            let said = said(wrong).unwrap_or_default();
            assert!(said.contains(expected), "{said:?} lacks {expected:?}");
        };
        is(
            |n| n.to_le_bytes().to_vec(),
            "its bytes in the reverse order",
        );
        is(|n| (!n).to_be_bytes().to_vec(), "every bit inverted");
        is(
            |n| (n ^ (1 << 62)).to_be_bytes().to_vec(),
            "these bits inverted: 40 00 00 00 00 00 00 00",
        );
        is(
            |n| (n ^ 1).to_le_bytes().to_vec(),
            "reverse order, and these bits inverted: 01 00",
        );
        is(
            |n| n.rotate_left(16).to_be_bytes().to_vec(),
            "order 2 3 4 5 6 7 0 1",
        );
        is(
            |n| (n & 0xffff_0000_0000_ffff).to_be_bytes().to_vec(),
            "the right one with byte 2 always 00, byte 3 always 00",
        );
        is(
            |n| (n & !(0xf0 << 56)).to_be_bytes().to_vec(),
            "the right one with these bits always 0: f0 00 00 00 00 00 00 00",
        );
        is(
            |n| (n | 5).to_be_bytes().to_vec(),
            "the right one with these bits always 1: 00 00 00 00 00 00 00 05",
        );
        is(
            |n| n.wrapping_add(3).to_be_bytes().to_vec(),
            "plus 00 00 00 00 00 00 00 03",
        );
        is(
            |n| n.wrapping_neg().to_be_bytes().to_vec(),
            "its sign turned",
        );
        is(
            |n| (n & 0xffff_ffff_ffff).to_be_bytes().to_vec(),
            "the right one with byte 0 always 00, byte 1 always 00",
        );
        is(|n| n.to_be_bytes()[4..].to_vec(), "only the last 4 bytes");
        is(|n| n.to_be_bytes()[..4].to_vec(), "only the first 4 bytes");
        is(|n| [&[7][..], &n.to_be_bytes()].concat(), "07 in front");
        is(|n| [&n.to_be_bytes()[..], &[7]].concat(), "07 after it");
        is(|_| vec![0; 8], "always the same");
    }

    #[test]
    fn what_stands_before_or_after_keys_of_any_length_is_named() {
        let texts: Vec<Vec<u8>> = (0..20).map(|n| vec![b'x'; n]).collect();
        let said = |extended: fn(&[u8]) -> Vec<u8>| {
            let given: Vec<Vec<u8>> = texts.iter().map(|text| extended(text)).collect();
            let pairs = texts.iter().zip(&given);
            relation(&pairs.map(|(r, g)| (&r[..], &g[..])).collect::<Vec<_>>())
        };
        let is = |extended, expected: &str| assert_eq!(said(extended).as_deref(), Some(expected));
        is(
            |text| [&[0x12], text].concat(),
            "the right one with 12 in front",
        );
        is(
            |text| [text, &[0, 1]].concat(),
            "the right one with 00 01 after it",
        );
        assert_eq!(said(|text| [text, text].concat()), None);
        assert_eq!(said(|text| [&[text.len() as u8], text].concat()), None);
    }

    #[test]
    fn bytes_that_are_always_the_same_stay_in_line() {
        // A letter and a number that is never great: its first bytes are zeros, and could come from each other.
        let small = |n: u8| [b't', 0, 0, 1 + n / 7, n.wrapping_mul(37)];
        let pairs: Vec<([u8; 5], [u8; 5])> = (0..40)
            .map(|n| {
                let [letter, a, b, c, d] = small(n);
                ([letter, a, b, c, d], [letter, d, c, b, a])
            })
            .collect();
        let pairs: Vec<(&[u8], &[u8])> = pairs.iter().map(|(r, g)| (&r[..], &g[..])).collect();
        let said = relation(&pairs);
        assert_eq!(
            said.as_deref(),
            Some("the right one with its bytes in the order 0 4 3 2 1")
        );
    }

    #[test]
    fn says_nothing_that_only_a_riddle_would_say() {
        // Text in which digits have moved and others are always the same: true of the probes, and no help.
        let pairs: Vec<(String, String)> = (0..40_u32)
            .map(|n| (format!("0-84{n:02}-ann"), format!("0-9{n:02}8-ann")))
            .collect();
        let pairs: Vec<(&[u8], &[u8])> = pairs
            .iter()
            .map(|(right, given)| (right.as_bytes(), given.as_bytes()))
            .collect();
        assert_eq!(relation(&pairs), None);
    }

    #[test]
    fn says_nothing_where_nothing_holds() {
        assert_eq!(said(|n| n.to_be_bytes().to_vec()), None);
        assert_eq!(said(|n| n.wrapping_mul(3).to_be_bytes().to_vec()), None);
        assert_eq!(said(|n| n.to_string().into_bytes()), None);
    }
}
