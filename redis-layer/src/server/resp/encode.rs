//! Encodes replies, in both versions of the protocol.

use crate::commands::{Protocol, Reply};
use crate::types::number::{format_double, whole};
use crate::types::packed::{append_bulk as bulk, append_number as header};
use crate::types::zset::Members;

/// Appends a reply to `out`.
pub fn encode(reply: &Reply, protocol: Protocol, out: &mut Vec<u8>) {
    let is_v3 = protocol == Protocol::Resp3;
    match reply {
        Reply::Status(text) => line(out, b'+', text.as_bytes()),
        Reply::Line(text) => line(out, b'+', text),
        Reply::Error(error) => line(out, b'-', error.as_bytes()),
        Reply::Integer(number) => header(out, b':', *number),
        Reply::Bulk(bytes) => bulk(out, bytes),
        Reply::Text(text) if is_v3 => verbatim(out, b"txt", text.as_bytes()),
        Reply::Verbatim { format, text } if is_v3 => verbatim(out, format, text),
        Reply::Verbatim { text, .. } => bulk(out, text),
        Reply::Text(text) => bulk(out, text.as_bytes()),
        Reply::Double(value) => double(out, *value, protocol),
        Reply::Decimal(digits) if is_v3 => line(out, b',', digits.as_bytes()),
        Reply::Decimal(digits) => bulk(out, digits.as_bytes()),
        Reply::Null => out.extend_from_slice(if is_v3 { b"_\r\n" } else { b"$-1\r\n" }),
        Reply::NullArray => out.extend_from_slice(if is_v3 { b"_\r\n" } else { b"*-1\r\n" }),
        Reply::Push(items) => list(out, if is_v3 { b'>' } else { b'*' }, items, protocol),
        Reply::Array(items) => list(out, b'*', items, protocol),
        Reply::Strings(strings) => {
            header(out, b'*', length(strings.len()));
            out.extend_from_slice(strings.framed());
        }
        Reply::Set(items) => list(out, if is_v3 { b'~' } else { b'*' }, items, protocol),
        Reply::Map(entries) if is_v3 => {
            header(out, b'%', length(entries.len()));
            flat(out, entries, protocol);
        }
        Reply::Map(entries) => {
            header(out, b'*', length(2 * entries.len()));
            flat(out, entries, protocol);
        }
        Reply::Pairs(entries) => pairs(out, entries, protocol),
        Reply::Scored(members) => scored(out, members, protocol),
        Reply::Boolean(value) if is_v3 => line(out, b'#', if *value { b"t" } else { b"f" }),
        Reply::Boolean(value) => header(out, b':', i64::from(*value)),
        Reply::BigNumber(digits) if is_v3 => line(out, b'(', digits),
        Reply::BigNumber(digits) => bulk(out, digits),
        Reply::Attributes(entries) if is_v3 => {
            header(out, b'|', length(entries.len()));
            flat(out, entries, protocol);
        }
        Reply::Attributes(_) => {}
        Reply::Several(replies) => {
            for reply in replies {
                encode(reply, protocol, out);
            }
        }
        Reply::Earlier(protocol, reply) => encode(reply, *protocol, out),
        Reply::Silence => {}
        Reply::Wait { .. } => debug_assert!(false, "{NEVER_SENT}"),
    }
}

/// What is wrong if a wait is to be sent.
const NEVER_SENT: &str = "a client waits, and is to get an answer: dispatch takes every wait out";

fn list(out: &mut Vec<u8>, kind: u8, items: &[Reply], protocol: Protocol) {
    header(out, kind, length(items.len()));
    for item in items {
        encode(item, protocol, out);
    }
}

/// Appends names and values one after the other, without anything around a pair.
fn flat(out: &mut Vec<u8>, entries: &[(Reply, Reply)], protocol: Protocol) {
    for (name, value) in entries {
        encode(name, protocol, out);
        encode(value, protocol, out);
    }
}

/// Appends the header of an array of pairs: in RESP3 each pair is an array of its own, in RESP2 the array is flat.
fn pairs_header(out: &mut Vec<u8>, pairs: usize, protocol: Protocol) {
    let items = match protocol {
        Protocol::Resp2 => 2 * pairs,
        Protocol::Resp3 => pairs,
    };
    header(out, b'*', length(items));
}

/// Appends what comes before each pair of such an array.
fn pair_header(out: &mut Vec<u8>, protocol: Protocol) {
    if protocol == Protocol::Resp3 {
        header(out, b'*', 2);
    }
}

fn pairs(out: &mut Vec<u8>, entries: &[(Reply, Reply)], protocol: Protocol) {
    pairs_header(out, entries.len(), protocol);
    for (first, second) in entries {
        pair_header(out, protocol);
        encode(first, protocol, out);
        encode(second, protocol, out);
    }
}

fn scored(out: &mut Vec<u8>, members: &Members, protocol: Protocol) {
    pairs_header(out, members.len(), protocol);
    for (member, score) in members.framed() {
        pair_header(out, protocol);
        out.extend_from_slice(member);
        double(out, score, protocol);
    }
}

