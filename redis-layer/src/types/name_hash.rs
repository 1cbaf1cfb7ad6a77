//! The hash of a field of a hash or of a member of a set: 48 bits of its SipHash.
//!
//! Keeping rows in the order of this hash has two merits that the order of names has not. A hash is a number, so a walk
//! can stop and continue with that number alone. And names are spread evenly, so a random point finds a random name
//! ([`elements`](crate::types::elements)).
//!
//! 48 bits are enough: among a million names, two share a hash in about one of five hundred such sets, and sharing
//! costs only a little fairness. 48 bits also fit into a double, in which some clients keep cursors.
//!
//! The hash is SipHash-2-4 of Aumasson and Bernstein (2012). Its key is fixed, because the hashes are part of the row
//! format. So a client can choose names that all have one hash. That harms only its own collection, and the limits
//! of `elements` hold all the same.

/// Length of a hash in a row.
pub const NAME_HASH_LEN: usize = 6;
/// All hashes are below this.
pub const NAME_HASH_END: u64 = 1 << 48;

/// The hash of a name.
#[must_use]
pub fn name_hash(name: &[u8]) -> u64 {
    sip_hash(0, 0, name) >> 16
}

/// A hash as bytes that sort like the number.
#[must_use]
pub fn encode_name_hash(hash: u64) -> [u8; NAME_HASH_LEN] {
    let [_, _, bytes @ ..] = hash.to_be_bytes();
    bytes
}

/// The hash that these bytes encode.
#[must_use]
pub fn decode_name_hash(bytes: [u8; NAME_HASH_LEN]) -> u64 {
    bytes
        .iter()
        .fold(0, |hash, &byte| hash << 8 | u64::from(byte))
}

/// SipHash-2-4: two rounds for each eight bytes, four at the end.
fn sip_hash(key_0: u64, key_1: u64, text: &[u8]) -> u64 {
    let mut state = [
        key_0 ^ 0x736f_6d65_7073_6575,
        key_1 ^ 0x646f_7261_6e64_6f6d,
        key_0 ^ 0x6c79_6765_6e65_7261,
        key_1 ^ 0x7465_6462_7974_6573,
    ];
    let (words, rest) = text.as_chunks::<8>();
    for word in words {
        absorb(&mut state, u64::from_le_bytes(*word));
    }
    // The last word: the remaining bytes, and the length in its highest byte.
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let length = (text.len() as u64) << 56;
    absorb(&mut state, u64::from_le_bytes(last) | length);
    state[2] ^= 0xff;
    for _ in 0..4 {
        round(&mut state);
    }
    state.iter().fold(0, |hash, word| hash ^ word)
}

fn absorb(state: &mut [u64; 4], word: u64) {
    state[3] ^= word;
    round(state);
    round(state);
    state[0] ^= word;
}

const fn round(state: &mut [u64; 4]) {
    let [mut a, mut b, mut c, mut d] = *state;
    a = a.wrapping_add(b);
    b = b.rotate_left(13) ^ a;
    a = a.rotate_left(32);
    c = c.wrapping_add(d);
    d = d.rotate_left(16) ^ c;
    a = a.wrapping_add(d);
    d = d.rotate_left(21) ^ a;
    c = c.wrapping_add(b);
    b = b.rotate_left(17) ^ c;
    c = c.rotate_left(32);
    *state = [a, b, c, d];
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first vectors of the authors' reference: key 00 01 .. 0f, texts "", 00, 00 01, ...
    #[test]
    fn the_hash_is_the_published_one() {
        let text: Vec<u8> = (0..64).collect();
        let (key_0, key_1) = (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908);
        for (length, expected) in [
            (0, 0x726f_db47_dd0e_0e31_u64),
            (1, 0x74f8_39c5_93dc_67fd),
            (7, 0xab02_00f5_8b01_d137),
            (8, 0x93f5_f579_9a93_2462),
            (15, 0xa129_ca61_49be_45e5),
        ] {
            let hash = sip_hash(key_0, key_1, &text[..length]);
            assert_eq!(hash, expected, "{length}: {hash:016x}");
        }
    }

    #[test]
    fn places_sort_as_their_bytes_and_come_back() {
        for hash in [0, 1, 255, 256, 0x1234_5678_9abc, NAME_HASH_END - 1] {
            assert_eq!(decode_name_hash(encode_name_hash(hash)), hash);
        }
        assert!(encode_name_hash(255) < encode_name_hash(256));
        assert!(name_hash(b"a name") < NAME_HASH_END);
    }
}
