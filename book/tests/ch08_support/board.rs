//! The leaderboard of chapter 8: five players, and the layout of a packed score.

/// A player, as the game knows them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Player {
    pub(crate) name: &'static str,
    pub(crate) gems: u64,
    pub(crate) paid: bool,
    /// When the player reached that many gems, in milliseconds since 1970.
    pub(crate) at_ms: u64,
}

const fn player(name: &'static str, gems: u64, paid: bool, at_ms: u64) -> Player {
    Player {
        name,
        gems,
        paid,
        at_ms,
    }
}

pub(crate) const PLAYERS: [Player; 5] = [
    player("A", 100, true, 1_571_819_021_259),
    player("B", 200, false, 1_571_819_021_259),
    player("C", 200, true, 1_571_819_021_259),
    player("D", 400, false, 1_571_819_021_259),
    player("E", 200, true, 1_571_810_001_259),
];

/// The same players; B has taken another name.
pub(crate) const RENAMED: [Player; 5] = {
    let mut players = PLAYERS;
    players[1].name = "Z";
    players
};

/// The second at which the time field is used up, in seconds since 1970.
pub(crate) const END: u64 = 1_861_891_200;

// ANCHOR: pack
/// Bits of the time field. Above it are one bit for paid, and the gems.
pub(crate) const TIME_BITS: u32 = 29;
/// What a double holds without a gap: all integers below 2^53.
const SCORE_BITS: u32 = 53;
pub(crate) const GEMS_SHIFT: u32 = TIME_BITS + 1;

/// The score of a player, if every field fits. `at_ms` counts from 1970.
pub(crate) fn pack(gems: u64, paid: bool, at_ms: u64) -> Option<u64> {
    // Earlier is better, so the field counts down to the end.
    let time = END.checked_sub(at_ms / 1000)?;
    let gems_bits = SCORE_BITS - GEMS_SHIFT;
    let fits = time < 1 << TIME_BITS && gems < 1 << gems_bits;
    fits.then(|| gems << GEMS_SHIFT | u64::from(paid) << TIME_BITS | time)
}

/// The gems, whether the player paid, and the second since 1970.
pub(crate) fn unpack(score: u64) -> Option<(u64, bool, u64)> {
    let gems = score >> GEMS_SHIFT;
    let paid = score >> TIME_BITS & 1 == 1;
    let time = score & ((1 << TIME_BITS) - 1);
    (score < 1 << SCORE_BITS).then(|| (gems, paid, END - time))
}
// ANCHOR_END: pack

/// The same bits without a check, for what goes wrong then.
pub(crate) fn packed(gems: u64, paid: u64, time: u64) -> u64 {
    (gems << GEMS_SHIFT) + (paid << TIME_BITS) + time
}

/// The fields of a packed integer, whatever its size: gems, paid, time field.
pub(crate) fn fields(score: u64) -> (u64, u64, u64) {
    (
        score >> GEMS_SHIFT,
        score >> TIME_BITS & 1,
        score & ((1 << TIME_BITS) - 1),
    )
}

/// What a server keeps of an integer score.
#[expect(clippy::cast_precision_loss, reason = "the loss is what is shown")]
pub(crate) fn stored(score: u64) -> f64 {
    score as f64
}

/// The integer that a double is. Only for doubles that are one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "scores of this chapter are whole, not negative, and below 2^63"
)]
pub(crate) fn whole(score: f64) -> u64 {
    score as u64
}
