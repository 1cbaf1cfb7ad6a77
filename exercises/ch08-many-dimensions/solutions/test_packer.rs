//! Values at both ends of every field and beside every power of two, all together, in order.

/// The first second that has to fit. Given; leave it as it is.
pub const FIRST: u64 = 1_325_020_289;
/// The last second that has to fit. Given; leave it as it is.
pub const END: u64 = 1_861_891_200;

/// Gems, paid, second, to a score.
pub type Pack<'a> = &'a dyn Fn(u64, bool, u64) -> Option<f64>;
/// A score, to gems, paid, second.
pub type Unpack<'a> = &'a dyn Fn(f64) -> (u64, bool, u64);

const GEMS_MAX: u64 = 8_388_607;

/// From 0 to `max`: both ends, and three values around every power of two.
fn values(max: u64) -> Vec<u64> {
    let mut values: Vec<u64> = (1..=max.ilog2())
        .flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1])
        .chain([0, 1, max - 1, max])
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Panics if the packer breaks a rule.
pub fn test(pack: Pack, unpack: Unpack) {
    let mut last = f64::NEG_INFINITY;
    // From the worst player to the best.
    for gems in values(GEMS_MAX) {
        for paid in [false, true] {
            for before_end in values(END - FIRST) {
                let second = END - before_end;
                let score = pack(gems, paid, second).expect("it fits");
                assert!(last < score, "the better player has the greater score");
                assert_eq!(unpack(score), (gems, paid, second));
                last = score;
            }
        }
    }
    for paid in [false, true] {
        assert_eq!(pack(GEMS_MAX + 1, paid, END), None);
        assert_eq!(pack(200, paid, END + 1), None);
        assert_eq!(pack(200, paid, FIRST - 1), None);
    }
}
