//! `INFO` and `MEMORY STATS` have the fields of Redis 7.0 in their order, and `INFO` values of the same kinds.

use std::net::SocketAddr;

use crate::common::StoreKind;
use crate::common::client::Client;
use crate::common::servers::{Ours, RealRedis};
use crate::common::waiting::eventually;

/// Fields of Redis that are left out: about its compiler, its allocator, and the memory of its Lua.
const LEFT_OUT: [&str; 17] = [
    "atomicvar_api",
    "gcc_version",
    "allocator_allocated",
    "allocator_active",
    "allocator_resident",
    "used_memory_lua",
    "used_memory_vm_eval",
    "used_memory_lua_human",
    "used_memory_vm_functions",
    "used_memory_vm_total",
    "used_memory_vm_total_human",
    "allocator_frag_ratio",
    "allocator_frag_bytes",
    "allocator_rss_ratio",
    "allocator_rss_bytes",
    "rss_overhead_ratio",
    "rss_overhead_bytes",
];
/// A field that Redis does not have.
const OWN: &str = "keys_in_order_version";

/// Programs take two answers of `TIME` for different ones.
#[test]
fn times_are_told_to_the_microsecond() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut client = Client::connect(ours.address);
    let mut monitor = Client::connect(ours.address);
    monitor.call(&["monitor"]);
    let mut times = move || {
        let time = client.call(&["time"]);
        let shown = monitor.reply().unwrap();
        let info = client.call(&["info", "server"]);
        monitor.reply().unwrap();
        let number = |text: &str, behind: &str, nth: usize| -> u64 {
            let rest = text.split(behind).nth(nth).unwrap();
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next();
            digits.unwrap().parse().unwrap()
        };
        [
            number(&time, "\\n", 4),
            number(&shown.escape_ascii().to_string(), ".", 1),
            number(&info, "server_time_usec:", 1),
        ]
    };
    for which in 0..3 {
        eventually(|| times()[which] % 1000 != 0);
    }
}

/// What a value is made of, without what differs from server to server.
fn kind(name: &str, value: &str) -> String {
    let is_free = matches!(
        name,
        "redis_build_id" | "os" | "executable" | "mem_allocator" | "run_id" | "master_replid"
    );
    if is_free {
        return (!value.is_empty()).to_string();
    }
    let mut kind = String::new();
    for c in value.chars() {
        let of = match c {
            '0'..='9' => '9',
            // A number of bytes, for people.
            'B' | 'K' | 'M' | 'G' | 'T' if name.ends_with("_human") => 'B',
            other => other,
        };
        if of != '9' || !kind.ends_with('9') {
            kind.push(of);
        }
    }
    // A small number of bytes has no fraction.
    kind.replace("9.9B", "9B")
}

fn fields(address: SocketAddr) -> Vec<(String, String)> {
    let mut client = Client::connect(address);
    client.call(&["set", "k", "v"]);
    // An error, of the same command: Redis shows commands in no order.
    client.call(&["set", "k"]);
    let text = client.call(&["info", "everything"]);
    let lines = text.split("\\r\\n").filter_map(|line| {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let is_field = !name.is_empty() && !name.starts_with('$') && !name.starts_with('=');
        is_field.then(|| (name.to_owned(), kind(name, value)))
    });
    lines.collect()
}

#[test]
fn info_has_the_fields_of_redis() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let mut expected = fields(real.address);
    expected.retain(|(name, _)| !LEFT_OUT.contains(&name.as_str()));
    let mut found = fields(ours.address);
    found.retain(|(name, _)| name != OWN);
    assert_eq!(found, expected);
}

/// The names in the answer to `MEMORY STATS`, and the greatest and the present number of bytes.
fn memory_stats(address: SocketAddr) -> (Vec<String>, [u64; 2]) {
    let mut client = Client::connect(address);
    let reply = client.call(&["memory", "stats"]);
    let parts: Vec<&str> = reply.split("\\r\\n").collect();
    let is_name = |part: &&&str| part.starts_with(|c: char| c.is_ascii_lowercase());
    let names = parts.iter().filter(is_name).map(ToString::to_string);
    let number = |name: &str| {
        let at = parts.iter().position(|part| *part == name).unwrap() + 1;
        parts[at].trim_start_matches(':').parse().unwrap()
    };
    let bytes = ["peak.allocated", "total.allocated"].map(number);
    (names.collect(), bytes)
}

#[test]
fn memory_stats_has_the_fields_of_redis() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let (mut expected, _) = memory_stats(real.address);
    expected.retain(|name| {
        let left_out = ["allocator", "rss-overhead", "db."];
        !left_out.iter().any(|begin| name.starts_with(begin))
    });
    let (found, [peak, total]) = memory_stats(ours.address);
    assert_eq!(found, expected);
    assert!(peak >= total);
}
