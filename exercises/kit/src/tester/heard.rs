//! What a test asked of its candidate, for messages.

use std::cell::RefCell;
use std::collections::VecDeque;

use crate::answer::{Answer, Show, hex};
use crate::render::count;

/// So many first and last calls of a test are kept.
const FIRST_MAX: usize = 3;
const LAST_MAX: usize = 2;

thread_local! {
    static HEARD: RefCell<Heard> = RefCell::new(Heard::default());
}

/// What a test asked of its candidate. Texts are made only when they are wanted: a test may ask a million times.
#[derive(Default)]
pub(super) struct Heard {
    calls: usize,
    first: Vec<Words>,
    last: VecDeque<(Words, Option<Words>)>,
}

type Words = Box<dyn Fn() -> String>;

impl Heard {
    /// How many calls, and the first ones.
    pub(super) fn summary(&self) -> String {
        let mut calls: Vec<String> = self.first.iter().map(|words| words()).collect();
        if self.calls > calls.len() {
            calls.push("...".to_owned());
        }
        match self.calls {
            0 => "calls nothing.".to_owned(),
            n => format!("makes {}: {}", count(n, "call"), calls.join(", ")),
        }
    }

    /// Whether the last call has not returned: what panicked is the candidate.
    pub(super) fn is_in_a_call(&self) -> bool {
        self.last.back().is_some_and(|(_, result)| result.is_none())
    }

    /// The last calls with what they returned: what a refusal rests on.
    pub(super) fn last_calls(&self) -> String {
        let calls: Vec<String> = self
            .last
            .iter()
            .map(|(call, result)| match result {
                Some(result) => format!("{} = {}", call(), result()),
                None => format!("{}, which did not return", call()),
            })
            .collect();
        match calls.len() {
            0 => " It had called nothing.".to_owned(),
            1 => format!(" Its only call was {}.", calls[0]),
            _ => format!(" Its last calls were {}.", calls.join(" and ")),
        }
    }
}

/// Makes a call on behalf of a test, and remembers it for the message.
///
/// `call` is the call as the learner wrote it, `show` shows its result.
pub fn watch<R: Clone + 'static>(
    call: impl Fn() -> String + Clone + 'static,
    run: impl FnOnce() -> R,
    show: fn(&R) -> Answer,
) -> R {
    HEARD.with_borrow_mut(|heard| {
        heard.calls += 1;
        if heard.first.len() < FIRST_MAX {
            heard.first.push(Box::new(call.clone()));
        }
        if heard.last.len() == LAST_MAX {
            heard.last.pop_front();
        }
        heard.last.push_back((Box::new(call), None));
    });
    let result = run();
    HEARD.with_borrow_mut(|heard| {
        if let Some(last) = heard.last.back_mut() {
            let result = result.clone();
            last.1 = Some(Box::new(move || show(&result).text));
        }
    });
    result
}

/// [`watch`] for the commonest call, a key that is decoded.
pub fn watch_decode<R: Show + Clone + 'static>(decode: impl FnOnce(&[u8]) -> R, key: &[u8]) -> R {
    let bytes = key.to_vec();
    let call = move || format!("decode({})", hex(&bytes));
    watch(call, || decode(key), Show::show)
}

/// What was heard since the last time, on this thread.
pub(super) fn take() -> Heard {
    HEARD.take()
}
