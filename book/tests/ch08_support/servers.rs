//! The servers that a chapter talks to, and a story told to both: ours, with the engine in memory below it, and a real
//! Redis where one is installed. They are those of redis-layer's own tests.

use std::sync::Arc;

use engine::vfs::MemoryVfs;
use redis_layer::store::EngineStore;

use crate::client::Talk;
use started::{Ours, RealRedis};

#[path = "../../../redis-layer/tests/common/servers.rs"]
mod started;
#[path = "../../../redis-layer/tests/common/threads.rs"]
#[expect(
    dead_code,
    reason = "no chapter asks whether a server has anything left to do"
)]
mod threads;
#[path = "../../../redis-layer/tests/common/waiting.rs"]
#[expect(dead_code, reason = "the servers' own tests wait for more")]
mod waiting;

/// Tells the same story to our server and to a real Redis, and returns what was said.
///
/// # Panics
/// If the two answer differently.
pub(crate) fn told_to_both(story: impl Fn(&mut Talk)) -> String {
    let told = |address| {
        let mut talk = Talk::with(address);
        story(&mut talk);
        talk.transcript
    };
    let ours = ours();
    let transcript = told(ours.address);
    if let Some(real) = RealRedis::start() {
        assert_eq!(transcript, told(real.address), "ours, and a real Redis");
    }
    transcript
}

/// Our server, on a free port.
pub(crate) fn ours() -> Ours {
    let options = engine::Options {
        vfs: Arc::new(MemoryVfs::new()),
        ..engine::Options::default()
    };
    Ours::start(Arc::new(EngineStore::open_with("/data", options).unwrap()))
}
