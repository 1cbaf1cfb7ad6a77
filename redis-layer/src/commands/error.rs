//! Refusals, word for word as Redis 7.0 prints them.
//!
//! The first word is a code that clients look at. A text may quote what the client sent, so it is
//! bytes and not a `String`; [`CommandError::quoting`] keeps line breaks out of it, which would
//! end the reply early.

use std::borrow::Cow;

use crate::commands::monitoring::seldom::Seldom;
use crate::commands::table::Spec;
use crate::store;
use crate::types;
use crate::types::number::c_text;

/// How many bytes of an argument are quoted where it may be long.
pub(crate) const QUOTED_BYTES: usize = 128;

/// Why a command was refused: code and text, without line breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandError(Cow<'static, [u8]>);

impl CommandError {
    pub(crate) const SYNTAX: Self = Self::fixed("ERR syntax error");
    pub(crate) const WRONG_TYPE: Self =
        Self::fixed("WRONGTYPE Operation against a key holding the wrong kind of value");
    pub(crate) const NOT_AN_INTEGER: Self =
        Self::fixed("ERR value is not an integer or out of range");
    pub(crate) const NOT_A_FLOAT: Self = Self::fixed("ERR value is not a valid float");
    pub(crate) const OUT_OF_RANGE: Self = Self::fixed("ERR value is out of range");
    pub(crate) const NOT_POSITIVE: Self =
        Self::fixed("ERR value is out of range, must be positive");
    pub(crate) const NAN_RESULT: Self = Self::fixed("ERR resulting score is not a number (NaN)");
    pub(crate) const SCORE_RANGE: Self = Self::fixed("ERR min or max is not a float");
    pub(crate) const LEX_RANGE: Self = Self::fixed("ERR min or max not valid string range item");

    pub(crate) const NO_SUCH_KEY: Self = Self::fixed("ERR no such key");

    /// A text that is known when the program is built.
    #[must_use]
    pub const fn fixed(text: &'static str) -> Self {
        Self(Cow::Borrowed(text.as_bytes()))
    }

    /// A text that quotes something, `\r` and `\n` in it turned into spaces.
    #[must_use]
    pub fn quoting(parts: &[&[u8]]) -> Self {
        let mut text = parts.concat();
        for byte in &mut text {
            if matches!(byte, b'\r' | b'\n') {
                *byte = b' ';
            }
        }
        Self(Cow::Owned(text))
    }

    /// The wrong number of arguments for a command.
    #[must_use]
    pub fn arity(full_name: &str) -> Self {
        let text = format!("ERR wrong number of arguments for '{full_name}' command");
        Self(Cow::Owned(text.into_bytes()))
    }

    /// A subcommand that takes other arguments.
    #[must_use]
    pub(crate) fn unknown_subcommand(spec: &Spec, name: &[u8]) -> Self {
        let container = spec.full_name.split('|').next().unwrap_or_default();
        let container = container.to_ascii_uppercase();
        Self::quoting(&[
            b"ERR unknown subcommand or wrong number of arguments for '",
            name,
            b"'. Try ",
            container.as_bytes(),
            b" HELP.",
        ])
    }

    /// A transaction that could not be committed.
    #[must_use]
    pub(crate) fn not_written(error: types::Error) -> Self {
        match error {
            types::Error::Store(error) => types::Error::NotWritten(error).into(),
            other => other.into(),
        }
    }

    /// A failure of the store, which is also logged.
    fn failed(text: &[u8], error: &types::Error) -> Self {
        static FAILURES: Seldom = Seldom::new();
        if let Some(unsaid) = FAILURES.is_due() {
            tracing::error!(%error, unsaid, "a command failed in the store");
        }
        Self::quoting(&[text, error.to_string().as_bytes()])
    }

    /// The code and the text.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The first bytes of a C text, at most `limit`: what an error text quotes of an argument.
pub(crate) fn quoted(text: &[u8], limit: usize) -> &[u8] {
    let text = c_text(text);
    &text[..text.len().min(limit)]
}

impl From<store::Error> for CommandError {
    fn from(error: store::Error) -> Self {
        types::Error::from(error).into()
    }
}

impl From<types::Error> for CommandError {
    fn from(error: types::Error) -> Self {
        match error {
            types::Error::WrongType => Self::WRONG_TYPE,
            types::Error::NotANumber => Self::NAN_RESULT,
            types::Error::TooMuch => Self::fixed("ERR the strings are longer than 1 GiB together"),
            types::Error::Damaged(_) | types::Error::Outdated | types::Error::Store(_) => {
                Self::failed(b"ERR the store failed: ", &error)
            }
            // Clients know a full disk by this code, which Redis gives the same failure of its own log.
            types::Error::NotWritten(_) => {
                Self::failed(b"MISCONF Errors writing to the AOF file: ", &error)
            }
        }
    }
}
