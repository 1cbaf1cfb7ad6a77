//! Where replies differ from Redis on purpose: `docs/differences.md`, each with its test. If a
//! difference goes away, its test fails and the page must change.

mod common;

use common::StoreKind;
use common::client::Client;
use common::servers::{Ours, RealRedis};

fn both() -> Option<(RealRedis, Ours)> {
    Some((RealRedis::start()?, Ours::start(StoreKind::BTree.open())))
}

/// Redis keeps the sign of a zero in a skip list and shows it. Here the two zeros are one score.
#[test]
fn negative_zero_is_printed_without_its_sign() {
    let Some((real, ours)) = both() else {
        return;
    };
    let long_member = "m".repeat(100);
    let ask = |address| {
        let mut client = Client::connect(address);
        // One long member makes Redis use a skip list.
        client.call(&["zadd", "z", "1", &long_member]);
        client.call(&["zadd", "z", "-0", "a"]);
        [
            client.call(&["zscore", "z", "a"]),
            client.call(&["zrangebyscore", "z", "0", "0"]),
            client.call(&["zcount", "z", "-0", "0"]),
        ]
    };
    let (from_real, from_ours) = (ask(real.address), ask(ours.address));
    assert_eq!(from_real[0], "$2\\r\\n-0\\r\\n");
    assert_eq!(from_ours[0], "$1\\r\\n0\\r\\n");
    // Both find the member by either zero.
    assert_eq!(from_real[1..], from_ours[1..]);
    assert_eq!(from_ours[2], ":1\\r\\n");
}

/// Redis counts a key that expired until somebody asks for it. Here it is not counted.
#[test]
fn an_expired_key_is_not_counted() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let mut client = Client::connect(address);
        let script = [&["set", "s", "v", "pxat", "1"][..], &["dbsize"]];
        let command = |words: &&[&str]| words.iter().map(|word| common::unescape(word)).collect();
        let commands: Vec<_> = script.iter().map(command).collect();
        // At once, so that Redis's own cleaning has no time.
        client.pipeline(&commands)[1].clone()
    };
    assert_eq!(ask(real.address), b":1\r\n");
    assert_eq!(ask(ours.address), b":0\r\n");
}

/// Redis leaves undefined what BYLEX finds among different scores. Here it is always the members
/// in the range, by their bytes.
#[test]
fn lexical_ranges_do_not_depend_on_scores() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut client = Client::connect(ours.address);
    client.call(&["zadd", "z", "9", "a", "1", "b", "5", "c"]);
    let found = client.call(&["zrangebylex", "z", "[a", "[b"]);
    assert_eq!(found, "*2\\r\\n$1\\r\\na\\r\\n$1\\r\\nb\\r\\n");
}

/// Every setting is fixed at the start.
#[test]
fn settings_cannot_be_changed() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut client = Client::connect(ours.address);
    let refused = client.call(&["config", "set", "maxclients", "5"]);
    assert_eq!(
        refused,
        "-ERR CONFIG SET failed (possibly related to argument \\'maxclients\\') - can\\'t set \
         immutable config\\r\\n"
    );
    let unknown = client.call(&["config", "set", "nope", "5"]);
    assert!(
        unknown.starts_with("-ERR Unknown option or number of arguments"),
        "{unknown}"
    );
}
