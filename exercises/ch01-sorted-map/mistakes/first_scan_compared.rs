//! Comparisons that do not look at every byte, or look at something else: a string of C, a column of a fixed width, an integer.

use kit::Mistake;

use crate::first_scan::Scan;
use crate::stores::Store;

const INVARIANTS: &str = "invariants";

/// The keys from `lo` up to `hi`, all three compared as `seen` makes them.
fn compared<T: Ord>(
    store: &Store,
    lo: &[u8],
    hi: &[u8],
    seen: impl Fn(&[u8]) -> T,
) -> Vec<Vec<u8>> {
    let range = seen(lo)..seen(hi);
    let inside = |key: &&Vec<u8>| range.contains(&seen(key));
    store.keys().filter(inside).cloned().collect()
}

/// As many bytes as fit into an array, with zeros after them: an integer, once the array is read as one.
fn filled<const N: usize>(key: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    bytes
        .iter_mut()
        .zip(key)
        .for_each(|(byte, given)| *byte = *given);
    bytes
}

/// The bytes, one after the other, without zeros that would give each the same width.
fn printed(key: &[u8], digits: impl Fn(&u8) -> String) -> String {
    key.iter().map(digits).collect()
}

fn mistake(name: &str, scan: Scan) -> Mistake<Scan> {
    Mistake::new(name, "first_scan", "range", scan)
}

/// All of them.
pub(super) fn all() -> Vec<Mistake<Scan>> {
    vec![
        mistake("ends_at_a_zero_byte", |store, lo, hi| {
            compared(store, lo, hi, |key| key.split(|byte| *byte == 0).next().map(<[u8]>::to_vec))
        })
        .says("a comparison that ends at the first byte 00, as `strcmp` does")
        .why(
            "00 is a byte like any other, and the least of all. Only the strings of C end there: a key here has a length, and `a\\x00b` comes \
             after `a\\x00a`.",
        )
        .link(INVARIANTS),
        mistake("fillers_at_the_end_ignored", |store, lo, hi| compared(store, lo, hi, |key| without(0, key)))
            .or(|store, lo, hi| compared(store, lo, hi, |key| without(b' ', key)))
            .says("a comparison that takes no notice of zeros, or of spaces, at the end of a key")
            .why(
                "So a database compares columns of a fixed width, which it fills up. Nothing fills a key: `a` and `a\\x00` and `a ` are three keys, \
                 in this order.",
            )
            .link(INVARIANTS),
        mistake("as_many_bytes_as_an_integer_has", |store, lo, hi| compared(store, lo, hi, filled::<8>))
            .or(|store, lo, hi| compared(store, lo, hi, filled::<16>))
            .or(|store, lo, hi| compared(store, lo, hi, filled::<4>))
            .says("a comparison of the first 8 bytes, or as many as fit into an integer, with zeros where a key is shorter")
            .why(
                "Keys have any length. Two that differ further on are one number, and so are `a` and `a\\x00`. `<` on slices compares all of them.",
            )
            .link(INVARIANTS),
        mistake("bytes_printed_without_a_width", |store, lo, hi| {
            compared(store, lo, hi, |key| printed(key, |byte| format!("{byte:x}")))
        })
        .or(|store, lo, hi| compared(store, lo, hi, |key| printed(key, u8::to_string)))
        .says("a comparison of bytes that are printed one after the other, some with fewer digits than others")
        .why(
            "The byte 07 is printed as `7`, and comes after 61, which is `61`, or `97` in decimal. With `{:02x}` every byte has two digits, and the \
             order is that of the bytes. Slices of bytes compare by themselves, with `<`.",
        )
        .link(INVARIANTS),
    ]
}

fn without(filler: u8, key: &[u8]) -> Vec<u8> {
    let end = key.iter().rposition(|byte| *byte != filler);
    key[..end.map_or(0, |last| last + 1)].to_vec()
}
