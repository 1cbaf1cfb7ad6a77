//! The arguments of a command, as a row of the table writes them in one line and as `COMMAND DOCS` shows them: a tree.
//!
//! ```text
//! key value [condition: NX | XX]@2.6.12 [expiration: EX seconds:integer | KEEPTTL] [GET pattern]...
//! ```
//!
//! | written | is |
//! |---|---|
//! | `value` `seconds:integer` | an argument, by its name; of another type than a string. `key` is short for `key:key` |
//! | `NX` `change=CH` | a word that stands for itself; one that has another name than the word in lower case |
//! | `EX seconds:integer` | an argument behind a word |
//! | `[x]` | an argument that may be missing |
//! | `(name: x y)` `(name: x \| y)` | several that belong together; one of several |
//! | `[name: x y]` `[EX name: x y]` | the same, and they may be missing; behind a word |
//! | `x...` `[EX x...]` | an argument that may be repeated |
//! | `[EX x]...` `(EX x)...` | an argument that may be repeated together with its word |
//! | `x@6.2.0` `x~2.8.12` | the version of Redis that brought it; the one since which another is better |
//!
//! White space says nothing but where a name ends, so a line may be broken.
//!
//! Invariants
//! 1. Every line of the table is read by [`Argument::parse`]: a test tries them all. So nothing that was not understood
//!    reaches a client.
//! 2. A tree is written as the line from which it was read. So no part of a line is passed over.
//!
//! Left out: words that begin with another sign than a capital letter, which only streams and `MIGRATE` have.

use std::fmt;

/// One argument of a command, or several that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The word that stands before it, or for it.
    pub token: Option<&'static str>,
    /// The version of Redis that brought it, if later than the command.
    pub since: Option<&'static str>,
    /// The version of Redis that brought something better.
    pub deprecated_since: Option<&'static str>,
    /// Whether it may be missing.
    pub is_optional: bool,
    /// Whether it may be there more than once.
    pub repeats: Repeats,
}

/// What an argument is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Of a simple type.
    Value(Type),
    /// Its word says everything.
    Token,
    /// One of several.
    OneOf(Vec<Argument>),
    /// All of several.
    Block(Vec<Argument>),
}

/// The simple types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// The name of a key.
    Key,
    /// Any bytes.
    String,
    /// A number without decimals.
    Integer,
    /// A number with decimals.
    Double,
    /// A pattern of names.
    Pattern,
    /// A moment.
    UnixTime,
}

/// How often an argument may be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// Once.
    No,
    /// Often, behind one word.
    Alone,
    /// Often, with its word each time.
    WithToken,
}

/// Why a line is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// What was expected.
    pub expected: &'static str,
    /// What stands there instead, to the end of the line.
    pub rest: &'static str,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at {:?}", self.expected, self.rest)
    }
}

impl std::error::Error for SyntaxError {}

impl Type {
    const ALL: [Self; 6] = [
        Self::Key,
        Self::String,
        Self::Integer,
        Self::Double,
        Self::Pattern,
        Self::UnixTime,
    ];

    /// The name that Redis gives it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Double => "double",
            Self::Pattern => "pattern",
            Self::UnixTime => "unix-time",
        }
    }

    /// The type of an argument that does not tell one.
    fn implied_by(name: &str) -> Self {
        if name == "key" {
            Self::Key
        } else {
            Self::String
        }
    }
}

impl Kind {
    /// The name that Redis gives it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Value(of) => of.name(),
            Self::Token => "pure-token",
            Self::OneOf(_) => "oneof",
            Self::Block(_) => "block",
        }
    }

    /// What it consists of.
    #[must_use]
    pub fn parts(&self) -> &[Argument] {
        match self {
            Self::OneOf(parts) | Self::Block(parts) => parts,
            Self::Value(_) | Self::Token => &[],
        }
    }
}

impl Argument {
    /// Reads the line of a command.
    ///
    /// # Errors
    /// What was expected, and where.
    pub fn parse(line: &'static str) -> Result<Vec<Self>, SyntaxError> {
        let mut reader = Reader {
            rest: line.trim_start(),
        };
        let mut arguments = Vec::new();
        while !reader.rest.is_empty() {
            arguments.push(reader.argument()?);
        }
        Ok(arguments)
    }

    fn new(name: impl Into<String>, kind: Kind, token: Option<&'static str>) -> Self {
        Self {
            name: name.into(),
            kind,
            token,
            since: None,
            deprecated_since: None,
            is_optional: false,
            repeats: Repeats::No,
        }
    }
}

/// What is left of a line. White space in front of it is skipped.
struct Reader {
    rest: &'static str,
}

impl Reader {
    /// Signs that end a word.
    const SIGNS: [char; 6] = ['[', ']', '(', ')', '@', '~'];

