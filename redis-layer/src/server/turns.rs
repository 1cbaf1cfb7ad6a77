//! Answers of connections that are ready together leave together.
//!
//! To send to a client that sleeps is to wake it, and that is half of the cost of a send. A client with many connections that
//! is woken for each answer reads it, asks again, and sleeps before the next answer comes. So a thread first runs the
//! commands of all connections that are ready, and then sends all their answers, as Redis does: the first of them
//! wakes the client, which is awake when the others come.
//!
//! Who is alone waits for nobody: if a thread has served one connection since it last had nothing to do, that one is
//! answered at once. Only threads that tell when they have nothing to do take part.
//!
//! Left out: runtimes of several threads. There, answers that wait are work that an idle thread is woken for: measured, that
//! costs more than it saves.

use std::cell::Cell;

thread_local! {
    /// Whether this thread has served a connection since it last had nothing to do. `None` if it does not tell.
    static HAS_SERVED: Cell<Option<bool>> = const { Cell::new(None) };
}

/// The thread of a runtime has nothing to do: for [`on_thread_park`](tokio::runtime::Builder::on_thread_park). To be told so
/// is worth it for a runtime of one thread.
pub fn thread_rests() {
    HAS_SERVED.set(Some(false));
}

/// Whether this thread tells when it has nothing to do.
pub(super) fn takes_turns() -> bool {
    HAS_SERVED.get().is_some()
}

/// Whether other connections may be ready too: this thread has served one since it last had nothing to do.
pub(super) fn others_may_be_ready() -> bool {
    HAS_SERVED.get() == Some(true)
}

/// Lets the other connections run that are ready, if there may be any.
pub(super) async fn let_others_run() {
    if takes_turns() && HAS_SERVED.replace(Some(true)) == Some(true) {
        tokio::task::yield_now().await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// In which order three connections that are ready together run and answer.
    fn order(tells: bool) -> Vec<&'static str> {
        HAS_SERVED.set(None);
        if tells {
            thread_rests();
        }
        let steps = RefCell::new(Vec::new());
        let connection = async |run, answer| {
            steps.borrow_mut().push(run);
            let_others_run().await;
            steps.borrow_mut().push(answer);
        };
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.build().unwrap().block_on(async {
            tokio::join!(
                connection("run 1", "answer 1"),
                connection("run 2", "answer 2"),
                connection("run 3", "answer 3"),
            );
        });
        steps.into_inner()
    }

    #[test]
    fn the_first_is_answered_at_once_and_the_others_when_all_have_run() {
        let [run, answer] = [
            ["run 1", "run 2", "run 3"],
            ["answer 1", "answer 2", "answer 3"],
        ];
        let together = [run[0], answer[0], run[1], run[2], answer[1], answer[2]];
        assert_eq!(order(true), together);
    }

    #[test]
    fn a_thread_that_does_not_tell_when_it_rests_answers_at_once() {
        let steps = order(false);
        assert_eq!(steps[..4], ["run 1", "answer 1", "run 2", "answer 2"]);
    }
}
