#![no_main]
//! Commands with any arguments, on a store in memory: none of them panics, and afterwards every row agrees with every
//! other. The first bytes of a word choose a command of the table, so that most inputs reach one.

use std::sync::Arc;

use bytes::Bytes;
use redis_layer::commands::table::{COMMANDS, Flag, Group, Handler, Spec};
use redis_layer::commands::{Server, Settings, execute};
use redis_layer::store::{BTreeStore, Store};
use redis_layer::types::{ManualClock, check};

/// A day in 2026, in milliseconds.
const NOW_MS: i64 = 1_790_000_000_000;

/// Commands on keys only: the others sleep, stop the server or write files.
fn is_fuzzed(spec: &Spec) -> bool {
    matches!(spec.handler, Handler::Keys(_) | Handler::Both(_))
        && !matches!(spec.group, Group::Scripting | Group::Server | Group::Connection)
        && !spec.has(Flag::Admin)
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let fuzzed: Vec<&&Spec> = COMMANDS.iter().filter(|spec| is_fuzzed(spec)).collect();
    let store: Arc<dyn Store> = Arc::new(BTreeStore::new());
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let settings = Settings {
        config: Vec::new(),
        port: 0,
    };
    let server = Arc::new(Server::new(Arc::clone(&store), clock, settings));
    let mut session = server.connect("fuzz".into(), "fuzz".into());
    for line in input.split(|&byte| byte == b'\n').take(16) {
        let Some((&number, words)) = line.split_first() else {
            continue;
        };
        let spec = fuzzed[usize::from(number) % fuzzed.len()];
        let mut args = vec![Bytes::from(spec.name)];
        args.extend(words.split(|&byte| byte == b' ').map(Bytes::copy_from_slice));
        // A long string is allowed, and only takes time here.
        let is_huge = args.iter().any(|arg| arg.len() > 7 && arg.iter().all(u8::is_ascii_digit));
        if !is_huge {
            execute(&mut session, &args);
        }
    }
    let report = check(&*store).expect("what commands write can be read");
    assert_eq!(report.faults, []);
});
