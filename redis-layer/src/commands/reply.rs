//! What a command answers, in the terms of Redis and without a byte of protocol.

use bytes::Bytes;

use crate::commands::CommandError;
use crate::types::packed::Strings;
use crate::types::zset::{Element, Members};

/// The version of the wire protocol that a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// RESP2: everything is a string, an integer, an error or an array.
    #[default]
    Resp2,
    /// RESP3: doubles, maps, sets and null have forms of their own.
    Resp3,
}

impl Protocol {
    /// The number that `HELLO` takes.
    #[must_use]
    pub const fn number(self) -> i64 {
        match self {
            Self::Resp2 => 2,
            Self::Resp3 => 3,
        }
    }
}

/// What a command answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// A short text without line breaks, such as `OK`.
    Status(&'static str),
    /// A short text without line breaks that is not known when the program is built.
    Line(Bytes),
    /// A refusal.
    Error(CommandError),
    /// An integer.
    Integer(i64),
    /// Bytes.
    Bulk(Bytes),
    /// Text for people. In RESP3 it is marked as such.
    Text(String),
    /// A double. In RESP2 it is printed as bytes.
    Double(f64),
    /// True or false. In RESP2 an integer, 1 or 0.
    Boolean(bool),
    /// An integer of any size, in decimal digits. In RESP2 bytes.
    BigNumber(Bytes),
    /// Text with a format of three letters, which RESP2 does not show.
    Verbatim {
        /// Such as `txt` or `mkd`.
        format: Bytes,
        /// The text.
        text: Bytes,
    },
    /// What is worth knowing about the reply that follows. In RESP2 nothing.
    Attributes(Vec<(Reply, Reply)>),
    /// A number with its decimals written out. In RESP3 marked as a double.
    Decimal(String),
    /// Nothing is there.
    Null,
    /// Nothing is there, where there could have been an array. In RESP3 as [`Reply::Null`].
    NullArray,
    /// Replies in order.
    Array(Vec<Reply>),
    /// Many byte strings in order: an array of [`Reply::Bulk`].
    Strings(Strings),
    /// Pairs. In RESP2 an array of twice the length.
    Map(Vec<(Reply, Reply)>),
    /// Pairs in order: in RESP3 an array of pairs, in RESP2 one array of twice the length.
    Pairs(Vec<(Reply, Reply)>),
    /// Replies without order. In RESP2 an array.
    Set(Vec<Reply>),
    /// Members with scores: in RESP3 an array of pairs, in RESP2 one array of twice the length.
    Scored(Members),
    /// A message that the client did not ask for just now. In RESP2 an array.
    Push(Vec<Reply>),
    /// Several replies to one command, one after the other.
    Several(Vec<Reply>),
    /// A reply in the protocol that held when it was made, among others in another.
    Earlier(Protocol, Box<Reply>),
    /// The client asked for silence.
    Silence,
    /// Not yet: nothing is there, and the client wants to wait until one of the command's keys is
    /// written. Never sent.
    Wait {
        /// How long, in milliseconds; 0 for as long as it takes.
        timeout_ms: u64,
        /// The answer where nobody can wait: in a transaction or a script.
        in_vain: Box<Reply>,
    },
}

impl Reply {
    /// `OK`.
    pub const OK: Self = Self::Status("OK");

    /// Bytes that are known when the program is built.
    #[must_use]
    pub const fn text(text: &'static str) -> Self {
        Self::Bulk(Bytes::from_static(text.as_bytes()))
    }

    /// Whether it is sent even to a client that wants no replies.
    #[must_use]
    pub fn is_push(&self) -> bool {
        match self {
            Self::Push(_) => true,
            Self::Several(parts) => parts.iter().all(Self::is_push),
            _ => false,
        }
    }

    /// How many there are of something that fits in memory.
    #[must_use]
    pub fn count(count: u64) -> Self {
        Self::Integer(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// 1 for yes, 0 for no.
    #[must_use]
    pub const fn yes_or_no(yes: bool) -> Self {
        Self::Integer(yes as i64)
    }

    /// The bytes, or null.
    #[must_use]
    pub fn bulk_or_null(bytes: Option<Bytes>) -> Self {
        bytes.map_or(Self::Null, Self::Bulk)
    }

    /// The double, or null.
    #[must_use]
    pub fn double_or_null(value: Option<f64>) -> Self {
        value.map_or(Self::Null, Self::Double)
    }

    /// The members alone.
    #[must_use]
    pub fn members(elements: Vec<Element>) -> Self {
        let members = elements
            .into_iter()
            .map(|element| Self::Bulk(element.member));
        Self::Array(members.collect())
    }

    /// About how many bytes the answer has on the wire. Not fewer than a string has, or a list of strings: a buffer with room for
    /// this and one more frame does not grow, which would copy what may be large, and hold it twice.
    #[must_use]
    pub(crate) fn size(&self) -> usize {
        /// What stands around a string of up to three digits of length.
        const FRAME: usize = 8;
        /// In front of a list of any length.
        const LIST: usize = 23;
        let string = |length: usize| {
            let digits = length.checked_ilog10().unwrap_or_default() as usize;
            FRAME + digits.saturating_sub(2) + length
        };
        match self {
            Self::Bulk(bytes) | Self::Line(bytes) => string(bytes.len()),
            Self::Text(text) => string(text.len()),
            Self::Array(items) | Self::Set(items) | Self::Push(items) => {
                LIST + items.iter().map(Self::size).sum::<usize>()
            }
            Self::Map(pairs) | Self::Pairs(pairs) => {
                let sizes = pairs.iter().map(|(name, value)| name.size() + value.size());
                LIST + sizes.sum::<usize>()
            }
            Self::Strings(strings) => LIST + strings.framed().len(),
            Self::Earlier(_, reply) => reply.size(),
            Self::Scored(members) => LIST + members.framed_len() + 2 * FRAME * members.len(),
            _ => FRAME,
        }
    }

    /// About how many bytes of memory it takes once it is put among the answers: it, and what goes on the wire.
    #[must_use]
    pub(crate) fn memory_bytes(&self) -> usize {
        let replies = match self {
            Self::Array(items) | Self::Set(items) => items.len(),
            Self::Map(pairs) | Self::Pairs(pairs) => 2 * pairs.len(),
            _ => 0,
        };
        (1 + replies) * size_of::<Self>() + self.size()
    }
}
