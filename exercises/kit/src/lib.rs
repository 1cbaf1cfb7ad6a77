//! The check harness that every exercise shares.
//!
//! An exercise puts *probes* to an implementation and judges the answers. The learner's code, the stub,
//! the reference solution and each known mistake are implementations like any other. How to add an
//! exercise or a mistake is told in `exercises/README.md`.
//!
//! The way of a verdict:
//!
//! ```text
//! exercise   an implementation type and what is asked of it
//! sheet      parts, probes, checks and mistakes, without the type
//! codec      parts for the commonest exercise: numbers to keys, and back
//! values     the numbers that are put, and the classes they are in
//! isolate    all probes, put to one implementation in a process of its own
//! guard      calls that may panic, and what their panics say
//! answer     what a function gave back, or how it failed to
//! judge      behaviour to verdict: the first check that fails, in words
//! check      checks: functions over the outcomes of one part
//! diagnose   the mistake that agrees on every probe, or else observations
//! gallery    the mistakes, alone and two at a time
//! known      what the solution and the mistakes answer, each asked once
//! observe    sentences that are computed from an answer
//! panics     what the panics mean that nobody has written
//! fields     which field of a key is in order, and which one decides
//! relate     relations between right keys and given ones
//! message    the words of a verdict
//! render     tables of values, hex and bits
//! tester     the learner's tests, tried on right and wrong implementations
//! predict    lists of letters that a learner predicts, never shown the right ones
//! prove      stub, solution and mistakes are told apart as they should be
//! unseen     answers that no mistake matches, and what an exercise says of them
//! parallel   work on many implementations, spread over the processors
//! runner     the `main` of a chapter's test program
//! ```
//!
//! Left out: defence against malice. A learner who wants to be told "passed" can write the solution.

pub mod answer;
pub mod check;
pub mod codec;
pub mod exercise;
pub mod fields;
pub mod gallery;
pub mod isolate;
pub mod judge;
pub mod predict;
pub mod prove;
pub mod render;
pub mod runner;
pub mod tester;
pub mod unseen;
pub mod values;

mod diagnose;
mod guard;
mod known;
mod message;
mod observe;
mod panics;
mod parallel;
mod relate;
mod sheet;

pub use answer::{Answer, Outcome, Show, Telling, show_list};
pub use codec::Codec;
pub use exercise::{Cast, Exercise, Judged, PartOf, Who};
pub use gallery::{Mistake, Quirk, compose, compose_where};
pub use judge::{State, Verdict};
pub use runner::{Chapter, main};
pub use tester::{Candidates, Tester, Wrong};
