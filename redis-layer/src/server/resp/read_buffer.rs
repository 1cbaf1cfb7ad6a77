//! The buffer into which a connection reads.
//!
//! Most reads bring complete commands. So all parsers of a thread read into one shared buffer, one after
//! the other: a parser that has taken all commands out of its bytes leaves the rest of the buffer to the next.
//! Allocating a buffer for every read took a twentieth of the time of a `GET`. A parser that has part of a command
//! left takes it along into a buffer of its own, until that command is complete.
//!
//! Commands are taken out of the front of the buffer, without copying, and keep it in memory as long as they live.

use std::cell::Cell;
use std::mem;
use std::ops::{Deref, DerefMut};

use bytes::BytesMut;

/// How many bytes of room a read gets.
pub(super) const READ_BYTES: usize = 16 * 1024;
/// How many bytes of room a read gets while a long argument is arriving.
const LONG_READ_BYTES: usize = 256 * 1024;
/// Which part of a long argument has to be there before room is reserved for all of it: one in so many bytes.
const LAST_MOVE: usize = 4;
/// The size of the buffer that the parsers of a thread share. An argument that is kept keeps all of it in memory.
const SHARED_BUFFER_BYTES: usize = 2 * READ_BYTES;

/// So many bytes of half a command are copied for each read.
const SHORT_BYTES: usize = 1024;

thread_local! {
    /// The rest of the buffer that the parsers of a thread share, without any bytes in it. `None` while a parser uses
    /// it.
    static SHARED_BUFFER: Cell<Option<BytesMut>> = const { Cell::new(None) };
}

/// The bytes that have arrived and were not taken yet.
#[derive(Debug, Default)]
pub(super) struct ReadBuffer {
    bytes: BytesMut,
    /// Whether the buffer is the shared one of the thread.
    is_shared: bool,
    /// How many bytes were taken from in front of those in the buffer. They stay in memory with it.
    taken: usize,
}

impl ReadBuffer {
    /// The buffer to which arriving bytes are appended, with enough room for a read. `length` is that of the argument
    /// that is arriving, as far as it is known.
    pub(super) fn with_room(&mut self, length: usize) -> &mut BytesMut {
        let arrived = self.bytes.len();
        let missing = length.saturating_sub(arrived);
        // A few bytes go back into the shared buffer for each read: room of their own would be many times what they are.
        let is_short = arrived <= SHORT_BYTES && missing <= READ_BYTES;
        if self.bytes.capacity() == 0 || (is_short && !self.is_shared) {
            let shared = SHARED_BUFFER.take();
            let shared = shared.unwrap_or_else(|| BytesMut::with_capacity(SHARED_BUFFER_BYTES));
            let own = mem::replace(&mut self.bytes, shared);
            self.bytes.extend_from_slice(&own);
            self.is_shared = true;
        }
        // A full buffer moves to one of twice the size, and other clients wait meanwhile. So once a quarter of a long
        // argument is there, it moves for the last time: it gets room for the rest, and for the end of the line. The
        // system gives memory only to what is written.
        let room = match missing > LONG_READ_BYTES && arrived >= length / LAST_MOVE {
            true => missing + 2 * READ_BYTES,
            false => missing.clamp(READ_BYTES, LONG_READ_BYTES),
        };
        self.bytes.reserve(room);
        // The shared buffer is not used for a long argument, which may be kept in memory for long.
        self.is_shared &= missing <= READ_BYTES;
        &mut self.bytes
    }

    /// Frees the memory of an empty buffer, for a connection that may be idle for long.
    pub(super) fn release(&mut self) {
        self.leave_shared();
        if self.bytes.is_empty() {
            self.bytes = BytesMut::new();
        }
    }

    /// Leaves the shared buffer to other parsers, and takes its own bytes along.
    fn leave_shared(&mut self) {
        if !mem::take(&mut self.is_shared) {
            return;
        }
        // Usually there are none, and then this allocates nothing.
        let left = BytesMut::from(&self.bytes[..]);
        let mut shared = mem::replace(&mut self.bytes, left);
        shared.clear();
        SHARED_BUFFER.set(Some(shared));
        self.taken = 0;
    }

    /// Must be called after so many bytes were taken out: leaves the shared buffer to other parsers.
    pub(super) fn end_taking(&mut self, taken: usize) {
        self.taken += taken;
        self.leave_shared();
        self.leave_taken_bytes();
    }

    /// Takes the bytes that are left into a buffer of their own, if as many were taken from in front of them: otherwise two
    /// bytes behind a long argument would keep all of it in memory. So no more bytes are copied than arrive.
    fn leave_taken_bytes(&mut self) {
        if self.taken > 0 && self.taken >= self.bytes.len() {
            self.bytes = BytesMut::from(&self.bytes[..]);
            self.taken = 0;
        }
    }
}

impl Deref for ReadBuffer {
    type Target = BytesMut;

    #[inline]
    fn deref(&self) -> &BytesMut {
        &self.bytes
    }
}

impl DerefMut for ReadBuffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut BytesMut {
        &mut self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use bytes::Bytes;

