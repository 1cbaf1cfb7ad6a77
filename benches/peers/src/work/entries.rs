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

/// Values cut from a pool of bytes, so that making one costs next to nothing.
pub struct Values {
    pool: Vec<u8>,
    value_bytes: usize,
    /// A value begins at each multiple of this.
    step: usize,
}

const POOL_BYTES: usize = 1 << 20;

impl Values {
    /// Random bytes.
    pub fn new(value_bytes: usize) -> Self {
        Self {
            pool: random_bytes(value_bytes + POOL_BYTES),
            value_bytes,
            step: 1,
        }
    }

    /// Values whose second half repeats the first: they compress to a half, as those of `db_bench` do.
    pub fn compressible(value_bytes: usize) -> Self {
        let mut pool = random_bytes(value_bytes + POOL_BYTES);
        for value in pool.chunks_exact_mut(value_bytes) {
            value.copy_within(..value_bytes / 2, value_bytes.div_ceil(2));
        }
        Self {
            pool,
            value_bytes,
            step: value_bytes,
        }
    }

    pub fn of(&self, number: u64) -> &[u8] {
        let starts = (POOL_BYTES / self.step).max(1) as u64;
        let start = (number.wrapping_mul(7919) % starts) as usize * self.step;
        &self.pool[start..start + self.value_bytes]
    }
}

fn random_bytes(count: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(0x76616c);
    (0..count).map(|_| random.u8(..)).collect()
}

/// The numbers below `entries` in a random order, each once.
pub fn shuffled(entries: u64, seed: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..entries).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut numbers);
    numbers
}
