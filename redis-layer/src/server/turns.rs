//! Answers of connections that are ready together are sent together.
//!
//! Sending to a client that sleeps wakes it, and that is half of the cost of sending. A client with many connections
//! that is woken for each answer reads that answer, sends a command, and sleeps again before the next answer comes.
//! So a thread first runs the commands of all connections that are ready, and then sends all their answers, as Redis
//! does: the first answer wakes the client, which is awake when the others come.
//!
//! A connection that is alone does not wait for others: if a thread has served only one connection since it was last
//! idle, that one is answered at once. Only threads that know when they become idle take part.
//!
//! Left out: runtimes with several threads. There, delayed answers are work for which an idle thread is woken;
//! measured, that costs more than it saves.

use std::cell::Cell;

thread_local! {
    /// Whether this thread has served a connection since it was last idle. `None` if it is not told when it becomes
    /// idle.
    static HAS_SERVED: Cell<Option<bool>> = const { Cell::new(None) };
}

/// Says that the thread of a runtime is idle: for [`on_thread_park`](tokio::runtime::Builder::on_thread_park). Only
/// worth using for a runtime with one thread.
pub fn thread_parks() {
    HAS_SERVED.set(Some(false));
}

/// Whether this thread is told when it becomes idle.
pub(super) fn takes_turns() -> bool {
    HAS_SERVED.get().is_some()
}

/// Whether other connections may be ready too: this thread has served one since it was last idle.
pub(super) fn others_may_be_ready() -> bool {
    HAS_SERVED.get() == Some(true)
}

/// Lets other ready connections run, if there may be any.
pub(super) async fn yield_to_ready() {
    if takes_turns() && HAS_SERVED.replace(Some(true)) == Some(true) {
        tokio::task::yield_now().await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// The order in which three connections that are ready together run and answer.
    fn order(tells: bool) -> Vec<&'static str> {
        HAS_SERVED.set(None);
        if tells {
            thread_parks();
        }
        let steps = RefCell::new(Vec::new());
        let connection = async |run, answer| {
            steps.borrow_mut().push(run);
            yield_to_ready().await;
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