    use super::*;
    use crate::server::resp::Parser;

    /// Gives a parser some bytes, and takes the commands. Returns where the bytes were put.
    fn give(parser: &mut Parser, bytes: &[u8]) -> (*const u8, Vec<Vec<Bytes>>) {
        let buffer = parser.buffer();
        let place = buffer.as_ptr_range().end;
        buffer.extend_from_slice(bytes);
        let mut commands = VecDeque::new();
        parser.next_commands(64, 1 << 20, &mut commands).unwrap();
        (place, commands.into())
    }

    #[test]
    fn parsers_of_one_thread_read_into_one_buffer() {
        let [mut one, mut other] = [Parser::default(), Parser::default()];
        let ping = b"*1\r\n$4\r\nPING\r\n";
        let (first, kept) = give(&mut one, ping);
        let (second, _) = give(&mut other, ping);
        assert_eq!(first.wrapping_add(ping.len()), second);
        // Bytes that an argument still uses are not overwritten, however much arrives after them.
        for _ in 0..2 * SHARED_BUFFER_BYTES / ping.len() {
            assert_eq!(give(&mut other, ping).1, kept);
        }
        assert_eq!(kept, [[Bytes::from("PING")]]);
    }

    #[test]
    fn who_has_part_of_a_command_takes_only_that_along() {
        let [mut one, mut other] = [Parser::default(), Parser::default()];
        let understood = b"*1\r\n$4\r\n";
        let (first, _) = give(&mut one, &[&understood[..], b"PI"].concat());
        let (second, _) = give(&mut other, b"*1\r\n$4\r\nPING\r\n");
        assert_eq!(first.wrapping_add(understood.len()), second);
        let held = one.buffer.capacity();
        assert!(held < 64, "{held} bytes are held for ten");
        // Neither does it keep the room for the next part, if the command is not whole then.
        give(&mut one, b"N");
        let held = one.buffer.capacity();
        assert!(held < 64, "{held} bytes are held for eleven");
        assert_eq!(give(&mut one, b"G\r\n").1, [[Bytes::from("PING")]]);
    }

    #[test]
    fn what_comes_behind_a_long_argument_does_not_keep_it() {
        for behind in [&b""[..], b"*", b"*2\r\n$4\r\nPI"] {
            let mut parser = Parser::default();
            let length = 4 * LONG_READ_BYTES;
            give(&mut parser, format!("*1\r\n${length}\r\n").as_bytes());
            give(&mut parser, &vec![b'x'; length]);
            let (_, taken) = give(&mut parser, &[b"\r\n", behind].concat());
            assert_eq!(taken[0][0].len(), length);
            // The only one who has it may change it.
            let taken = taken.into_iter().flatten().next().unwrap();
            assert!(taken.is_unique(), "{} stays", behind.escape_ascii());
        }
    }

    #[test]
    fn a_long_argument_does_not_become_the_shared_buffer() {
        let mut parser = Parser::default();
        let length = 4 * LONG_READ_BYTES;
        let head = format!("*2\r\n$3\r\nGET\r\n${length}\r\n");
        give(&mut parser, head.as_bytes());
        let mut taken = Vec::new();
        while taken.is_empty() {
            let text = vec![b'x'; READ_BYTES];
            let left = length + 2 - parser.buffer.len();
            let text = if left <= READ_BYTES {
                &text[..left]
            } else {
                &text
            };
            taken = give(&mut parser, text).1;
        }
        assert_eq!(taken[0][1].len(), length);
        parser.release_buffer();
        let kept = SHARED_BUFFER.take().map_or(0, |shared| shared.capacity());
        assert!(kept <= SHARED_BUFFER_BYTES, "{kept} bytes are kept");
    }

    /// What is announced takes no memory. What has arrived is moved as it grows, but not once a quarter is there: a
    /// move of a hundred megabytes holds up everybody else.
    #[test]
    fn most_of_a_long_argument_arrives_in_one_place() {
        let mut parser = Parser::default();
        let length = 64 * LONG_READ_BYTES + 12_345;
        give(&mut parser, format!("*1\r\n${length}\r\n").as_bytes());
        let mut place = None;
        loop {
            let arrived = parser.buffer.len();
            let buffer = parser.buffer();
            let start = buffer.as_ptr();
            if arrived < length / LAST_MOVE {
                let held = buffer.capacity();
                assert!(
                    held <= 2 * arrived + 2 * LONG_READ_BYTES,
                    "{held} bytes for {arrived}"
                );
            } else {
                assert_eq!(
                    *place.get_or_insert(start),
                    start,
                    "moved after {arrived} of {length}"
                );
            }
            let text = [b'x'; READ_BYTES];
            // The end of the line comes alone.
            let left = length - arrived;
            if left == 0 {
                break;
            }
            assert!(
                give(&mut parser, &text[..left.min(READ_BYTES)])
                    .1
                    .is_empty()
            );
        }
        let taken = give(&mut parser, b"\r\n").1;
        assert_eq!(taken[0][0].len(), length);
        assert_eq!(place, Some(taken[0][0].as_ptr()));
    }
}
