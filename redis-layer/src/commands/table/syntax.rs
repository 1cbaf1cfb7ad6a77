//! The arguments of a command: a row of the table writes them in one line, and `COMMAND DOCS` shows them as a tree.
//!
//! ```text
//! key value [condition: NX | XX]@2.6.12 [expiration: EX seconds:integer | KEEPTTL] [GET pattern]...
//! ```
//!
//! | written | is |
//! |---|---|
//! | `value` `seconds:integer` | an argument with this name; one of another type than a string. `key` is short for `key:key` |
//! | `NX` `change=CH` | a literal word; one whose name is not the word in lower case |
//! | `EX seconds:integer` | an argument after a word |
//! | `[x]` | an argument that is optional |
//! | `(name: x y)` `(name: x \| y)` | several arguments that belong together; one of several |
//! | `[name: x y]` `[EX name: x y]` | the same, but optional; after a word |
//! | `x...` `[EX x...]` | an argument that may be repeated |
//! | `[EX x]...` `(EX x)...` | an argument that may be repeated together with its word |
//! | `x@6.2.0` `x~2.8.12` | the version of Redis that added it; the version that deprecated it |
//!
//! White space only ends names, so a line may be broken anywhere.
//!
//! Invariants
//! 1. Every line of the table can be parsed by [`Argument::parse`]; a test tries them all. So nothing that was not
//!    understood reaches a client.
//! 2. Writing a tree gives back the line that it was parsed from. So no part of a line is ignored.
//!
//! Left out: words that begin with anything but a capital letter. Only streams and `MIGRATE` have such words.

use std::fmt;

/// One argument of a command, or several that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The literal word that precedes it, or that it consists of.
    pub token: Option<&'static str>,
    /// The version of Redis that added it, if later than the command.
    pub since: Option<&'static str>,
    /// The version of Redis that deprecated it.
    pub deprecated_since: Option<&'static str>,
    /// Whether it is optional.
    pub is_optional: bool,
    /// Whether it may be given more than once.
    pub repeats: Repeats,
}

/// What an argument is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A value of a simple type.
    Value(Type),
    /// Only its literal word.
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
    /// A point in time.
    UnixTime,
}

/// How often an argument may be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// Once.
    No,
    /// Several times, after one word.
    Alone,
    /// Several times, with its word each time.
    WithToken,
}

/// Why a line cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// What was expected.
    pub expected: &'static str,
    /// What was found instead, to the end of the line.
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

    /// Redis's name for it.
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

    /// The type of an argument that does not name one.
    fn implied_by(name: &str) -> Self {
        if name == "key" {
            Self::Key
        } else {
            Self::String
        }
    }
}

impl Kind {
    /// Redis's name for it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Value(of) => of.name(),
            Self::Token => "pure-token",
            Self::OneOf(_) => "oneof",
            Self::Block(_) => "block",
        }
    }

    /// The arguments that it consists of.
    #[must_use]
    pub fn parts(&self) -> &[Argument] {
        match self {
            Self::OneOf(parts) | Self::Block(parts) => parts,
            Self::Value(_) | Self::Token => &[],
        }
    }
}

impl Argument {
    /// Parses the line of a command.
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

/// The rest of a line. White space at its start is skipped.
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

    /// Parses what follows an opening sign, including the closing one.
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

    /// Parses several arguments, of which all or one are given.
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

    /// Parses one argument after a word in brackets, with its repetition.
    fn repeated(&mut self, token: Option<&'static str>) -> Result<Argument, SyntaxError> {
        let mut argument = self.simple(token)?;
        if self.skip("...") {
            argument.repeats = Repeats::Alone;
        }
        Ok(argument)
    }

    /// Parses a name, a literal word, or both.
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

    /// The length of the word at the start of the rest.
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
