//! Parses requests from a stream of bytes that may be cut anywhere.
//!
//! The parser keeps the bytes that have arrived and returns commands as soon as they are complete. An argument shares
//! the buffer that it arrived in.
//!
//! Most commands are complete when they are parsed, and well-formed: one pass finds the positions of the arguments of
//! all of them, and one split takes them out of the buffer ([`Parser::take_whole`]). Everything else takes the slow
//! path, argument by argument, which avoids looking at a byte twice and finds out what is wrong.
//!
//! Most reads bring complete commands. So all parsers of a thread read into one shared buffer, one after
//! the other: a parser that has taken all commands out of its bytes leaves the rest of the buffer to the next.
//! Allocating a buffer for every read took a twentieth of the time of a `GET`. A parser that has part of a command
//! left takes it along into a buffer of its own, until that command is complete.
//!
//! Invariants
//! 1. A length that a client announces allocates nothing. A long argument is kept in the buffer in which it arrived, with
//!    room for at most some four times the bytes that have arrived; what is short is kept in as many bytes as it has. So
//!    memory grows only with what has arrived, and [`Limits::query_bytes`] bounds it.
//! 2. Where the stream is cut makes no difference to the commands that are returned.
//! 3. After an error no more commands are returned; the connection has to be closed.
//! 4. The fast path returns only commands that the slow path would return too.

use std::cell::Cell;
use std::collections::VecDeque;
use std::mem;
use std::ops::Range;

use bytes::{Buf, Bytes, BytesMut};

use crate::commands::CommandError;
use crate::types::number::parse_integer;
use crate::types::words::split_words;

/// How much a client may send before it is disconnected. The defaults are those of Redis.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest argument.
    pub bulk_bytes: usize,
    /// The longest line: an inline request, or a count with its line break.
    pub line_bytes: usize,
    /// The most that one command may take in memory, complete or not.
    pub query_bytes: usize,
    /// How many arguments a command may have.
    pub arguments: usize,
    /// Whether the client has not authenticated yet: Redis's error texts differ then.
    pub is_unauthenticated: bool,
}

impl Limits {
    /// The limits for a client that has not authenticated yet: just enough to do that.
    #[must_use]
    pub const fn unauthenticated(self) -> Self {
        Self {
            bulk_bytes: 16 * 1024,
            arguments: 10,
            is_unauthenticated: true,
            ..self
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bulk_bytes: 512 * 1024 * 1024,
            line_bytes: 64 * 1024,
            query_bytes: 1024 * 1024 * 1024,
            arguments: i32::MAX as usize,
            is_unauthenticated: false,
        }
    }
}

/// Why a connection has to be closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProtocolError {
    /// The bytes are not a request. The client gets the text before the connection is closed.
    Refused(CommandError),
    /// The command is larger than [`Limits::query_bytes`]. Redis closes the connection without an error text.
    QueryTooLarge,
}

impl ProtocolError {
    fn refused(text: &str) -> Self {
        let parts = [b"ERR Protocol error: ", text.as_bytes()];
        Self::Refused(CommandError::quoting(&parts))
    }
}

/// How many bytes of room a read gets.
const READ_BYTES: usize = 16 * 1024;
/// How many bytes of room a read gets while a long argument is arriving.
const LONG_READ_BYTES: usize = 256 * 1024;
/// Which part of a long argument has to be there before room is reserved for all of it: one in so many bytes.
const LAST_MOVE: usize = 4;
/// The size of the buffer that the parsers of a thread share. An argument that is kept keeps all of it in memory.
const SHARED_BUFFER_BYTES: usize = 2 * READ_BYTES;

/// So many bytes of half a command are copied for each read.
const SHORT_BYTES: usize = 1024;

/// Memory is kept for at most this many positions between calls.
const RANGES_KEPT: usize = 1024;

/// Turns bytes into commands.
#[derive(Debug, Default)]
pub struct Parser {
    limits: Limits,
    buffer: BytesMut,
    /// Whether the buffer is the shared one of the thread.
    is_shared: bool,
    /// How many bytes of the buffer have been searched for the end of a line in vain.
    scanned: usize,
    /// How many bytes were taken from in front of those in the buffer. They stay in memory with it.
    taken: usize,
    partial: Partial,
}

/// Complete commands that were found in the buffer.
#[derive(Debug, Default)]
struct Found {
    /// The positions of their arguments.
    ranges: Vec<Range<usize>>,
    /// How many arguments each of them has.
    counts: Vec<usize>,
}

thread_local! {
    /// The rest of the buffer that the parsers of a thread share, without any bytes in it. `None` while a parser uses
    /// it.
    static SHARED_BUFFER: Cell<Option<BytesMut>> = const { Cell::new(None) };
    /// Empty between calls; kept for its memory, which all connections of a thread share.
    static FOUND: Cell<Found> = const {
        Cell::new(Found {
            ranges: Vec::new(),
            counts: Vec::new(),
        })
    };
}

