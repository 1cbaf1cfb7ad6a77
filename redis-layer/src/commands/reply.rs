//! What a command answers, in Redis's terms and independent of the wire protocol.

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
    /// A short text without line breaks that is made at run time.
    Line(Bytes),
    /// An error.
    Error(CommandError),
    /// An integer.
    Integer(i64),
    /// Bytes.
    Bulk(Bytes),
    /// Text for people. RESP3 marks it as such.
    Text(String),
    /// A double. RESP2 sends its digits as bytes.
    Double(f64),
    /// True or false. RESP2 sends an integer, 1 or 0.
    Boolean(bool),
    /// An integer of any size, in decimal digits. RESP2 sends them as bytes.
    BigNumber(Bytes),
    /// Text with a format of three letters; RESP2 leaves the format out.
    Verbatim {
        /// Such as `txt` or `mkd`.
        format: Bytes,
        /// The text.
        text: Bytes,
    },
    /// Additional facts about the reply that follows. RESP2 sends nothing.
    Attributes(Vec<(Reply, Reply)>),
    /// A number whose decimals are given. RESP3 marks it as a double.
    Decimal(String),
    /// The answer for something that does not exist.
    Null,
    /// As [`Reply::Null`], where the answer could have been an array. RESP3 does not distinguish the two.
    NullArray,
    /// Replies in order.
    Array(Vec<Reply>),
    /// Many byte strings in order: an array of [`Reply::Bulk`].
    Strings(Strings),
    /// Pairs. RESP2 sends an array of twice the length.
    Map(Vec<(Reply, Reply)>),
    /// Pairs in order: RESP3 sends an array of pairs, RESP2 one array of twice the length.
    Pairs(Vec<(Reply, Reply)>),
    /// Replies without order. RESP2 sends an array.
    Set(Vec<Reply>),
    /// Members with scores: RESP3 sends an array of pairs, RESP2 one array of twice the length.
    Scored(Members),
    /// A message that is not the reply to a command. RESP2 sends an array.
    Push(Vec<Reply>),
    /// Several replies to one command, one after the other.
    Several(Vec<Reply>),
    /// A reply in the protocol that was in force when it was made, among replies in the other one.
    Earlier(Protocol, Box<Reply>),
    /// No answer: the client asked for that.
    Silence,
    /// No answer yet: nothing was found, and the client wants to wait until one of the command's keys is written.
    /// Never sent.
    Wait {
        /// How long, in milliseconds; 0 for as long as it takes.
        timeout_ms: u64,
        /// The answer if the time is over, or where it is impossible to wait: in a transaction or a script.
        on_timeout: Box<Reply>,
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

    /// A count as an integer reply. It counts something in memory, so it fits.
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

    /// The members without their scores.
    #[must_use]
    pub fn members(elements: Vec<Element>) -> Self {
        let members = elements
            .into_iter()
            .map(|element| Self::Bulk(element.member));
        Self::Array(members.collect())
    }

    /// About how many bytes the answer has on the wire. For a string, or a list of strings, at least that many: then
    /// a buffer with room for this and one more frame does not grow. Growing would copy what may be large, and hold
    /// it twice for a moment.
    #[must_use]
    pub(crate) fn size(&self) -> usize {
        /// The bytes around a string whose length has up to three digits.
        const FRAME: usize = 8;
        /// The bytes in front of a list of any length.
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

    /// About how many bytes of memory the reply takes once it is among the answers: itself, and its form on the wire.
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
