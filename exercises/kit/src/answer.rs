//! What a function gave back: an [`Answer`], or the way in which it failed to give one.

use std::cmp::Ordering;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// A value as a reader sees it, and its bytes where bytes are what the exercise is about.
///
/// Two answers are equal when text and bytes are. The text therefore has to tell values apart: a float's
/// text tells `-0.0` from `0.0`, a not-a-number shows its bits.
///
/// To be alike is less: where parts of the text are free, as the words of an error, they do not count.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The value, as its author would write it.
    pub text: String,
    /// The value's bytes, most significant first: a key's own bytes, or a number's bit pattern.
    pub bytes: Option<Vec<u8>>,
    /// What else there is to say of it, for a message. Not compared.
    pub note: Option<String>,
    /// The text without what is free in it. Answers with the same gist are alike.
    pub gist: Option<String>,
}

impl PartialEq for Answer {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.bytes == other.bytes
    }
}

impl Eq for Answer {}

impl Answer {
    /// An answer that is only text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            bytes: None,
            note: None,
            gist: None,
        }
    }

    /// An answer with bytes.
    fn with_bytes(text: String, bytes: Vec<u8>) -> Self {
        Self {
            text,
            bytes: Some(bytes),
            note: None,
            gist: None,
        }
    }

    /// An answer in which something is free: `tell` is asked for all of its text, then for what counts when it is compared
    /// with a mistake.
    pub fn told(tell: impl Fn(Telling) -> String) -> Self {
        Self {
            gist: Some(tell(Telling::Gist)),
            ..Self::text(tell(Telling::All))
        }
    }

    /// Whether the two answers are the same but for what is free in them.
    pub fn is_like(&self, other: &Self) -> bool {
        let one_gist = || self.gist.is_some() && self.gist == other.gist;
        self == other || self.bytes == other.bytes && one_gist()
    }

    /// The answer with something to say beside it.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

/// What [`Answer::told`] asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// Everything that a reader sees.
    All,
    /// What counts when two answers are compared.
    Gist,
}

impl Telling {
    /// An error: its words are the learner's own, and do not count.
    pub fn error(self, error: &dyn std::fmt::Display) -> String {
        match self {
            Self::All => format!("Err({error})"),
            Self::Gist => "Err".to_owned(),
        }
    }
}

/// Values that an exercise may take or return.
pub trait Show {
    /// The value as an answer.
    fn show(&self) -> Answer;
}

macro_rules! show_integer {
    ($($t:ty)*) => {$(
        impl Show for $t {
            fn show(&self) -> Answer {
                Answer::with_bytes(self.to_string(), self.to_be_bytes().to_vec())
            }
        }
    )*};
}
show_integer!(u16 u32 u64 u128 i8 i16 i32 i64 i128 usize);

macro_rules! show_float {
    ($($t:ty)*) => {$(
        impl Show for $t {
            fn show(&self) -> Answer {
                let text = if self.is_nan() {
                    format!("NaN({:#x})", self.to_bits())
                } else {
                    format!("{self:?}")
                };
                Answer::with_bytes(text, self.to_bits().to_be_bytes().to_vec())
            }
        }
    )*};
}
show_float!(f32 f64);

impl Show for u8 {
    fn show(&self) -> Answer {
        Answer::with_bytes(self.to_string(), vec![*self])
    }
}

impl Show for [u8] {
    fn show(&self) -> Answer {
        Answer::with_bytes(hex(self), self.to_vec())
    }
}

impl<const N: usize> Show for [u8; N] {
    fn show(&self) -> Answer {
        self.as_slice().show()
    }
}

impl Show for Vec<u8> {
    fn show(&self) -> Answer {
        self.as_slice().show()
    }
}

impl Show for str {
    fn show(&self) -> Answer {
        Answer::text(format!("{self:?}"))
    }
}

impl Show for String {
    fn show(&self) -> Answer {
        self.as_str().show()
    }
}

impl Show for () {
    fn show(&self) -> Answer {
        Answer::text("()")
    }
}

impl Show for bool {
    fn show(&self) -> Answer {
        Answer::text(self.to_string())
    }
}

impl Show for Ordering {
    fn show(&self) -> Answer {
        Answer::text(format!("{self:?}"))
    }
}

impl<T: Show> Show for Option<T> {
    fn show(&self) -> Answer {
        match self {
            None => Answer::text("None"),
            Some(value) => {
                let inner = value.show();
                Answer {
                    text: wrapped("Some", &inner.text),
                    gist: inner.gist.as_deref().map(|gist| wrapped("Some", gist)),
                    ..inner
                }
            }
        }
    }
}

