//! # test-store: be the tester
//!
//! **Why.** A store with a ghost answers most questions correctly. Only a script finds it that does what the fault needs:
//! two orders of one millisecond, a change and then a query under the *old* status, a power cut in the middle.
//!
//! **Task.** Write `test`. `open()` gives you an empty store of somebody's, each time another one. You cannot read its code.
//! Do something to it, ask, and panic, by `assert!` or `assert_eq!`, if an answer breaks a rule:
//!
//! 1. `place`, `change_status` and the three queries keep the rules of the other exercises of this chapter;
//! 2. `remove` takes an order away, from every query, and leaves all others;
//! 3. if the power fails in a call, all of the call has happened or nothing. If it fails when the call has returned, all of it
//!    has happened.
//!
//! `crate::order::OrderStore` lists the calls. What the bytes of a cursor are is free: give it back, and do not look into
//! it. Return if you find nothing.
//!
//! Your test is tried on two right stores and on eighteen wrong ones, one at a time. It passes when it accepts the two and
//! refuses the eighteen. A call of `test` has one second: that is enough for some hundred stores with a few orders.
//!
//! The faults are those of the chapter and some of their relatives: rows left behind, index keys without all of their fields, a query
//! that runs on, a cursor that skips or promises too much, answers that are not true, writes that a power cut divides or loses.
//!
//! **Check.** `cargo workbook check test-store`, or `cargo test -p ch10-order-store test-store`.

use crate::order::OrderStore;

/// Panics if a store breaks a rule.
pub fn test(open: &dyn Fn() -> Box<dyn OrderStore>) {
    let _ = open;
    todo!("a script of orders, changes and questions")
}
