//! The sorted set that `compare-and-set` works on. Nothing to do here.

/// A sorted set with packed scores, which other clients change between any
/// two of your calls.
///
/// Each method is one command: nobody sees it half done.
pub trait Board {
    /// The score of a member, if it is in the set. Redis: `ZSCORE`.
    fn score(&mut self, member: &str) -> Option<u64>;

    /// Gives a member this score, and adds the member if it is not in the
    /// set. Redis: `ZADD`.
    fn set(&mut self, member: &str, score: u64);

    /// Adds to a member's score, 0 if it is not in the set, and returns the
    /// sum. Redis: `ZINCRBY`.
    fn add(&mut self, member: &str, delta: u64) -> u64;

    /// Gives a member the score `new` if its score is `seen` at this moment,
    /// and says whether it was. Redis: the script of the chapter.
    fn compare_and_set(&mut self, member: &str, seen: u64, new: u64) -> bool;
}