/// The command that is arriving.
#[derive(Debug, Default)]
struct Partial {
    args: Vec<Bytes>,
    /// How many arguments are still to come. 0 between commands.
    missing: usize,
    /// The length of the argument that is arriving.
    bulk_length: Option<usize>,
    /// What `args` takes in memory.
    bytes: usize,
}

impl Parser {
    /// A parser with these limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Changes the limits for the bytes to come.
    pub const fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// The buffer to which arriving bytes are appended, with enough room for a read.
    pub fn buffer(&mut self) -> &mut BytesMut {
        let (length, arrived) = (self.partial.bulk_length.unwrap_or(0), self.buffer.len());
        let missing = length.saturating_sub(arrived);
        // A few bytes go back into the shared buffer for each read: room of their own would be many times what they are.
        let is_short = arrived <= SHORT_BYTES && missing <= READ_BYTES;
        if self.buffer.capacity() == 0 || (is_short && !self.is_shared) {
            let shared = SHARED_BUFFER.take();
            let shared = shared.unwrap_or_else(|| BytesMut::with_capacity(SHARED_BUFFER_BYTES));
            let own = mem::replace(&mut self.buffer, shared);
            self.buffer.extend_from_slice(&own);
            self.is_shared = true;
        }
        // A full buffer moves to one of twice the size, and other clients wait meanwhile. So once a quarter of a long
        // argument is there, it moves for the last time: it gets room for the rest, and for the end of the line. The
        // system gives memory only to what is written.
        let room = match missing > LONG_READ_BYTES && arrived >= length / LAST_MOVE {
            true => missing + 2 * READ_BYTES,
            false => missing.clamp(READ_BYTES, LONG_READ_BYTES),
        };
        self.buffer.reserve(room);
        // The shared buffer is not used for a long argument, which may be kept in memory for long.
        self.is_shared &= missing <= READ_BYTES;
        &mut self.buffer
    }

    /// Frees the memory of an empty buffer, for a connection that may be idle for long.
    pub fn release_buffer(&mut self) {
        self.return_shared_buffer();
        if self.buffer.is_empty() {
            self.buffer = BytesMut::new();
        }
    }

    /// Leaves the shared buffer to other parsers, and takes its own bytes along.
    fn return_shared_buffer(&mut self) {
        if !mem::take(&mut self.is_shared) {
            return;
        }
        // Usually there are none, and then this allocates nothing.
        let left = BytesMut::from(&self.buffer[..]);
        let mut shared = mem::replace(&mut self.buffer, left);
        shared.clear();
        SHARED_BUFFER.set(Some(shared));
        self.taken = 0;
    }

    /// How many bytes are kept, which are not a complete command yet.
    #[must_use]
    pub fn pending_bytes(&self) -> usize {
        self.buffer.len() + self.partial.bytes
    }

    /// Whether bytes may be appended before the next call of [`Parser::next_commands`].
    #[must_use]
    pub fn may_read_more(&self) -> bool {
        self.pending_bytes() < self.limits.query_bytes
    }

    /// Adds complete commands to `commands`, until there are `most` of them, those added have `bytes` or more, the last
    /// one may change the limits, or more bytes are needed. Empty requests are skipped.
    ///
    /// # Errors
    /// The bytes after those commands are not a request, or are too many.
    pub fn next_commands(
        &mut self,
        most: usize,
        bytes: usize,
        commands: &mut VecDeque<Vec<Bytes>>,
    ) -> Result<(), ProtocolError> {
        let before = self.buffer.len();
        let taken = self.take_commands(most, bytes, commands);
        self.taken += before - self.buffer.len();
        self.return_shared_buffer();
        self.leave_taken_bytes();
        taken
    }

    /// Takes the bytes that are left into a buffer of their own, if as many were taken from in front of them: otherwise two
    /// bytes behind a long argument would keep all of it in memory. So no more bytes are copied than arrive.
    fn leave_taken_bytes(&mut self) {
        if self.taken > 0 && self.taken >= self.buffer.len() {
            self.buffer = BytesMut::from(&self.buffer[..]);
            self.taken = 0;
        }
    }

    fn take_commands(
        &mut self,
        most: usize,
        mut bytes: usize,
        commands: &mut VecDeque<Vec<Bytes>>,
    ) -> Result<(), ProtocolError> {
        let takes_more = |commands: &VecDeque<Vec<Bytes>>, bytes| {
            let last = commands.back().and_then(|command| command.first());
            commands.len() < most && bytes > 0 && !last.is_some_and(|name| may_change_limits(name))
        };
        while takes_more(commands, bytes) {
            if self.partial.missing == 0 {
                let room = most - commands.len();
                bytes = bytes.saturating_sub(self.take_whole(room, bytes, commands));
                if !takes_more(commands, bytes) {
                    break;
                }
            }
            let Some(command) = self.next_command()? else {
                break;
            };
            let length: usize = command.iter().map(Bytes::len).sum();
            bytes = bytes.saturating_sub(length);
            commands.push_back(command);
        }
        Ok(())
    }

