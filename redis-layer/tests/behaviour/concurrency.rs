//! Many threads on one key.

use std::sync::Arc;

use redis_layer::commands::{Reply, Server, execute};
use redis_layer::types::check;

use crate::common::{Direct, StoreKind, scope_in_time, show, unescape};

const THREADS: usize = 4;
const ROUNDS: usize = 200;

/// Runs `work` on its own connection in each of several threads.
fn in_threads(server: &Arc<Server>, work: impl Fn(usize, &mut dyn FnMut(&str) -> Reply) + Sync) {
    scope_in_time(|scope| {
        for thread in 0..THREADS {
            let mut session = server.connect(String::new(), String::new());
            let work = &work;
            scope.spawn(move || {
                let mut run = |line: &str| {
                    let args: Vec<_> = line.split(' ').map(unescape).collect();
                    execute(&mut session, &args).reply
                };
                work(thread, &mut run);
            });
        }
    });
}

/// Two ZADDs of one member that do not wait for each other leave two score rows.
#[test]
fn concurrent_adds_of_one_member_leave_one_score_row() {
    for kind in StoreKind::ALL {
        let mut direct = Direct::new(kind);
        in_threads(&direct.server, |thread, run| {
            for round in 0..ROUNDS {
                run(&format!("zadd z {} same", round * THREADS + thread));
                if round % 10 == 9 {
                    run("zrem z same");
                }
            }
        });
        direct.run("zadd z 1 same");
        assert_eq!(
            direct.show("zrange z 0 -1 withscores"),
            "[same=1]",
            "over {kind:?}"
        );
        direct.check();
        // What the rows of a set without members look like: nothing at all.
        direct.run("zrem z same");
        assert_eq!(check(&*direct.store).unwrap().elements, 0);
    }
}

/// NeoKV reads, adds and writes without a lock on the key, and loses updates.
#[test]
fn concurrent_increments_are_all_counted() {
    for kind in StoreKind::ALL {
        let mut direct = Direct::new(kind);
        in_threads(&direct.server, |_, run| {
            for _ in 0..ROUNDS {
                run("zincrby z 1 counter");
            }
        });
        let expected = (THREADS * ROUNDS).to_string();
        assert_eq!(direct.show("zscore z counter"), expected, "over {kind:?}");
        direct.check();
    }
}

/// A queue: what is popped was added, once.
#[test]
fn concurrent_pops_never_share_a_member() {
    for kind in StoreKind::ALL {
        let mut direct = Direct::new(kind);
        let popped = parking_lot::Mutex::new(Vec::new());
        in_threads(&direct.server, |thread, run| {
            for round in 0..ROUNDS {
                run(&format!("zadd z {round} m{thread}-{round}"));
                if let Reply::Array(pair) = run("zpopmin z")
                    && let Some(member) = pair.first()
                {
                    popped.lock().push(show(member));
                }
            }
        });
        let mut popped = popped.into_inner();
        assert_eq!(popped.len(), THREADS * ROUNDS, "over {kind:?}");
        popped.sort();
        popped.dedup();
        assert_eq!(popped.len(), THREADS * ROUNDS, "over {kind:?}");
        assert_eq!(direct.show("exists z"), "0");
        direct.check();
    }
}

/// DEL of two keys in either order, and FLUSHALL, take many locks at once.
#[test]
fn commands_on_many_keys_do_not_deadlock() {
    for kind in StoreKind::ALL {
        let direct = Direct::new(kind);
        in_threads(&direct.server, |thread, run| {
            for _ in 0..ROUNDS / 4 {
                match thread % 4 {
                    0 => run("del a b c"),
                    1 => run("del c b a"),
                    2 => run("flushall"),
                    _ => run("zadd b 1 x"),
                };
            }
        });
        direct.check();
    }
}

/// A reader sees a command's writes all together: the size always fits the rows.
#[test]
fn readers_see_whole_commands() {
    for kind in StoreKind::ALL {
        let direct = Direct::new(kind);
        in_threads(&direct.server, |thread, run| {
            for round in 0..ROUNDS {
                if thread == 0 {
                    run(&format!("zadd z {round} a {round} b {round} c"));
                    run("zrem z a b c");
                } else {
                    let members = show(&run("zrange z 0 -1"));
                    assert!(
                        ["[]", "[a b c]"].contains(&&*members),
                        "over {kind:?}: {members}"
                    );
                }
            }
        });
        direct.check();
    }
}
