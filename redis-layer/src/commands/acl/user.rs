//! A user: passwords, and selectors, each of which says what it allows. A command is allowed if one selector allows
//! all of it. The first selector is the user's own; the others were given in parentheses.
//!
//! What is allowed is a set of commands. The rules that led to it are not kept, as in Redis: `ACL LIST` computes the
//! shortest rules that lead to the same set.

use std::collections::BTreeMap;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::CATEGORIES;
use crate::commands::args::is_word;
use crate::commands::monitoring::statistics::{ALL, number};
use crate::commands::table::{Spec, categories, find_full_name};

const SYNTAX: &str = "Syntax error";
const UNKNOWN: &str = "Unknown command or category name in ACL";
const NO_SUCH_PASSWORD: &str = "The password you are trying to remove from the user does not exist";
const NO_HASH: &str = "The password hash must be exactly 64 characters and contain only lowercase \
                       hexadecimal characters";
const TOO_DEEP: &str = "Allowing first-arg of a subcommand is not supported";
const AFTER_ALL_KEYS: &str = "Adding a pattern after the * pattern (or the 'allkeys' flag) is not \
                              valid and does not have any effect. Try 'resetkeys' to start with \
                              an empty list of patterns";
const AFTER_ALL_CHANNELS: &str = "Adding a pattern after the * pattern (or the 'allchannels' flag) \
                                  is not valid and does not have any effect. Try 'resetchannels' \
                                  to start with an empty list of channels";

/// Why a rule is refused.
pub(super) type Refusal = &'static str;

/// What a user may do, and how it proves who it is.
#[derive(Debug, Clone)]
pub(crate) struct User {
    pub(super) is_on: bool,
    /// Whether any password is right.
    pub(super) needs_no_password: bool,
    /// The word about payloads that was given last. It has no effect here: payloads are always checked.
    payloads: Option<&'static str>,
    /// The SHA-256 digests of the passwords, in hexadecimal digits.
    pub(super) passwords: Vec<String>,
    /// Never empty.
    pub(super) selectors: Vec<Selector>,
}

/// What one selector allows.
#[derive(Debug, Clone)]
pub(crate) struct Selector {
    /// By the number of the command, and of the category behind them: see [`in_category`].
    pub(super) commands: Vec<bool>,
    /// Whether commands that a later version brings are allowed.
    allows_unknown: bool,
    /// First arguments that are allowed with a command that is not, by the number of the command.
    pub(super) first_args: BTreeMap<usize, Vec<Bytes>>,
    /// `None` for all keys.
    pub(super) keys: Option<Vec<KeyPattern>>,
    /// `None` for all channels.
    pub(super) channels: Option<Vec<Bytes>>,
}

/// Keys that may be used.
#[derive(Debug, Clone)]
pub(crate) struct KeyPattern {
    pub(super) pattern: Bytes,
    pub(super) reads: bool,
    pub(super) writes: bool,
}

