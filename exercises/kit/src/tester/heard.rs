//! What a test asked of its candidate, for messages.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{HashSet, VecDeque};

use crate::answer::{Answer, Show, hex};
use crate::render::count;

/// So many first and last calls of a test are told.
const FIRST_MAX: usize = 3;
const LAST_MAX: usize = 2;
/// So many last calls are kept: a test may make all its calls first and compare what came back afterwards.
const KEPT_MAX: usize = 512;

thread_local! {
    static HEARD: RefCell<Heard> = RefCell::new(Heard::default());
}

/// What a test asked of its candidate. Texts are made only when they are wanted: a test may ask a million times.
#[derive(Default)]
pub(super) struct Heard {
    calls: usize,
    first: Vec<Words>,
    last: VecDeque<(Words, Option<Shown>)>,
}

type Words = Box<dyn Fn() -> String>;
type Shown = Box<dyn Fn() -> Answer>;

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
        let told = self.last.len().saturating_sub(LAST_MAX);
        let calls: Vec<String> = self
            .last
            .range(told..)
            .map(|(call, result)| match result {
                Some(result) => format!("{} = {}", call(), result().text),
                None => format!("{}, which did not return", call()),
            })
            .collect();
        match calls.len() {
            0 => " It had called nothing.".to_owned(),
            1 => format!(" Its only call was {}.", calls[0]),
            _ => format!(" Its last calls were {}.", calls.join(" and ")),
        }
    }

    /// Which calls before the last ones a refusal rests on, as far as the reason for it shows. Nothing if the last ones say all.
    ///
    /// Cost: the text of every call that was kept. So it is for right candidates, which are few.
    pub(super) fn earlier_calls(&self, reason: &str) -> String {
        if self.last.len() <= LAST_MAX || self.is_in_a_call() {
            return String::new();
        }
        let returned: Vec<Returned> = self.last.iter().filter_map(Returned::of).collect();
        if let Some(sources) = self.sources(reason, &returned) {
            return sources;
        }
        let of_an_order = reason == FALSE || ORDERED.iter().any(|sign| reason.contains(sign));
        let turn = of_an_order.then(|| self.turn(&returned)).flatten();
        turn.unwrap_or_default()
    }

    /// Of an `assert_eq!`: the calls that had returned its two sides. Nothing where one of them was among the last calls, and
    /// for a side that no call or several have returned.
    fn sources(&self, reason: &str, returned: &[Returned]) -> Option<String> {
        let side = |name: &str| {
            let beginning = format!("{name}: ");
            let mut lines = reason.lines();
            let value = lines.find_map(|line| line.trim().strip_prefix(&beginning))?;
            Some(
                returned
                    .iter()
                    .filter(|call| call.is(value))
                    .collect::<Vec<_>>(),
            )
        };
        let (left, right) = (side("left")?, side("right")?);
        if left.iter().chain(&right).any(|call| self.is_told(call)) {
            return None;
        }
        match (left.as_slice(), right.as_slice()) {
            ([a], [b]) => Some(format!(
                " {} had returned what is on the left, and {} what is on the right.",
                a.call, b.call
            )),
            ([a], _) => Some(format!(" {} had returned what is on the left.", a.call)),
            (_, [b]) => Some(format!(" {} had returned what is on the right.", b.call)),
            _ => None,
        }
    }

    /// The first two neighbours among the calls of one function whose results do not go on as those before them: who
    /// makes all calls first and compares neighbours then meets them first. Where one argument was asked for twice, the calls
    /// were made for each comparison, and the last ones say it all.
    fn turn(&self, returned: &[Returned]) -> Option<String> {
        let mut functions: Vec<&str> = returned.iter().map(Returned::function).collect();
        functions.dedup();
        functions.into_iter().find_map(|function| {
            let calls: Vec<&Returned> = returned
                .iter()
                .filter(|call| call.function() == function)
                .collect();
            let mut asked = HashSet::new();
            if !calls.iter().all(|call| asked.insert(call.call.as_str())) {
                return None;
            }
            let orders = calls.windows(2).map(|pair| pair[0].compare(pair[1]));
            let orders: Vec<Ordering> = orders.collect::<Option<_>>()?;
            let goes_on = |order: &Ordering| *order == orders[0] && order.is_ne();
            let turn = orders.iter().position(|order| !goes_on(order))?;
            let [a, b] = [calls[turn], calls[turn + 1]];
            let told = self.is_told(a) && self.is_told(b);
            (turn >= STEPS_MIN && !told).then(|| {
                let [a, b] = [a, b].map(|call| format!("{} = {}", call.call, call.result.text));
                format!(
                    " In the order of the calls, the results of `{function}` go on in one direction up to {a}, and then comes \
                     {b}: if your test compares neighbours, it refuses these two."
                )
            })
        })
    }

    fn is_told(&self, call: &Returned) -> bool {
        let told = self.last.iter().rev().take(LAST_MAX);
        told.into_iter().any(|(words, _)| words() == call.call)
    }
}

/// The reason of a test that returns `false`.
pub(super) const FALSE: &str = "It returns false.";
/// So many results go on in one direction before it is called one.
const STEPS_MIN: usize = 2;
/// What stands in an assertion about an order.
const ORDERED: [&str; 4] = ["<", ">", "sorted", "cmp"];

/// A call that returned, in words.
struct Returned {
    call: String,
    result: Answer,
}

impl Returned {
    fn of((call, result): &(Words, Option<Shown>)) -> Option<Self> {
        Some(Self {
            call: call(),
            result: result.as_ref()?(),
        })
    }

    fn function(&self) -> &str {
        self.call.split('(').next().unwrap_or_default()
    }

    /// Whether an `assert_eq!` shows the result so.
    fn is(&self, debug: &str) -> bool {
        let bytes = self.result.bytes.as_ref();
        let plain = bytes.map(|bytes| format!("{bytes:?}"));
        let some = plain.as_ref().map(|bytes| format!("Some({bytes})"));
        [Some(&self.result.text), plain.as_ref(), some.as_ref()]
            .into_iter()
            .flatten()
            .any(|shown| shown == debug)
    }

    /// How two results compare, if they are keys or numbers.
    fn compare(&self, other: &Self) -> Option<Ordering> {
        // A number has bytes as well, those of its pattern.
        let is_key = |call: &Self| {
            let bytes = call.result.bytes.as_deref();
            bytes.is_some_and(|bytes| {
                call.result
                    .text
                    .trim_end_matches(')')
                    .ends_with(&hex(bytes))
            })
        };
        if is_key(self) && is_key(other) {
            return Some(self.result.bytes.cmp(&other.result.bytes));
        }
        let number = |call: &Self| {
            let text = call.result.text.trim_end_matches(')');
            let text = text.strip_prefix("Some(").unwrap_or(text);
            text.parse::<f64>().ok()
        };
        number(self)?.partial_cmp(&number(other)?)
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
        if heard.last.len() == KEPT_MAX {
            heard.last.pop_front();
        }
        heard.last.push_back((Box::new(call), None));
    });
    let result = run();
    HEARD.with_borrow_mut(|heard| {
        if let Some(last) = heard.last.back_mut() {
            let result = result.clone();
            last.1 = Some(Box::new(move || show(&result)));
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
