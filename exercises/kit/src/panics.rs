//! What a panic means that no line of an answer has written: one of the compiler's own checks, or of the standard library.
//!
//! The texts are those of the toolchain. A test raises each of them, so one that changes is missed.
//!
//! Left out: panics that say themselves what is wrong, as a division by zero does.

/// Part of a panic's message, and what is certain where it occurs.
const MEANINGS: [(&str, &str); 27] = [
    (
        "capacity overflow",
        "something asked for more room than there can be: an iterator without an end was collected, as that of `cycle` or \
         `repeat`, or a capacity is far too large",
    ),
    (
        "Utf8Error",
        "bytes were made text, and not all bytes are text: no text holds a byte ff. Bytes compare, and start with other \
         bytes, as they are",
    ),
    (
        "attempt to shift left with overflow",
        "a number was shifted by as many bits as it has, or more: a `u32` by 32. `u64::from(..)` before the shift makes \
         room; it comes too late after it",
    ),
    (
        "attempt to shift right with overflow",
        "a number was shifted by as many bits as it has, or more: a `u32` by 32",
    ),
    (
        "attempt to subtract with overflow",
        "the difference lies outside of what the type holds: below 0, for an unsigned number",
    ),
    (
        "attempt to add with overflow",
        "the sum lies outside of what the type holds",
    ),
    (
        "attempt to multiply with overflow",
        "the product lies outside of what the type holds",
    ),
    (
        "attempt to negate with overflow",
        "the least number of a signed type was negated, by `-` or by `abs`. Its opposite is one more than the type holds",
    ),
    (
        "index out of bounds",
        "there is no item at that place. The first one is at 0, the last one at the length less 1, and where the length is 0 \
         there is none",
    ),
    (
        "range start index",
        "a part of a slice was asked for that begins after the slice's end. `get(..)` gives `None` there",
    ),
    (
        "range end index",
        "a part of a slice was asked for that goes on after the slice's end. `get(..)` gives `None` there",
    ),
    (
        "slice index starts at",
        "a part of a slice was asked for that ends before it starts. An empty answer has to be asked for otherwise",
    ),
    (
        "range start is greater than range end",
        "`range` was asked for keys from a start that lies after the end. It gives no empty answer there: compare the two \
         first",
    ),
    (
        "range start and end are equal and excluded",
        "`range` was asked for the keys after one key and before the same one. It gives no empty answer there: compare the \
         two first",
    ),
    (
        "Option::unwrap()",
        "the call before `unwrap` has found nothing, or refused, and the code goes on as if it never did",
    ),
    (
        "TryFromIntError",
        "a number does not fit into the type that it was to become",
    ),
    (
        "TryFromCharError",
        "a character does not fit into the type that it was to become: characters are numbers up to 10ffff, and most need \
         more than a byte",
    ),
    (
        "NulError",
        "bytes were made a text of C, which ends at its first zero byte, and one of them is zero",
    ),
    (
        "TryFromSliceError",
        "a slice was to become an array, and is longer or shorter than that",
    ),
    (
        "does not match destination slice length",
        "bytes were to be copied into a place that is longer or shorter than they are",
    ),
    (
        "kind: InvalidDigit",
        "text was read as a number, and not all of it is digits",
    ),
    (
        "kind: PosOverflow",
        "digits were read as a number that is greater than its type holds",
    ),
    (
        "is not a char boundary",
        "text was cut inside a character. Places in a text count bytes, and a character has one to four of them",
    ),
    (
        "kind: Empty",
        "text was read as a number, and there is none: it is empty",
    ),
    (
        "mid > len",
        "a slice was to be split at a place after its end. `split_at_checked` gives `None` there",
    ),
    (
        "PoisonError",
        "an earlier call has panicked while it held the lock, and for that alone all later ones panic too. Mend the earlier panic",
    ),
    (
        "not implemented",
        "a part of the code is not written yet: `unimplemented!()` says so, as `todo!()` does",
    ),
];

/// What these messages mean, each meaning once.
pub(crate) fn meanings(messages: &[&str]) -> Vec<String> {
    MEANINGS
        .iter()
        .filter(|(part, _)| messages.iter().any(|message| message.contains(part)))
        .map(|(part, means)| format!("`{part}` means that {means}."))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::CString;
    use std::hint::black_box;
    use std::ops::Bound::Excluded;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;

    use super::*;
    use crate::answer::{Outcome, Show};
    use crate::guard;

    /// Each text, raised as an answer raises it.
    fn raised() -> [fn() -> u64; 27] {
        fn none<T>() -> Option<T> {
            black_box(None)
        }
        fn slice(from: usize, to: usize) -> u64 {
            black_box(&[0_u8; 4])[from..to].len() as u64
        }
        fn keys(from: u64, to: u64) -> u64 {
            let set = BTreeSet::from([0]);
            let found = set.range((Excluded(from), Excluded(to)));
            found.count() as u64
        }
        [
            || Vec::<u64>::with_capacity(black_box(usize::MAX)).len() as u64,
            || String::from_utf8(vec![black_box(0xff)]).unwrap().len() as u64,
            || 1 << black_box(64_u32),
            || 1 >> black_box(64_u32),
            || black_box(0_u64) - 1,
            || black_box(u64::MAX) + 1,
            || black_box(u64::MAX) * 2,
            || black_box(i64::MIN).abs().cast_unsigned(),
            || black_box(&[0; 0])[black_box(0)],
            || black_box(&[0_u8; 4])[black_box(5)..].len() as u64,
            || slice(0, 5),
            || slice(3, 2),
            || keys(2, 1),
            || keys(1, 1),
            || none().unwrap(),
            || u64::from(u8::try_from(black_box(256)).unwrap()),
            || u64::from(u8::try_from(black_box('\u{100}')).unwrap()),
            || CString::new(vec![black_box(0)]).unwrap().as_bytes().len() as u64,
            || u64::from_be_bytes(black_box(&[0_u8; 4])[..].try_into().unwrap()),
            || {
                let mut place = [0_u8; 8];
                place.copy_from_slice(black_box(&[0; 4]));
                u64::from_be_bytes(place)
            },
            || "x".parse().unwrap(),
            || "18446744073709551616".parse().unwrap(),
            || black_box("\u{e9}")[..1].len() as u64,
            || black_box("").parse().unwrap(),
            || black_box(&[0_u8; 4])[..].split_at(black_box(5)).0.len() as u64,
            || {
                let lock = Mutex::new(0);
                let poisoning = || {
                    let _held = lock.lock();
                    panic!("while the lock is held");
                };
                assert!(catch_unwind(AssertUnwindSafe(poisoning)).is_err());
                *lock.lock().unwrap()
            },
            || unimplemented!(),
        ]
    }

    #[test]
    fn each_text_is_that_of_this_toolchain() {
        for (raise, (part, means)) in raised().into_iter().zip(MEANINGS) {
            let outcome = guard::call(|| raise().to_string().show());
            let Outcome::Panic { message, .. } = outcome else {
                panic!("{part:?} was not raised");
            };
            let told = meanings(&[&message, &message]);
            assert_eq!(told.len(), 1, "{part:?}: {message}");
            assert!(told[0].contains(means), "{part:?}: {message}");
        }
        assert!(meanings(&["the row has another length"]).is_empty());
    }
}
