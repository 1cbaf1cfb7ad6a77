//! The entries: keys, values and orders, the same for all engines and rounds.
//!
//! Keys are 16 decimal digits, so that key order is number order in every engine. A random fill visits every number
//! once, in a fixed permutation.

/// Bytes of a key.
pub const KEY_BYTES: usize = 16;

/// The number in decimal digits. Made by hand, since this is timed along with every operation.
pub fn key(mut number: u64) -> [u8; KEY_BYTES] {
    let mut digits = [b'0'; KEY_BYTES];
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
    digits
}

/// Values cut from a pool of random bytes, so that making one costs next to nothing.
pub struct Values {
    pool: Vec<u8>,
    value_bytes: usize,
}

impl Values {
    pub fn new(value_bytes: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(0x76616c);
        let pool = (0..value_bytes + (1 << 20))
            .map(|_| random.u8(..))
            .collect();
        Self { pool, value_bytes }
    }

    pub fn of(&self, number: u64) -> &[u8] {
        let start = (number.wrapping_mul(7919) % (1 << 20)) as usize;
        &self.pool[start..start + self.value_bytes]
    }
}

/// The numbers below `entries` in a random order, each once.
pub fn shuffled(entries: u64, seed: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..entries).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut numbers);
    numbers
}
