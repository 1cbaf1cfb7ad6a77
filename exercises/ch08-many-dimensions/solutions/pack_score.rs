//! Shift each field to its place, after each has been held to its width.

/// The second, since 1970, at which the time field is 0. Given; leave it as it is.
pub const END: u64 = 1_861_891_200;

const GEMS_BITS: u32 = 23;
const TIME_BITS: u32 = 29;

/// The score of a player, if every field fits.
pub fn pack(gems: u64, paid: bool, at_ms: u64) -> Option<u64> {
    let time = END.checked_sub(at_ms / 1000)?;
    let fits = gems < 1 << GEMS_BITS && time < 1 << TIME_BITS;
    fits.then(|| gems << (TIME_BITS + 1) | u64::from(paid) << TIME_BITS | time)
}

/// The gems, whether the player paid, and the second since 1970.
pub fn unpack(score: u64) -> Option<(u64, bool, u64)> {
    if score >= 1 << (GEMS_BITS + 1 + TIME_BITS) {
        return None;
    }
    let time = score & ((1 << TIME_BITS) - 1);
    let paid = score >> TIME_BITS & 1 == 1;
    Some((score >> (TIME_BITS + 1), paid, END - time))
}