    fn argument(&mut self) -> Result<Argument, SyntaxError> {
        let opening = ["[", "("].into_iter().find(|sign| self.skip(sign));
        let mut argument = match opening {
            None => {
                let token = self.token();
                self.simple(token)?
            }
            Some(opening) => self.inside(opening)?,
        };
        if self.skip("...") {
            let is_outside = opening.is_some() && argument.token.is_some();
            argument.repeats = if is_outside {
                Repeats::WithToken
            } else {
                Repeats::Alone
            };
        }
        if self.skip("@") {
            argument.since = Some(self.word("a version")?);
        }
        if self.skip("~") {
            argument.deprecated_since = Some(self.word("a version")?);
        }
        Ok(argument)
    }

    /// What stands behind an opening sign, with the closing one.
    fn inside(&mut self, opening: &str) -> Result<Argument, SyntaxError> {
        let token = self.token();
        let mut argument = match self.label() {
            Some(name) => self.group(name, token)?,
            None if token.is_some() => self.repeated(token)?,
            None => self.argument()?,
        };
        argument.is_optional |= opening == "[";
        let closing = if opening == "[" { "]" } else { ")" };
        if self.skip(closing) {
            Ok(argument)
        } else {
            Err(self.expected(closing))
        }
    }

    /// Several arguments, all or one of them.
    fn group(
        &mut self,
        name: &'static str,
        token: Option<&'static str>,
    ) -> Result<Argument, SyntaxError> {
        let mut parts = vec![self.argument()?];
        let is_choice = self.rest.starts_with('|');
        while !self.rest.starts_with([']', ')']) {
            if is_choice && !self.skip("|") {
                return Err(self.expected("| or the end of the group"));
            }
            parts.push(self.argument()?);
        }
        let kind = if is_choice {
            Kind::OneOf(parts)
        } else {
            Kind::Block(parts)
        };
        Ok(Argument::new(name, kind, token))
    }

    /// One argument behind a word in brackets, as often as it says.
    fn repeated(&mut self, token: Option<&'static str>) -> Result<Argument, SyntaxError> {
        let mut argument = self.simple(token)?;
        if self.skip("...") {
            argument.repeats = Repeats::Alone;
        }
        Ok(argument)
    }

    /// A name, a word, or both.
    fn simple(&mut self, token: Option<&'static str>) -> Result<Argument, SyntaxError> {
        let is_name = self.rest.starts_with(|c: char| c.is_ascii_lowercase());
        if let (Some(token), false) = (token, is_name) {
            let name = token.to_ascii_lowercase();
            return Ok(Argument::new(name, Kind::Token, Some(token)));
        }
        let start = self.rest;
        let word = self.word("an argument")?;
        if let (None, Some((name, token))) = (token, word.split_once('=')) {
            return Ok(Argument::new(name, Kind::Token, Some(token)));
        }
        let (name, of) = match word.rsplit_once(':') {
            None => (word, Type::implied_by(word)),
            Some((name, of)) => {
                let known = Type::ALL.into_iter().find(|known| known.name() == of);
                let of = known.ok_or(SyntaxError {
                    expected: "a type",
                    rest: start,
                })?;
                (name, of)
            }
        };
        Ok(Argument::new(name, Kind::Value(of), token))
    }

    /// A word in capitals.
    fn token(&mut self) -> Option<&'static str> {
        let is_there = self.rest.starts_with(|c: char| c.is_ascii_uppercase());
        is_there.then(|| self.take(self.word_length()))
    }

    /// The name of a group.
    fn label(&mut self) -> Option<&'static str> {
        let name = self.rest[..self.word_length()].strip_suffix(':')?;
        self.take(name.len() + 1);
        Some(name)
    }

    fn word(&mut self, expected: &'static str) -> Result<&'static str, SyntaxError> {
        match self.word_length() {
            0 => Err(self.expected(expected)),
            length => Ok(self.take(length)),
        }
    }

    /// The length of the word that stands here.
    fn word_length(&self) -> usize {
        let is_end = |c: char| c.is_whitespace() || c == '|' || Self::SIGNS.contains(&c);
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let dots = self.rest[..end].find("...");
        dots.unwrap_or(end)
    }

    fn take(&mut self, length: usize) -> &'static str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest.trim_start();
        taken
    }

    fn skip(&mut self, sign: &str) -> bool {
        let is_there = self.rest.starts_with(sign);
        if is_there {
            self.take(sign.len());
        }
        is_there
    }

    fn expected(&self, expected: &'static str) -> SyntaxError {
        let rest = self.rest;
        SyntaxError { expected, rest }
    }
}

#[cfg(test)]
mod tests;
