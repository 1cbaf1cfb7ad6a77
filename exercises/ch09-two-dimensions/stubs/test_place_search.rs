//! # test-place-search: be the tester
//!
//! **Why.** A search that misses a place reports no error, and nobody sees what is not there. Only a test finds it, and
//! only if it tries the places on which the search is wrong.
//!
//! **Task.** Write `test`. It gets somebody's `search` and cannot read its code. Panic, by `assert!` or `assert_eq!`, if a
//! rule is broken. Return if you find nothing.
//!
//! The map has 256 columns and 256 rows. A place is `(x, y)`, `x` from the west, `y` from the south. The map is round from west to
//! east: column 0 is beside column 255. Row 0 and row 255 are its two ends.
//!
//! `search(places, centre, reach)` returns the indices of the places that are near the centre, each once and ascending.
//!
//! 1. The way from one column to another is the shorter one of both around the map, 128 at most. The way from one row to another is
//!    their difference.
//! 2. A place is near if the square of its way in columns and the square of its way in rows, added, are not more than the square of
//!    `reach`.
//! 3. `reach` is from 0 to 100. Several places may lie at the same point, and the centre need not be a place.
//!
//! For example, `search(&[(3, 0), (255, 4), (0, 6)], (0, 0), 5)` is `[0, 1]`.
//!
//! Most of the searches do what this chapter does: cells of the Z-order around the centre, then the distance.
//! Your test is tried on three right ones and on eighteen wrong ones. It passes when it accepts the three and refuses the
//! eighteen. A call of `test` has one second.
//!
//! The faults are those of the chapter and some of their relatives: cells that are too few or too small, a border of the map crossed
//! wrongly, a way measured wrongly, places at the very edge of a circle or of a cell, a list that is not what the task asks for.
//!
//! **Check.** `cargo workbook check test-place-search`, or `cargo test -p ch09-two-dimensions test-place-search`.

/// Somebody's search: places, centre and reach to the indices of the places that are near.
pub type Search<'a> = &'a dyn Fn(&[(u8, u8)], (u8, u8), u8) -> Vec<usize>;

/// Panics if the search breaks a rule.
pub fn test(search: Search<'_>) {
    todo!("{:?}", search(&[(3, 0), (255, 4), (0, 6)], (0, 0), 5))
}