/// A digest in lower case.
fn digest(password: &[u8]) -> String {
    let digest = Sha256::digest(password);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_digest(text: &[u8]) -> bool {
    text.len() == 64 && text.iter().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'))
}

/// Compares digests in a time that does not reveal how much of them is the same.
fn is_same(one: &str, other: &str) -> bool {
    let pairs = one.bytes().zip(other.bytes());
    one.len() == other.len() && pairs.fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

impl User {
    /// A user who may do nothing. `all_channels` is the default for channels.
    pub(super) fn new(all_channels: bool) -> Self {
        Self {
            is_on: false,
            needs_no_password: false,
            payloads: None,
            passwords: Vec::new(),
            selectors: vec![Selector::new(all_channels)],
        }
    }

    /// The user that every connection begins with: it may do everything, without a password.
    pub(super) fn unrestricted() -> Self {
        let mut user = Self::new(true);
        user.is_on = true;
        user.needs_no_password = true;
        user.selectors[0].keys = None;
        user.selectors[0].set_all(true);
        user
    }

    /// Whether nothing is refused to the user.
    pub(super) fn is_unrestricted(&self) -> bool {
        self.selectors.iter().any(|selector| {
            selector.keys.is_none()
                && selector.channels.is_none()
                && selector.commands[..ALL.len()]
                    .iter()
                    .all(|allowed| *allowed)
        })
    }

    /// Whether the user may log in with this password.
    pub(super) fn accepts(&self, password: &[u8]) -> bool {
        let given = digest(password);
        let is_right = self
            .passwords
            .iter()
            .fold(false, |found, right| found | is_same(right, &given));
        self.is_on && (self.needs_no_password || is_right)
    }

    /// Sets the only password, or none if it is empty.
    pub(super) fn require(&mut self, password: &str) {
        self.needs_no_password = password.is_empty();
        self.passwords.clear();
        if !password.is_empty() {
            self.passwords.push(digest(password.as_bytes()));
        }
    }

    /// Applies a rule of `ACL SETUSER`. `all_channels` is the default for channels.
    pub(super) fn apply(&mut self, rule: &[u8], all_channels: bool) -> Result<(), Refusal> {
        let is = |word| is_word(rule, word);
        match rule {
            [] => {}
            _ if is("on") => self.is_on = true,
            _ if is("off") => self.is_on = false,
            _ if is("nopass") => self.require(""),
            _ if is("resetpass") => {
                self.passwords.clear();
                self.needs_no_password = false;
            }
            _ if is("sanitize-payload") => self.payloads = Some("sanitize-payload"),
            _ if is("skip-sanitize-payload") => self.payloads = Some("skip-sanitize-payload"),
            _ if is("clearselectors") => self.selectors.truncate(1),
            _ if is("reset") => {
                *self = Self::new(all_channels);
                self.payloads = Some("sanitize-payload");
            }
            [b'>', password @ ..] => self.add_password(digest(password)),
            [b'#', hash @ ..] => self.add_password(parse_digest(hash)?),
            [b'<', password @ ..] => self.remove_password(&digest(password))?,
            [b'!', hash @ ..] => self.remove_password(&parse_digest(hash)?)?,
            [b'(', rules @ .., b')'] => {
                let mut selector = Selector::new(all_channels);
                let rules = rules.split(u8::is_ascii_whitespace);
                for rule in rules.filter(|rule| !rule.is_empty()) {
                    selector.apply(rule)?;
                }
                self.selectors.push(selector);
            }
            _ => self.selectors[0].apply(rule)?,
        }
        Ok(())
    }

    fn add_password(&mut self, digest: String) {
        if !self.passwords.contains(&digest) {
            self.passwords.push(digest);
        }
        self.needs_no_password = false;
    }

    fn remove_password(&mut self, digest: &str) -> Result<(), Refusal> {
        let known = self.passwords.iter().position(|known| known == digest);
        self.passwords.remove(known.ok_or(NO_SUCH_PASSWORD)?);
        Ok(())
    }

    /// The rules that are words alone.
    pub(super) fn flags(&self) -> Vec<&'static str> {
        let mut flags = vec![if self.is_on { "on" } else { "off" }];
        flags.extend(self.needs_no_password.then_some("nopass"));
        flags.extend(self.payloads);
        flags
    }

    /// All rules, as `ACL LIST` shows them.
    pub(super) fn rules(&self) -> Vec<u8> {
        let mut rules = self.flags().join(" ").into_bytes();
        for password in &self.passwords {
            rules.extend_from_slice(format!(" #{password}").as_bytes());
        }
        for (at, selector) in self.selectors.iter().enumerate() {
            let (open, close): (&[u8], &[u8]) = if at == 0 { (b" ", b"") } else { (b" (", b")") };
            rules.extend_from_slice(&[open, &selector.rules()[..], close].concat());
        }
        rules
    }
}

fn parse_digest(text: &[u8]) -> Result<String, Refusal> {
    let digest = Some(text).filter(|text| is_digest(text)).ok_or(NO_HASH)?;
    Ok(String::from_utf8_lossy(digest).into_owned())
}

fn has_space(text: &[u8]) -> bool {
    text.iter().any(|c| c.is_ascii_whitespace() || *c == 0)
}

impl Selector {
    fn new(all_channels: bool) -> Self {
        Self {
            commands: vec![false; ALL.len() + CATEGORIES.len()],
            allows_unknown: false,
            first_args: BTreeMap::new(),
            keys: Some(Vec::new()),
            channels: (!all_channels).then(Vec::new),
        }
    }

    /// Whether it allows all keys to be read.
    pub(super) fn reads_all_keys(&self) -> bool {
        let keys = self.keys.as_ref();
        keys.is_none_or(|keys| keys.iter().any(|key| key.reads && key.pattern == "*"))
    }

    fn apply(&mut self, rule: &[u8]) -> Result<(), Refusal> {
        let is = |word| is_word(rule, word);
        match rule {
            _ if is("allkeys") || rule == b"~*" => self.keys = None,
            _ if is("resetkeys") => self.keys = Some(Vec::new()),
            _ if is("allchannels") || rule == b"&*" => self.channels = None,
            _ if is("resetchannels") => self.channels = Some(Vec::new()),
            _ if is("allcommands") || is("+@all") => self.set_all(true),
            _ if is("nocommands") || is("-@all") => self.set_all(false),
            [b'~' | b'%', ..] => self.add_keys(rule)?,
            [b'&', pattern @ ..] => {
                let channels = self.channels.as_mut().ok_or(AFTER_ALL_CHANNELS)?;
                if has_space(pattern) {
                    return Err(SYNTAX);
                }
                if !channels.iter().any(|known| known == pattern) {
                    channels.push(Bytes::copy_from_slice(pattern));
                }
            }
            [sign @ (b'+' | b'-'), b'@', category @ ..] => {
                let known = CATEGORIES.iter().any(|name| is_word(category, name));
                if !known {
                    return Err(UNKNOWN);
                }
                let category = String::from_utf8_lossy(category).to_ascii_lowercase();
                self.set_category(&category, *sign == b'+');
            }
            [b'-', name @ ..] => self.set(find_full_name(name).ok_or(UNKNOWN)?, false),
            [b'+', name @ ..] => self.allow(name)?,
            _ => return Err(SYNTAX),
        }
        Ok(())
    }

    /// `~pattern`, or `%` and the letters of what is allowed before it.
    fn add_keys(&mut self, rule: &[u8]) -> Result<(), Refusal> {
        let keys = self.keys.as_mut().ok_or(AFTER_ALL_KEYS)?;
        let (pattern, reads, writes) = match rule {
            [b'%', rest @ ..] => {
                let end = rest.iter().position(|c| *c == b'~').unwrap_or(rest.len());
                let letters = rest[..end].to_ascii_uppercase();
                let has = |letter| letters.contains(&letter);
                if letters.is_empty() || letters.iter().any(|c| !b"RW".contains(c)) {
                    return Err(SYNTAX);
                }
                (rest.get(end + 1..).unwrap_or(&[]), has(b'R'), has(b'W'))
            }
            _ => (&rule[1..], true, true),
        };
        if has_space(pattern) {
            return Err(SYNTAX);
        }
        match keys.iter_mut().find(|known| known.pattern == pattern) {
            Some(known) => {
                known.reads |= reads;
                known.writes |= writes;
            }
            None => keys.push(KeyPattern {
                pattern: Bytes::copy_from_slice(pattern),
                reads,
                writes,
            }),
        }
        Ok(())
    }

    /// `+command`, `+command|subcommand` or `+command|first argument`.
    fn allow(&mut self, name: &[u8]) -> Result<(), Refusal> {
        if let Some(spec) = find_full_name(name) {
            self.set(spec, true);
            return Ok(());
        }
        let bar = name.iter().rposition(|c| *c == b'|').ok_or(UNKNOWN)?;
        let spec = find_full_name(&name[..bar]).ok_or(UNKNOWN)?;
        let argument = &name[bar + 1..];
        if name[..bar].contains(&b'|') {
            return Err(TOO_DEEP);
        }
        if argument.is_empty() {
            return Err(SYNTAX);
        }
        if !spec.subcommands.is_empty() {
            return Err(UNKNOWN);
        }
        if let Some(at) = number(spec) {
            let allowed = self.first_args.entry(at).or_default();
            if !allowed
                .iter()
                .any(|known| known.eq_ignore_ascii_case(argument))
            {
                allowed.push(Bytes::copy_from_slice(argument));
            }
        }
        Ok(())
    }

    fn set_all(&mut self, allowed: bool) {
        self.commands.fill(allowed);
        self.allows_unknown = allowed;
        self.first_args.clear();
    }

    /// Allows or forbids a command with all its subcommands.
    fn set(&mut self, spec: &'static Spec, allowed: bool) {
        for spec in std::iter::once(spec).chain(spec.subcommands) {
            if let Some(at) = number(spec) {
                self.commands[at] = allowed;
                self.first_args.remove(&at);
            }
        }
    }

    fn set_category(&mut self, category: &str, allowed: bool) {
        for at in in_category(category) {
            self.commands[at] = allowed;
            self.first_args.remove(&at);
        }
    }

    /// All rules, as `ACL LIST` shows them.
    fn rules(&self) -> Vec<u8> {
        let reset: &[u8] = match self.channels {
            None => b"",
            Some(_) => b"resetchannels",
        };
        let (keys, channels) = (self.key_rules(), self.channel_rules());
        let commands = self.command_rules();
        let mut rules = vec![&keys[..], reset, &channels, &commands];
        rules.retain(|rules| !rules.is_empty());
        rules.join(&b' ')
    }

    /// The rules about keys.
    pub(super) fn key_rules(&self) -> Vec<u8> {
        match &self.keys {
            None => b"~*".to_vec(),
            Some(keys) => keys
                .iter()
                .map(KeyPattern::rule)
                .collect::<Vec<_>>()
                .join(&b' '),
        }
    }

    /// The rules about channels.
    pub(super) fn channel_rules(&self) -> Vec<u8> {
        match &self.channels {
            None => b"&*".to_vec(),
            Some(names) => {
                let rules = names.iter().map(|name| [&b"&"[..], name].concat());
                rules.collect::<Vec<_>>().join(&b' ')
            }
        }
    }

    /// Rules that lead to the commands that are allowed. They begin with all or none, then come the categories that
    /// leave the least to correct, best first, then single commands.
    pub(super) fn command_rules(&self) -> Vec<u8> {
        let adds = !self.allows_unknown;
        let sign = |allowed| if allowed { '+' } else { '-' };
        let mut rules = vec![format!("{}@all", sign(!adds)).into_bytes()];
        let mut described = vec![!adds; self.commands.len()];
        // What is still to be described: a category that was described counts as undone in it.
        let mut left = self.commands.clone();
        let mut categories = CATEGORIES.to_vec();
        while let Some(best) = best_category(&categories, &left, adds) {
            categories.retain(|category| *category != best);
            for at in in_category(best) {
                described[at] = adds;
                left[at] = !adds;
            }
            rules.push(format!("{}@{best}", sign(adds)).into_bytes());
        }
        for (at, spec) in ALL.iter().enumerate() {
            let allowed = self.commands[at];
            if described[at] != allowed {
                rules.push(format!("{}{}", sign(allowed), spec.full_name).into_bytes());
                // The subcommands come right after their command in the list.
                described[at..=at + spec.subcommands.len()].fill(allowed);
            }
            // Who may run the command with any argument needs no rule for one.
            let first_args = self.first_args.get(&at).filter(|_| !allowed);
            for argument in first_args.into_iter().flatten() {
                let name = spec.full_name.as_bytes();
                rules.push([&b"+"[..], name, b"|", argument].concat());
            }
        }
        rules.join(&b' ')
    }
}

/// The category that brings the description nearest to what is left, if any is of use: fewest commands that would
/// have to be corrected, then most that would not.
fn best_category(candidates: &[&'static str], left: &[bool], adds: bool) -> Option<&'static str> {
    let mut best: Option<(usize, usize, &'static str)> = None;
    for &category in candidates {
        let same = in_category(category).filter(|at| left[*at] == adds).count();
        let wrong = in_category(category).count() - same;
        let is_better =
            best.is_none_or(|(least, most, _)| wrong < least || (wrong == least && same > most));
        if same > wrong && is_better {
            best = Some((wrong, same, category));
        }
    }
    best.map(|(_, _, category)| category)
}

/// The numbers of the commands of a category. A category that has none here has a number of its own, behind those of
/// the commands: a rule about it is kept and shown.
fn in_category(category: &str) -> impl Iterator<Item = usize> {
    let has = move |spec: &&Spec| categories(spec).any(|name| &name[1..] == category);
    let commands = ALL.iter().enumerate();
    let found = commands
        .filter(move |(_, spec)| has(spec))
        .map(|(at, _)| at);
    let own = CATEGORIES.iter().position(|name| *name == category);
    let own = own.filter(|_| !ALL.iter().any(has));
    found.chain(own.map(|at| ALL.len() + at))
}

impl KeyPattern {
    fn rule(&self) -> Vec<u8> {
        let kind: &[u8] = match (self.reads, self.writes) {
            (true, false) => b"%R~",
            (false, true) => b"%W~",
            _ => b"~",
        };
        [kind, &self.pattern[..]].concat()
    }
}