impl<T: Show, E: std::fmt::Debug> Show for Result<T, E> {
    fn show(&self) -> Answer {
        match self {
            Ok(value) => {
                let inner = value.show();
                Answer {
                    text: wrapped("Ok", &inner.text),
                    gist: inner.gist.as_deref().map(|gist| wrapped("Ok", gist)),
                    ..inner
                }
            }
            Err(error) => Answer {
                gist: Some("Err".to_owned()),
                ..Answer::text(format!("Err({error:?})"))
            },
        }
    }
}

/// `Some(...)` and its like. Where there are no bytes, the words have one pair of brackets and not two.
fn wrapped(name: &str, inner: &str) -> String {
    match inner {
        NO_BYTES => format!("{name}{NO_BYTES}"),
        _ => format!("{name}({inner})"),
    }
}

/// A list of anything; its text is the list of its items' texts.
pub fn show_list<T: Show>(items: impl IntoIterator<Item = T>) -> Answer {
    let texts: Vec<String> = items.into_iter().map(|item| item.show().text).collect();
    Answer::text(format!("[{}]", texts.join(", ")))
}

/// What is written for bytes of which there are none.
const NO_BYTES: &str = "(no bytes)";

/// Bytes in hex, separated by spaces.
pub fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return NO_BYTES.to_owned();
    }
    let mut text = String::with_capacity(bytes.len() * 3);
    for (i, byte) in bytes.iter().enumerate() {
        if i > 0 {
            text.push(' ');
        }
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A run of more is counted.
const RUN_MAX: usize = 48;

/// Bytes between quotes: letters as letters, other bytes as `\xff`, a long run of one byte as how often it stands there.
pub fn quoted(bytes: &[u8]) -> String {
    let runs = bytes.chunk_by(|a, b| a == b).map(|run| match run.len() {
        0..=RUN_MAX => run.escape_ascii().to_string(),
        times => format!("{}{{{times} times}}", run[..1].escape_ascii()),
    });
    format!("\"{}\"", runs.collect::<String>())
}

/// Text as `{:?}` shows it, runs of one character counted.
pub fn quoted_text(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let behind = rest.trim_start_matches(first);
        let run = &rest[..rest.len() - behind.len()];
        let times = run.chars().count();
        let (part, counted) = match times {
            0..=RUN_MAX => (run, String::new()),
            _ => (&run[..first.len_utf8()], format!("{{{times} times}}")),
        };
        let part = format!("{part:?}");
        shown += &part[1..part.len() - 1];
        shown += &counted;
        rest = behind;
    }
    format!("\"{shown}\"")
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// The function returned.
    Answer(Answer),
    /// The function reached a `todo!()`.
    Todo {
        /// Where it stands: `at file:line`.
        place: String,
    },
    /// The function panicked.
    Panic {
        /// The panic's message.
        message: String,
        /// Where it happened: `at file:line`, or `inside the standard library`.
        place: String,
    },
    /// The call ended the process it ran in.
    Died(Death),
    /// The call was never made, because an earlier one ended the process.
    NotAsked,
}

impl Outcome {
    /// The answer, if there is one.
    pub fn answer(&self) -> Option<&Answer> {
        match self {
            Self::Answer(answer) => Some(answer),
            _ => None,
        }
    }

    /// The answer's bytes, if it has any.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.answer()?.bytes.as_deref()
    }

    /// Whether a call behaved like another one: answers that are alike, or a panic in both. Memory that is refused counts as a
    /// panic: a mistake stands for it by one, since it may not end the process it is in.
    ///
    /// The message and the line of a panic do not count: they are not what the function computes.
    pub fn behaves_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Answer(a), Self::Answer(b)) => a.is_like(b),
            (Self::Panic { .. } | Self::Died(Death::OutOfMemory { .. }), Self::Panic { .. })
            | (Self::Panic { .. }, Self::Died(Death::OutOfMemory { .. })) => true,
            _ => false,
        }
    }

    /// The outcome in a few words, for a table or a sentence.
    pub fn brief(&self) -> String {
        match self {
            Self::Answer(answer) => answer.text.clone(),
            Self::Todo { .. } => "todo!()".to_owned(),
            Self::Panic { message, place } => format!("a panic {place}: {message}"),
            Self::Died(death) => death.to_string(),
            Self::NotAsked => "not asked".to_owned(),
        }
    }
}

