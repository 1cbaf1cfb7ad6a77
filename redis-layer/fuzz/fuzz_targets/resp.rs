#![no_main]
//! The request parser: where the bytes are cut makes no difference, and what is kept is bounded.

use std::collections::VecDeque;

use bytes::{BufMut, Bytes};
use redis_layer::server::resp::{Limits, Parser, ProtocolError};

const LIMITS: Limits = Limits {
    bulk_bytes: 256,
    line_bytes: 128,
    query_bytes: 1024,
    arguments: 64,
    is_unauthenticated: false,
};

fn parse(bytes: &[u8], piece: usize) -> (VecDeque<Vec<Bytes>>, Option<ProtocolError>) {
    let mut parser = Parser::new(LIMITS);
    let mut commands = VecDeque::new();
    for piece in bytes.chunks(piece) {
        parser.buffer().put_slice(piece);
        if let Err(error) = parser.next_commands(usize::MAX, usize::MAX, &mut commands) {
            return (commands, Some(error));
        }
        let most = LIMITS.query_bytes + LIMITS.line_bytes + piece.len();
        assert!(parser.pending_bytes() <= most);
    }
    (commands, None)
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let bytewise = parse(input, 1);
    assert_eq!(parse(input, 7), bytewise);
});
