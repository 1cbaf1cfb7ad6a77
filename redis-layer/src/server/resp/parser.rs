//! Parses requests from a stream of bytes that may be cut anywhere.
//!
//! The parser keeps the bytes that have arrived and returns commands as soon as they are complete. An argument shares
//! the buffer that it arrived in, see [`ReadBuffer`].
//!
//! Most commands are complete when they are parsed, and well-formed: one pass finds the positions of the arguments of
//! all of them, and one split takes them out of the buffer ([`Parser::take_whole`]). Everything else takes the slow
//! path, argument by argument, which avoids looking at a byte twice and finds out what is wrong.
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

use super::read_buffer::{READ_BYTES, ReadBuffer};
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

/// Memory is kept for at most this many positions between calls.
const RANGES_KEPT: usize = 1024;

/// Turns bytes into commands.
#[derive(Debug, Default)]
pub struct Parser {
    limits: Limits,
    pub(super) buffer: ReadBuffer,
    /// How many bytes of the buffer have been searched for the end of a line in vain.
    scanned: usize,
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
        let length = self.partial.bulk_length.unwrap_or(0);
        self.buffer.with_room(length)
    }

    /// Frees the memory of an empty buffer, for a connection that may be idle for long.
    pub fn release_buffer(&mut self) {
        self.buffer.release();
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
        let bytes = before - self.buffer.len();
        self.buffer.end_taking(bytes);
        taken
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
