//! Calls that may panic, and what their panics say.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::answer::{Answer, Outcome};

/// Where a panic happened that no line of the learner's raised.
pub(crate) const IN_THE_LIBRARY: &str = "inside the standard library";

/// Where a panic happened that our hook was not told of.
const HIDDEN: &str =
    "at a line that nobody knows, because the code has a panic hook of its own or resumes a panic";

/// How `todo!()` begins its message.
const TODO: &str = "not yet implemented";

thread_local! {
    /// `None` while no guarded call runs; then the last panic's message and place.
    static LAST: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// Makes a call and reports how it ended. A panic's message is kept, not printed. Calls may be nested.
pub(crate) fn call(ask: impl FnOnce() -> Answer) -> Outcome {
    install();
    let outer = LAST.replace(Some((String::new(), String::new())));
    let result = panic::catch_unwind(AssertUnwindSafe(ask));
    let last = LAST.replace(outer);
    match result {
        Ok(answer) => Outcome::Answer(answer),
        Err(payload) => {
            let heard = last.filter(|(_, place)| !place.is_empty());
            let (message, place) = heard.unwrap_or_else(|| (words(&*payload), HIDDEN.to_owned()));
            if message.starts_with(TODO) {
                Outcome::Todo { place }
            } else {
                Outcome::Panic { message, place }
            }
        }
    }
}

/// What a panic says that was caught.
fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

/// Reaches, for the call around this one, the `todo!()` that a nested call has reached.
pub(crate) fn reach_todo(place: String) -> ! {
    LAST.set(Some((TODO.to_owned(), place)));
    panic::resume_unwind(Box::new(()))
}

fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let guarded = LAST.with_borrow_mut(|last| {
                let guarded = last.is_some();
                if guarded {
                    let message = info
                        .payload_as_str()
                        .unwrap_or("a panic without a message")
                        .to_owned();
                    let place = info
                        .location()
                        .map_or_else(String::new, |at| place(at.file(), at.line()));
                    *last = Some((message, place));
                }
                guarded
            });
            if !guarded {
                before(info);
            }
        }));
    });
}

/// The place of a panic, for a sentence. Lines of the standard library are none of the learner's, and
/// differ from one toolchain to the next.
fn place(file: &str, line: u32) -> String {
    let file = plain_path(file);
    let standard = file.starts_with("/rustc/") || file.contains("/lib/rustlib/src/");
    // What a learner's code calls or is handed: a board that counts its calls, a store that somebody else wrote.
    let lent = file.starts_with("exercises/ch") && file.contains("/checks/");
    if standard {
        IN_THE_LIBRARY.to_owned()
    } else if lent {
        "in what the exercise handed out".to_owned()
    } else {
        format!("at {file}:{line}")
    }
}

/// A path with forward slashes and without the detours of a `#[path]`.
fn plain_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        if part == ".." && parts.last().is_some_and(|last| *last != "..") {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Show;

    #[test]
    fn paths_lose_their_detours() {
        assert_eq!(plain_path("a/checks/../mistakes/b.rs"), "a/mistakes/b.rs");
        assert_eq!(plain_path("../b.rs"), "../b.rs");
    }

    #[test]
    fn the_standard_library_has_no_lines() {
        assert_eq!(place("src/a.rs", 7), "at src/a.rs:7");
        assert_eq!(
            place("exercises/ch01-sorted-map/checks/a.rs", 7),
            "in what the exercise handed out"
        );
        for file in [
            "/rustc/5980/library/alloc/src/collections/btree/search.rs",
            "/home/a/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/option.rs",
        ] {
            assert_eq!(place(file, 7), IN_THE_LIBRARY);
        }
    }

    #[test]
    fn tells_answers_todos_and_panics_apart() {
        assert_eq!(call(|| 7_i64.show()), Outcome::Answer(7_i64.show()));
        for left in [call(|| todo!("encode {}", 1)), call(|| todo!())] {
            let Outcome::Todo { place } = left else {
                panic!("the `todo!()` was not seen");
            };
            assert!(place.contains("guard.rs:"), "{place}");
        }
        let Outcome::Panic { message, place } = call(|| panic!("no such {}", "luck")) else {
            panic!("the panic was not seen");
        };
        assert_eq!(message, "no such luck");
        assert!(place.contains("guard.rs:"), "{place}");
    }

    #[test]
    fn a_todo_reached_again_keeps_its_place() {
        let inner = call(|| todo!("inside"));
        let Outcome::Todo { place } = inner.clone() else {
            panic!("the `todo!()` was not seen");
        };
        assert_eq!(call(|| reach_todo(place.clone())), inner);
    }

    #[test]
    fn an_inner_call_leaves_the_outer_one_guarded() {
        let outer = call(|| {
            assert!(call(|| panic!("inside")).brief().contains("inside"));
            panic!("outside")
        });
        assert!(outer.brief().ends_with("outside"), "{}", outer.brief());
    }
}
