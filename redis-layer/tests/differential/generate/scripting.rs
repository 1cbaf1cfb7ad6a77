//! Scripts: values of all kinds there and back, errors with their places, the cache of scripts, and no functions.
//!
//! Nothing without an order is returned: its elements would stand in another order inside the answer.

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;

const SCRIPTS: [&str; 30] = [
    "return redis.call('get', KEYS[1])",
    "return {1, 2, 'x', false, true, {ok = 'fine'}, {err = 'ERR bad'}, nil, 4}",
    "return redis.call('incr', KEYS[1])",
    "return redis.pcall('lpush', KEYS[1], ARGV[1])",
    "return redis.error_reply('ERR my own')",
    "return redis.error_reply('MY own')",
    "return redis.status_reply('yes')",
    "return #ARGV",
    "return tostring(3.5)",
    "return 3.99",
    "return -3.99",
    "return nil",
    "redis.call('set', KEYS[1], ARGV[1]) return redis.call('get', KEYS[1])",
    "redis.call('set', KEYS[1], 'x') return redis.call('lpush', KEYS[1], 'y')",
    "return cjson.encode({1, 2.5, 'a'})",
    "return cjson.decode(ARGV[1])",
    "return redis.sha1hex(ARGV[1] or '')",
    "local t = {} for i, v in ipairs(ARGV) do t[i] = v end return t",
    "return redis.call('zadd', KEYS[1], 1, ARGV[1])",
    "return redis.call('zscore', KEYS[1], ARGV[1])",
    "return redis.call('ttl', 'nothing')",
    "error('on purpose')",
    "return redis.call('nope')",
    "return redis.call('get')",
    "return x",
    "this is no script",
    "return struct.pack('>I2', 258)",
    "return bit.band(7, 10)",
    "return cmsgpack.unpack(cmsgpack.pack({1, 'x'}))",
    "redis.setresp(3) return redis.call('zscore', KEYS[1], ARGV[1])",
];

/// The SHA-1 of `SCRIPTS[0]`, and one of nothing.
const NAMES: [&str; 2] = [
    "4e6d8fc8bb01276962cce5371fa795a7763657ae",
    "0000000000000000000000000000000000000000",
];

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    let script = g.pick(&SCRIPTS);
    vec![match g.below(16) {
        0..=8 => {
            let name = g.pick(&[&b"eval"[..], b"eval", b"eval_ro"]);
            with_keys(g, args([name, script.as_bytes()]))
        }
        9 | 10 => {
            let name = g.pick(&[&b"evalsha"[..], b"evalsha_ro"]);
            let hash = g.pick(&NAMES);
            with_keys(g, args([name, hash.as_bytes()]))
        }
        11 => args([b"script", b"load", SCRIPTS[0].as_bytes()]),
        12 => args([
            b"script",
            b"exists",
            NAMES[0].as_bytes(),
            b"x",
            NAMES[1].as_bytes(),
        ]),
        13 => args([b"script", g.pick(&[&b"flush"[..], b"kill", b"nope"])]),
        14 => {
            let name = g.pick(&[&b"fcall"[..], b"fcall_ro"]);
            with_keys(g, args([name, b"nobody"]))
        }
        _ => match g.below(5) {
            0 => args([b"function", b"delete", b"nothing"]),
            1 => args([b"function", b"flush"]),
            2 => args([b"function", b"kill"]),
            3 => args([b"function", b"stats"]),
            _ => args([b"function", b"list"]),
        },
    }]
}

/// A number of keys, mostly the right one, keys and arguments.
fn with_keys(g: &mut Generator, mut command: Command) -> Command {
    let count = g.below(3);
    if g.once_in(10) {
        command.push(Bytes::from_static(g.integer()));
    } else {
        command.push(count.to_string().into());
    }
    for _ in 0..count {
        command.push(Bytes::from_static(g.any_key()));
    }
    for _ in 0..g.below(3) {
        command.push(Bytes::from_static(g.member()));
    }
    command
}
