//! The request parser on any bytes, cut anywhere.

use std::collections::VecDeque;

use bytes::{BufMut, Bytes};
use proptest::collection::vec;
use proptest::prelude::*;
use redis_layer::server::resp::{Limits, Parser, ProtocolError};

/// Small, so that random bytes reach them.
const LIMITS: Limits = Limits {
    bulk_bytes: 64,
    line_bytes: 48,
    query_bytes: 512,
    arguments: 1024 * 1024,
    is_unauthenticated: false,
};

type Outcome = (Vec<Vec<Bytes>>, Option<ProtocolError>);

/// Feeds `bytes` in pieces of these lengths, again and again, and takes what comes out, so many commands at a time.
fn parse_together(bytes: &[u8], pieces: &[usize], most: usize) -> Outcome {
    let mut parser = Parser::new(LIMITS);
    let mut commands = VecDeque::new();
    let mut left = bytes;
    for &piece in pieces.iter().cycle() {
        let (now, later) = left.split_at(piece.clamp(1, left.len().max(1)).min(left.len()));
        parser.buffer().put_slice(now);
        left = later;
        loop {
            let before = commands.len();
            let taken = parser.next_commands(before + most, usize::MAX, &mut commands);
            if let Err(error) = taken {
                return (commands.into(), Some(error));
            }
            assert!(commands.len() <= before + most);
            if commands.len() == before {
                break;
            }
        }
        let most = LIMITS.query_bytes + LIMITS.line_bytes;
        assert!(
            parser.pending_bytes() <= most,
            "{} bytes are kept",
            parser.pending_bytes()
        );
        if left.is_empty() {
            break;
        }
    }
    (commands.into(), None)
}

fn parse(bytes: &[u8], pieces: &[usize]) -> Outcome {
    parse_together(bytes, pieces, 64)
}

/// Bytes that look like requests most of the time.
fn request_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\r\n".to_vec()),
        Just(b"*2\r\n".to_vec()),
        Just(b"*1\r\n$4\r\nPING\r\n".to_vec()),
        Just(b"$3\r\nabc\r\n".to_vec()),
        Just(b"*-1\r\n".to_vec()),
        Just(b"*2147483647\r\n".to_vec()),
        Just(b"$64\r\n".to_vec()),
        Just(b"set \"a b\" 'c'\r\n".to_vec()),
        Just(b"\"".to_vec()),
        (0_i64..100).prop_map(|n| format!("${n}\r\n").into_bytes()),
        (-2_i64..5).prop_map(|n| format!("*{n}\r\n").into_bytes()),
        vec(any::<u8>(), 0..20),
    ];
    vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn cuts_make_no_difference_and_nothing_panics(
        bytes in request_like(),
        pieces in vec(1_usize..30, 1..10),
    ) {
        let at_once = parse(&bytes, &[bytes.len().max(1)]);
        let in_pieces = parse(&bytes, &pieces);
        let by_bytes = parse(&bytes, &[1]);
        prop_assert_eq!(&in_pieces, &by_bytes);
        prop_assert_eq!(&parse_together(&bytes, &pieces, 1), &by_bytes);
        prop_assert_eq!(&parse_together(&bytes, &pieces, 3), &by_bytes);
        // A query that is too large may be noticed before or after its last byte has come.
        if at_once.1 != Some(ProtocolError::QueryTooLarge) {
            prop_assert_eq!(&at_once, &by_bytes);
        }
    }

    #[test]
    fn what_is_encoded_is_parsed(commands in vec(vec(vec(any::<u8>(), 0..20), 1..6), 0..5)) {
        let mut bytes = Vec::new();
        for command in &commands {
            bytes.extend_from_slice(format!("*{}\r\n", command.len()).as_bytes());
            for arg in command {
                bytes.extend_from_slice(format!("${}\r\n", arg.len()).as_bytes());
                bytes.extend_from_slice(arg);
                bytes.extend_from_slice(b"\r\n");
            }
        }
        let (parsed, error) = parse(&bytes, &[7]);
        prop_assert_eq!(error, None);
        prop_assert_eq!(parsed, commands);
    }
}

/// A command that has arrived whole is taken at one look, and others are not: both must read its numbers alike.
#[test]
fn odd_numbers_are_judged_alike_in_one_piece_and_in_many() {
    for count in [
        "1",
        "01",
        "+1",
        "-1",
        "0",
        "",
        "1 ",
        "0000000001",
        "99999999999",
    ] {
        for length in ["4", "04", "+4", "-4", "", " 4", "0000000004", "99999999999"] {
            for (after_count, after_length) in [("\r\n", "\r\n"), ("\rx", "\r\n"), ("\r\n", "\r\r")]
            {
                let text = format!("*{count}{after_count}${length}{after_length}PING\r\n");
                let bytes = text.as_bytes();
                assert_eq!(parse(bytes, &[bytes.len()]), parse(bytes, &[1]), "{text:?}");
            }
        }
    }
}

#[test]
fn announced_lengths_allocate_nothing() {
    let mut parser = Parser::new(Limits::default());
    parser
        .buffer()
        .put_slice(b"*2147483647\r\n$536870912\r\nabc");
    let mut commands = VecDeque::new();
    assert_eq!(parser.next_commands(1, 1, &mut commands), Ok(()));
    assert!(commands.is_empty());
    assert!(parser.buffer().capacity() <= 512 * 1024);
}

#[test]
fn a_command_of_many_small_arguments_is_bounded() {
    // Complete at once, and never complete.
    for announced in [1000, 1_000_000] {
        let header = format!("*{announced}\r\n").into_bytes();
        let many = [header, b"$0\r\n\r\n".repeat(1000)].concat();
        for pieces in [100, many.len()] {
            let (commands, error) = parse(&many, &[pieces]);
            let expected = (0, Some(ProtocolError::QueryTooLarge));
            assert_eq!((commands.len(), error), expected);
        }
    }
}