/// Why a process that ran a learner's code ended before it had answered everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Death {
    /// One call did not come back within the limit.
    EndlessLoop {
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// One call did not come back within the limit, and hardly used the processor.
    Waits {
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// Every call came back, but all together took too long.
    TooSlow {
        /// The limit, in milliseconds.
        limit_ms: u64,
        /// Whether hardly any of that time was spent on work.
        waits: bool,
    },
    /// The stack was full: calls nested too deeply, or one of them has large variables.
    StackOverflow,
    /// An allocation was refused.
    OutOfMemory {
        /// How many bytes were asked for at last, when known.
        asked: Option<u64>,
        /// How much the process may have in all, in MiB.
        limit_mib: u64,
    },
    /// The code ended the process itself with this exit code.
    Exit(i32),
    /// The process was ended by a signal, as by `abort`.
    Signal(String),
}

impl std::fmt::Display for Death {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::EndlessLoop { limit_ms } => write!(
                f,
                "no answer after {:.1} s: an endless loop, or a very slow one",
                seconds(*limit_ms)
            ),
            Self::Waits { limit_ms } => write!(
                f,
                "no answer after {:.1} s, and hardly any work done: it waits, as for input, in a `sleep`, \
                 or for a lock that it holds itself",
                seconds(*limit_ms)
            ),
            Self::TooSlow { limit_ms, waits } => write!(
                f,
                "all calls together took longer than {:.1} s{}",
                seconds(*limit_ms),
                if *waits {
                    ", and hardly any work was done: the calls wait, as in a `sleep`"
                } else {
                    ""
                }
            ),
            Self::StackOverflow => f.write_str(
                "the stack overflowed: a function calls itself without end or too often, or its local \
                 variables are too large",
            ),
            Self::OutOfMemory {
                asked: Some(n),
                limit_mib,
            } => write!(
                f,
                "no memory was left for another {n} bytes: it may have {limit_mib} MiB in all. Something \
                 grows without end, or is far too large"
            ),
            Self::OutOfMemory {
                asked: None,
                limit_mib,
            } => write!(
                f,
                "it used up the {limit_mib} MiB of memory that it may have"
            ),
            Self::Exit(code) => write!(
                f,
                "it ended the whole process with exit code {code} (std::process::exit?)"
            ),
            Self::Signal(name) => write!(f, "the process was killed: {name}"),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "limits are a few seconds")]
fn seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_tells_values_apart() {
        assert_ne!(0.0_f64.show(), (-0.0_f64).show());
        assert_ne!(f64::NAN.show(), (-f64::NAN).show());
        assert_ne!(Some(1_i64).show(), 1_i64.show());
        assert_eq!((-1_i16).show().bytes, Some(vec![0xff, 0xff]));
        assert_eq!([0_u8, 0xab].show().text, "00 ab");
        assert_eq!(Vec::<u8>::new().show().text, "(no bytes)");
        assert_eq!(Some(Vec::<u8>::new()).show().text, "Some(no bytes)");
        assert_eq!(Some([0_u8]).show().text, "Some(00)");
        assert_eq!(quoted(b"a\xff\xff"), r#""a\xff\xff""#);
        assert_eq!(quoted(&[0xff; 255]), r#""\xff{255 times}""#);
        for short in ["", "it's \"é\"\0", "aab"] {
            assert_eq!(quoted_text(short), format!("{short:?}"));
        }
        assert_eq!(quoted_text(&"x".repeat(60)), r#""x{60 times}""#);
        assert_eq!(show_list([1_i64, -2]).text, "[1, -2]");
    }

    #[test]
    fn panics_alike_whatever_they_say() {
        let panic = |message: &str| Outcome::Panic {
            message: message.to_owned(),
            place: "at a.rs:1".to_owned(),
        };
        assert!(panic("a").behaves_like(&panic("b")));
        assert!(!panic("a").behaves_like(&Outcome::Answer(1_i64.show())));
        assert!(!Outcome::NotAsked.behaves_like(&Outcome::NotAsked));
    }

    #[test]
    fn errors_are_alike_whatever_they_say() {
        let told =
            |n: u8, error: &str| Answer::told(|telling| format!("{n}, {}", telling.error(&error)));
        assert_eq!(told(1, "taken").text, "1, Err(taken)");
        assert_ne!(told(1, "taken"), told(1, "no room"));
        assert!(told(1, "taken").is_like(&told(1, "no room")));
        assert!(!told(1, "taken").is_like(&told(2, "taken")));
        assert!(!told(1, "taken").is_like(&Answer::text("1, Err")));
        assert!(
            !Answer::text("a").is_like(&Answer::text("b")),
            "nothing is free"
        );

        let shown = |result: Result<u8, &str>| Outcome::Answer(result.show());
        assert!(shown(Err("a")).behaves_like(&shown(Err("b"))));
        assert!(!shown(Err("a")).behaves_like(&shown(Ok(1))));
        let inside = |result: Result<u8, &str>| Outcome::Answer(Some(result).show());
        assert!(inside(Err("a")).behaves_like(&inside(Err("b"))));
        assert!(!inside(Err("a")).behaves_like(&shown(Err("a"))));
    }
}