    /// The next complete command, by the slow path.
    fn next_command(&mut self) -> Result<Option<Vec<Bytes>>, ProtocolError> {
        loop {
            if self.partial.missing > 0 {
                return self.next_arguments();
            }
            match self.buffer.first() {
                None => return Ok(None),
                Some(b'*') => {
                    if !self.take_count()? {
                        return Ok(None);
                    }
                }
                Some(_) => match self.take_inline()? {
                    None => return Ok(None),
                    Some(words) if words.is_empty() => {}
                    Some(words) => return Ok(Some(words)),
                },
            }
        }
    }

    /// Takes commands that are complete, well-formed and within all limits, as many as
    /// [`next_commands`](Self::next_commands) allows, up to the first command that is not. What is wrong with that
    /// one is left for the slow path to find out. Returns how many bytes the arguments have.
    fn take_whole(
        &mut self,
        most: usize,
        bytes_most: usize,
        commands: &mut VecDeque<Vec<Bytes>>,
    ) -> usize {
        if self.buffer.is_empty() {
            return 0;
        }
        let mut found = FOUND.take();
        let Found { ranges, counts } = &mut found;
        let (mut at, mut bytes) = (0, 0);
        while counts.len() < most && bytes < bytes_most {
            let before = ranges.len();
            let Some((after, length)) = self.measure(at, ranges) else {
                ranges.truncate(before);
                break;
            };
            counts.push(ranges.len() - before);
            at = after;
            bytes += length;
            if may_change_limits(&self.buffer[ranges[before].clone()]) {
                break;
            }
        }
        if at > 0 {
            self.scanned = 0;
            let whole = self.buffer.split_to(at).freeze();
            let mut ranges = ranges.drain(..);
            for count in counts.drain(..) {
                let ranges = ranges.by_ref().take(count);
                commands.push_back(ranges.map(|range| whole.slice(range)).collect());
            }
        }
        if found.ranges.capacity() <= RANGES_KEPT {
            FOUND.set(found);
        }
        bytes
    }

    /// Finds the arguments of a command that begins at `at`. Returns where the next command begins, and how many
    /// bytes the arguments have.
    #[inline]
    fn measure(&self, mut at: usize, ranges: &mut Vec<Range<usize>>) -> Option<(usize, usize)> {
        let (count, taken) = header(self.buffer.get(at..)?, b'*')?;
        if count == 0 || count > self.limits.arguments {
            return None;
        }
        at += taken;
        let mut bytes = 0;
        for argument in 1..=count {
            let (length, taken) = header(self.buffer.get(at..)?, b'$')?;
            let start = at + taken;
            at = start + length + 2;
            bytes += length;
            let kept = bytes + argument * size_of::<Bytes>();
            let is_within = length <= self.limits.bulk_bytes && kept <= self.limits.query_bytes;
            if at > self.buffer.len() || !is_within {
                return None;
            }
            ranges.push(start..start + length);
        }
        Some((at, bytes))
    }

    fn next_arguments(&mut self) -> Result<Option<Vec<Bytes>>, ProtocolError> {
        while self.partial.missing > 0 {
            let Some(argument) = self.take_argument()? else {
                if self.pending_bytes() > self.limits.query_bytes {
                    return Err(ProtocolError::QueryTooLarge);
                }
                return Ok(None);
            };
            self.partial.bytes += argument.len() + size_of::<Bytes>();
            if self.partial.bytes > self.limits.query_bytes {
                return Err(ProtocolError::QueryTooLarge);
            }
            self.partial.args.push(argument);
            self.partial.missing -= 1;
        }
        Ok(Some(mem::take(&mut self.partial).args))
    }

    /// Takes `*<count>`. Returns whether it was there.
    fn take_count(&mut self) -> Result<bool, ProtocolError> {
        let Some(line) = self.take_line(b'\r', "too big mbulk count string")? else {
            return Ok(false);
        };
        let count = parse_integer(&line[1..])
            .filter(|&count| i32::try_from(count).is_ok() || count < 0)
            .ok_or_else(|| ProtocolError::refused("invalid multibulk length"))?;
        // A count of zero or less is an empty request.
        self.partial.missing = usize::try_from(count).unwrap_or(0);
        if self.partial.missing > self.limits.arguments {
            return Err(ProtocolError::refused("unauthenticated multibulk length"));
        }
        Ok(true)
    }

