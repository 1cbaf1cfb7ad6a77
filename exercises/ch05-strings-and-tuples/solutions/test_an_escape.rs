//! All short strings over the bytes that matter, and two long ones; in order, each with the next.

/// Panics if the keys break a rule.
pub fn test(encode: &dyn Fn(&[u8]) -> Vec<u8>, decode: &dyn Fn(&[u8]) -> Option<Vec<u8>>) {
    // 00 is escaped, 01 and ff are what escapes are made of, fe and ff are not UTF-8, a is a letter.
    let bytes = [0x00, 0x01, b'a', 0xfe, 0xff];
    let mut strings: Vec<Vec<u8>> = vec![Vec::new()];
    let mut shorter = strings.clone();
    for _ in 0..3 {
        shorter = shorter
            .iter()
            .flat_map(|string| bytes.map(|byte| [&string[..], &[byte]].concat()))
            .collect();
        strings.extend(shorter.clone());
    }
    strings.extend([vec![b'a'; 300], [vec![b'a'; 300], vec![b'b']].concat()]);
    strings.sort();

    // If a key is the beginning of a later one, it is the beginning of the next one too.
    for pair in strings.windows(2) {
        let (a, b) = (encode(&pair[0]), encode(&pair[1]));
        assert!(a < b, "{:?} must sort before {:?}", pair[0], pair[1]);
        assert!(!b.starts_with(&a), "{:?} does not end by itself", pair[0]);
    }
    for string in strings {
        let mut key = encode(&string);
        assert_eq!(decode(&key), Some(string));
        for byte in bytes {
            assert_eq!(decode(&[&key[..], &[byte]].concat()), None);
        }
        key.pop();
        assert_eq!(decode(&key), None);
    }
}