fn double(out: &mut Vec<u8>, value: f64, protocol: Protocol) {
    if let Some(whole) = whole(value) {
        // The fast path: most scores are whole numbers.
        let mut digits = itoa::Buffer::new();
        let text = digits.format(whole).as_bytes();
        return match protocol {
            Protocol::Resp2 => bulk(out, text),
            Protocol::Resp3 => line(out, b',', text),
        };
    }
    let text = format_double(value);
    match protocol {
        Protocol::Resp2 => bulk(out, &text),
        Protocol::Resp3 => line(out, b',', &text),
    }
}

/// The format must have three letters, so another one is cut or padded.
fn verbatim(out: &mut Vec<u8>, format: &[u8], text: &[u8]) {
    let letter = |at: usize| format.get(at).copied().unwrap_or(b' ');
    header(out, b'=', length(text.len() + 4));
    out.extend_from_slice(&[letter(0), letter(1), letter(2), b':']);
    out.extend_from_slice(text);
    out.extend_from_slice(b"\r\n");
}

fn line(out: &mut Vec<u8>, kind: u8, text: &[u8]) {
    out.push(kind);
    out.extend_from_slice(text);
    out.extend_from_slice(b"\r\n");
}

/// A length as a number. It fits, because the thing fits in memory.
fn length(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::CommandError;
    use crate::types::packed::{FRAME_BYTES_MAX, Strings};
    use crate::types::zset::Element;

    fn bytes(reply: &Reply, protocol: Protocol) -> String {
        let mut out = Vec::new();
        encode(reply, protocol, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// If the buffer grew while it is written, a string of half a gigabyte would be in memory twice.
    #[test]
    fn strings_fit_where_there_is_room_for_their_size() {
        let mut replies = Vec::new();
        for length in [0, 1, 9, 10, 99, 100, 999, 1000, 9999, 10_000, 1 << 20] {
            replies.push(Reply::Bulk(vec![b'x'; length].into()));
        }
        for count in [0, 1, 1000, 200_000] {
            let mut strings = Strings::with_capacity(count, 0);
            (0..count).for_each(|_| strings.push(b""));
            replies.push(Reply::Strings(strings));
            let items = std::iter::repeat_n(Reply::text("some text"), count);
            replies.push(Reply::Array(items.collect()));
        }
        replies.push(Reply::Push(replies.clone()));
        for protocol in [Protocol::Resp2, Protocol::Resp3] {
            for reply in &replies {
                let mut out = Vec::with_capacity(reply.size() + FRAME_BYTES_MAX);
                let room = out.capacity();
                encode(reply, protocol, &mut out);
                assert_eq!(out.capacity(), room, "{} bytes", out.len());
            }
        }
    }

    #[test]
    fn each_kind_has_its_form_in_each_protocol() {
        let element = Element {
            member: "m".into(),
            score: 0.5,
        };
        let pair = || (Reply::text("k"), Reply::Integer(1));
        for (reply, v2, v3) in [
            (Reply::OK, "+OK\r\n", "+OK\r\n"),
            (
                Reply::Error(CommandError::fixed("ERR no")),
                "-ERR no\r\n",
                "-ERR no\r\n",
            ),
            (
                Reply::Integer(i64::MIN),
                ":-9223372036854775808\r\n",
                ":-9223372036854775808\r\n",
            ),
            (Reply::text(""), "$0\r\n\r\n", "$0\r\n\r\n"),
            (Reply::Text("a".into()), "$1\r\na\r\n", "=5\r\ntxt:a\r\n"),
            (Reply::Null, "$-1\r\n", "_\r\n"),
            (
                Reply::Double(f64::NEG_INFINITY),
                "$4\r\n-inf\r\n",
                ",-inf\r\n",
            ),
            (Reply::Decimal("0.50".into()), "$4\r\n0.50\r\n", ",0.50\r\n"),
            (
                Reply::Array(vec![Reply::Null]),
                "*1\r\n$-1\r\n",
                "*1\r\n_\r\n",
            ),
            (Reply::Set(vec![]), "*0\r\n", "~0\r\n"),
            (
                Reply::Map(vec![pair()]),
                "*2\r\n$1\r\nk\r\n:1\r\n",
                "%1\r\n$1\r\nk\r\n:1\r\n",
            ),
            (
                Reply::Pairs(vec![pair()]),
                "*2\r\n$1\r\nk\r\n:1\r\n",
                "*1\r\n*2\r\n$1\r\nk\r\n:1\r\n",
            ),
            (
                Reply::Scored(vec![element].into()),
                "*2\r\n$1\r\nm\r\n$3\r\n0.5\r\n",
                "*1\r\n*2\r\n$1\r\nm\r\n,0.5\r\n",
            ),
            (
                Reply::Verbatim {
                    format: "mkd".into(),
                    text: "a".into(),
                },
                "$1\r\na\r\n",
                "=5\r\nmkd:a\r\n",
            ),
            (Reply::Silence, "", ""),
        ] {
            assert_eq!(bytes(&reply, Protocol::Resp2), v2);
            assert_eq!(bytes(&reply, Protocol::Resp3), v3);
        }
    }
}