    /// Takes `$<length>` if that comes next, then the argument, as far as they have arrived.
    fn take_argument(&mut self) -> Result<Option<Bytes>, ProtocolError> {
        let length = match self.partial.bulk_length {
            Some(length) => length,
            None => {
                let Some(line) = self.take_line(b'\r', "too big bulk count string")? else {
                    return Ok(None);
                };
                let length = self.bulk_length(&line)?;
                self.partial.bulk_length = Some(length);
                length
            }
        };
        // Redis does not check the two bytes after an argument, and neither does this.
        if self.buffer.len() < length + 2 {
            return Ok(None);
        }
        let argument = if length < READ_BYTES {
            // The rest of the command may take long to come, and a part of a buffer keeps all of it in memory.
            let copy = Bytes::copy_from_slice(&self.buffer[..length]);
            self.buffer.advance(length);
            copy
        } else {
            self.buffer.split_to(length).freeze()
        };
        self.buffer.advance(2);
        self.partial.bulk_length = None;
        Ok(Some(argument))
    }

    fn bulk_length(&self, line: &[u8]) -> Result<usize, ProtocolError> {
        // For an empty line, Redis reports its `\r`.
        let (&first, digits) = line.split_first().unwrap_or((&b'\r', &[]));
        if first != b'$' {
            let parts = [
                b"ERR Protocol error: expected '$', got '",
                &[first][..],
                b"'",
            ];
            return Err(ProtocolError::Refused(CommandError::quoting(&parts)));
        }
        let length = parse_integer(digits).and_then(|length| usize::try_from(length).ok());
        let too_long = if self.limits.is_unauthenticated {
            "unauthenticated bulk length"
        } else {
            "invalid bulk length"
        };
        match length {
            Some(length) if length <= self.limits.bulk_bytes => Ok(length),
            Some(_) => Err(ProtocolError::refused(too_long)),
            None => Err(ProtocolError::refused("invalid bulk length")),
        }
    }

    fn take_inline(&mut self) -> Result<Option<Vec<Bytes>>, ProtocolError> {
        let Some(line) = self.take_line(b'\n', "too big inline request")? else {
            return Ok(None);
        };
        let words = split_words(&line);
        words
            .map(Some)
            .ok_or_else(|| ProtocolError::refused("unbalanced quotes in request"))
    }

    /// Takes everything before the next `end`. `end` is removed too, and if it is `\r`, so is the byte after it,
    /// whatever it is. Redis searches C text, which ends at a zero byte, so a line that contains a zero byte never
    /// ends.
    fn take_line(&mut self, end: u8, too_long: &str) -> Result<Option<BytesMut>, ProtocolError> {
        let mut unseen = self.buffer[self.scanned..].iter();
        let stop = unseen
            .position(|&byte| byte == end || byte == 0)
            .map(|at| self.scanned + at);
        let found = stop.filter(|&at| self.buffer[at] == end);
        self.scanned = stop.unwrap_or(self.buffer.len());
        let length = found.unwrap_or(self.buffer.len());
        if length > self.limits.line_bytes {
            return Err(ProtocolError::refused(too_long));
        }
        let taken = length + if end == b'\r' { 2 } else { 1 };
        if found.is_none() || self.buffer.len() < taken {
            return Ok(None);
        }
        self.scanned = 0;
        let line = self.buffer.split_to(length);
        self.buffer.advance(taken - length);
        Ok(Some(line))
    }
}

/// The number on a line such as `$12`, and how long the line is with its line break. `None` if the line is anything
/// else or incomplete.
fn header(bytes: &[u8], kind: u8) -> Option<(usize, usize)> {
    /// A longer number exceeds most limits. One of this length always fits into a `usize`.
    const DIGITS_MAX: usize = 9;
    let digits = bytes.strip_prefix(&[kind])?;
    // The usual case: a single digit.
    if let [digit @ b'0'..=b'9', b'\r', b'\n', ..] = digits {
        return Some((usize::from(digit - b'0'), 4));
    }
    let mut number = 0;
    for (at, &byte) in digits.iter().take(DIGITS_MAX + 1).enumerate() {
        match byte {
            // A number of several digits must not begin with a zero.
            b'0'..=b'9' if at == 0 || number > 0 => number = number * 10 + usize::from(byte - b'0'),
            b'\r' if at > 0 && digits.get(at + 1) == Some(&b'\n') => return Some((number, at + 3)),
            _ => return None,
        }
    }
    None
}

/// Whether the limits for what comes behind a command may depend on it: `RESET` forgets the password, `CONFIG SET`
/// changes settings.
fn may_change_limits(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"reset") || name.eq_ignore_ascii_case(b"config")
}

#[cfg(test)]
mod tests {
    use super::*;

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
