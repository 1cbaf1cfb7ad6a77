//! # member-key: fields in the member, and the name after them
//!
//! **Why.** Members with the same score sort by their bytes. So a field that never changes may be in the
//! member. The published form puts the name first, and then ties are sorted by name.
//!
//! **Task.** The board is read by `ZREVRANGE`, the greatest first, the greatest member too. Among equal scores,
//! players who paid come first, then those who came earlier, then the greater name. Write
//!
//! 1. `member(paid, at_ms, name)`: `1` or `0`, a `-`, thirteen digits, a `-`, the name. The digits are
//!    9999999999999 minus the milliseconds. A time that does not fit has no member: `None`.
//! 2. `name(member)`: the name in it, or `None` if no call of `member` makes these characters.
//!    A name is any text: it may hold `-`, digits, or nothing.
//!
//! | call                               | answer                         |
//! |------------------------------------|--------------------------------|
//! | `member(true, 1571810001259, "E")` | `Some("1-8428189998740-E")`    |
//! | `name("1-8428189998740-E")`        | `Some("E")`                    |
//! | `name("E-1-8428189998740")`        | `None`                         |
//!
//! **Check.** `cargo workbook check member-key`, or `cargo test -p ch08-many-dimensions member-key`.
//! It is *not started* while both functions are `todo!()`. You may begin with either.

/// The member of a player.
pub fn member(paid: bool, at_ms: u64, name: &str) -> Option<String> {
    todo!("a member for {name}, paid {paid}, at {at_ms} ms")
}

/// The name of the player whose member this is.
pub fn name(member: &str) -> Option<String> {
    todo!("the name in {member}")
}
