//! `math.random` and `math.randomseed`: POSIX's `drand48` family, so that a seed gives the same
//! numbers on every machine, as Redis promises.
//!
//! The state has 48 bits and changes from `x` to `0x5DEECE66D * x + 0xB`; a number is its upper 31
//! bits. Without a seed it starts with the state that POSIX specifies.

use std::sync::Arc;

use mlua::{Lua, MultiValue, Table};
use parking_lot::Mutex;

use crate::scripting::raise::{self, Call};

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const INCREMENT: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;
/// The state before any seed was given.
const UNSEEDED: u64 = 0x1234_ABCD_330E;
/// The low bits of the state after a seed.
const SEED_LOW: u64 = 0x330E;
/// The divisor of Redis: one less than the 2^31 numbers that there are.
const NUMBERS: f64 = 2_147_483_647.0;

/// A generator.
#[derive(Debug)]
struct Drand48(u64);

impl Drand48 {
    const fn seed(&mut self, seed: u32) {
        self.0 = (seed as u64) << 16 | SEED_LOW;
    }

    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT) & MASK;
        u32::try_from(self.0 >> 17).unwrap_or(0)
    }

    /// A number of at least 0 and less than 1.
    fn fraction(&mut self) -> f64 {
        f64::from(self.next() % 2_147_483_647) / NUMBERS
    }
}

/// The generator of a server. All its scripts share it, as in Redis: a seed holds for the scripts that follow, whichever
/// state runs them.
#[derive(Debug, Clone)]
pub(super) struct Generator(Arc<Mutex<Drand48>>);

impl Default for Generator {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Drand48(UNSEEDED))))
    }
}

/// Replaces the functions of `math`.
pub(super) fn install(lua: &Lua, math: &Table, generator: &Generator) -> mlua::Result<()> {
    let (drawn, seeded) = (Arc::clone(&generator.0), Arc::clone(&generator.0));
    let random = lua.create_function(move |lua, args: MultiValue| {
        random(&Call::new(lua, &args), &mut drawn.lock())
    })?;
    let randomseed = lua.create_function(move |lua, args: MultiValue| {
        let seed = Call::new(lua, &args).integer(1)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the low bits are the seed"
        )]
        seeded.lock().seed(seed as u32);
        Ok(())
    })?;
    math.raw_set("random", random)?;
    math.raw_set("randomseed", randomseed)
}

fn random(call: &Call<'_>, generator: &mut Drand48) -> mlua::Result<f64> {
    let fraction = generator.fraction();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "C takes them for ints of 32 bits, and so do all sums of them"
    )]
    let limit = |position| call.integer(position).map(|limit| limit as i32);
    match call.len() {
        0 => Ok(fraction),
        1 => {
            let high = limit(1)?;
            if high < 1 {
                return Err(raise::argument(call.lua, 1, "interval is empty"));
            }
            Ok((fraction * f64::from(high)).floor() + 1.0)
        }
        2 => {
            let (low, high) = (limit(1)?, limit(2)?);
            if low > high {
                return Err(raise::argument(call.lua, 2, "interval is empty"));
            }
            let width = f64::from(high.wrapping_sub(low).wrapping_add(1));
            Ok((fraction * width).floor() + f64::from(low))
        }
        _ => Err(raise::text(call.lua, "wrong number of arguments")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Redis 7.0 answers before any seed, which is what POSIX's `lrand48` gives.
    #[test]
    fn the_numbers_are_those_of_posix() {
        let mut generator = Drand48(UNSEEDED);
        let first: Vec<u32> = (0..3).map(|_| generator.next()).collect();
        assert_eq!(first, [851_401_618, 1_804_928_587, 758_783_491]);
        generator.seed(10);
        assert!((generator.fraction() - 0.878_851_123_097_75).abs() < 1e-13);
    }
}
