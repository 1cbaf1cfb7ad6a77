//! The test of `test-prefix-scan`: a small world of keys, and every prefix in it.

use std::collections::BTreeMap;

/// Keys and values, in byte order.
pub type Store = BTreeMap<Vec<u8>, Vec<u8>>;

/// Keys, in the order in which a scan found them.
pub type Keys = Vec<Vec<u8>>;

/// Panics if the scan gives a wrong answer.
pub fn test(scan: &dyn Fn(&Store, &[u8]) -> Keys) {
    // Letters of both cases, a digit, and bytes that are no text.
    let alphabet = [0x00, b'0', b'A', b'a', b'b', 0x80, 0xff];
    let mut keys: Vec<Vec<u8>> = alphabet.iter().map(|byte| vec![*byte]).collect();
    for length in 1..3 {
        let shorter: Vec<Vec<u8>> = keys
            .iter()
            .filter(|key| key.len() == length)
            .cloned()
            .collect();
        for key in shorter {
            keys.extend(alphabet.iter().map(|byte| [&key[..], &[*byte]].concat()));
        }
    }
    // However many ff an end has, there is a key after it.
    keys.push([b"a".to_vec(), vec![0xff; 20]].concat());

    let full: Store = keys
        .iter()
        .map(|key| (key.clone(), b"value".to_vec()))
        .collect();
    // Every second key is missing here, so prefixes and ends need not be keys.
    let gaps: Store = full.clone().into_iter().step_by(2).collect();
    for store in [&full, &gaps, &Store::new()] {
        for prefix in &keys {
            let expected: Vec<Vec<u8>> = store
                .keys()
                .filter(|key| key.starts_with(prefix))
                .cloned()
                .collect();
            assert_eq!(scan(store, prefix), expected, "prefix {prefix:?}");
        }
    }
}
