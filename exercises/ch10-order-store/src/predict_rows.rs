//! # predict-rows: eight rows in key order
//!
//! **Why.** A design of keys is a design of neighbours. If you can sort rows by eye, you see which questions a scan answers.
//!
//! Two orders are in the store:
//!
//! | id  | user   | at    | status  |
//! |-----|--------|-------|---------|
//! | 7   | `ann`  | 500   | shipped |
//! | 258 | `anna` | 300   | new     |
//!
//! That makes eight rows. The keys are those of the chapter: a letter, then big-endian fields, the user escaped and
//! terminated, the time newest first in the rows by user.
//!
//! | letter | row       | of order | | letter | row       | of order |
//! |--------|-----------|----------|-|--------|-----------|----------|
//! | `a`    | by time   | 7        | | `e`    | by time   | 258      |
//! | `b`    | the order | 258      | | `f`    | by status | 7        |
//! | `c`    | by user   | 258      | | `g`    | by user   | 7        |
//! | `d`    | by status | 258      | | `h`    | the order | 7        |
//!
//! **Task.** Write `scan`, the eight letters in the order in which a scan over the whole store returns the rows. Then
//! write `touched`: order 258 becomes *paid*. Which rows of the eight have to be deleted or overwritten, so that the
//! store is right again? Give their letters in any order, and no others. A row that is *added* has no letter here.
//!
//! **Check.** `cargo workbook check predict-rows`, or `cargo test -p ch10-order-store predict-rows`.

/// The eight letters in key order.
pub fn scan() -> [char; 8] {
    todo!("eight letters")
}

/// The rows that are deleted or overwritten when order 258 becomes paid.
pub fn touched() -> Vec<char> {
    todo!("some letters")
}
