//! Each field ends by itself; a descending one has all its bytes inverted, the end included.

/// Text that ends by itself: a zero byte becomes `00 ff`, and `00 01` is at the end. Given; leave it as it is.
pub fn ended(text: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(text.len() + 2);
    for byte in text.bytes() {
        key.push(byte);
        if byte == 0 {
            key.push(0xff);
        }
    }
    key.extend([0x00, 0x01]);
    key
}

/// The key of a play: user ascending, then time descending, then title descending.
pub fn key(user: &str, time: u64, title: &str) -> Vec<u8> {
    let mut key = ended(user);
    key.extend((u64::MAX - time).to_be_bytes());
    key.extend(ended(title).iter().map(|byte| !byte));
    key
}
