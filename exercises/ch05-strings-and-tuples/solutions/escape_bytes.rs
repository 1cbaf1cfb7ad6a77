//! Two bytes for a zero byte, two bytes for the end; whatever follows any other zero is no key.

/// The key of a byte string.
pub fn encode(value: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(value.len() + 2);
    for &byte in value {
        key.push(byte);
        if byte == 0x00 {
            key.push(0xff);
        }
    }
    key.extend([0x00, 0x01]);
    key
}

/// The byte string whose key is `key`, or `None` if no string has this key.
pub fn decode(key: &[u8]) -> Option<Vec<u8>> {
    let mut value = Vec::new();
    let mut bytes = key.iter().copied();
    loop {
        match bytes.next()? {
            0x00 => match bytes.next()? {
                0xff => value.push(0x00),
                0x01 => return bytes.next().is_none().then_some(value),
                _ => return None,
            },
            byte => value.push(byte),
        }
    }
}
