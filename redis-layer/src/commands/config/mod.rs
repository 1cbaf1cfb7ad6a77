//! The settings of a running server, and `CONFIG`, which reads and changes them.
//!
//! Every setting is a row of `PARAMETERS`; its value is kept as the text that `CONFIG GET` prints. Settings that are
//! needed for every command are also kept as numbers in [`Live`], so that no command waits for a lock to learn a
//! limit.
//!
//! Invariants
//! 1. A value was accepted by its `value::Kind`, so reading it back cannot fail.
//! 2. `CONFIG SET` changes all the settings that it names, or none.
//! 3. Once a change has returned, `Live` agrees with the texts.
//!
//! ```text
//! parameters     the names, kinds and defaults
//! value          how each kind is read and printed
//! live           the settings that every command needs, as numbers
//! descriptors    how many clients the limit on open files leaves room for
//! ```

pub(crate) mod descriptors;
mod live;
mod parameters;
pub(crate) mod value;

use std::collections::HashMap;
use std::sync::LazyLock;

use bytes::Bytes;
use parking_lot::RwLock;

use crate::commands::args::glob;
use crate::commands::manual::help_lines;
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::types::number::c_text;
use descriptors::allow_clients;
pub use live::{Live, SyncPolicy};
pub(crate) use live::{OutputClass, total_memory};
use parameters::{Change, PARAMETERS, Parameter};

/// Settings that are decided when the server starts, each with the option of the program that decides it.
const OPTIONS: [(&str, &str); 7] = [
    ("bind", "--host"),
    ("dir", "--dir"),
    ("enable-debug-command", "--enable-debug-command"),
    ("port", "--port"),
    ("protected-mode", "--no-protected-mode"),
    ("unixsocket", "--unixsocket"),
    ("unixsocketperm", "--unixsocketperm"),
];

/// Settings whose value a client has to know byte for byte.
const SECRETS: [&str; 2] = ["masterauth", "requirepass"];
/// Why a password is refused.
const NO_PASSWORD: &str = "a password is UTF-8 text without zero bytes here";

/// The settings of a server.
#[derive(Debug)]
pub struct Config {
    /// Indexed by the position in [`PARAMETERS`].
    values: RwLock<Vec<String>>,
    /// The settings that commands need all the time.
    pub live: Live,
}

/// Whether a password is kept as it is. Another one would let in who knows less than it, or nobody.
fn can_be_password(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok() && !word.contains(&0)
}

/// The position of a setting by its name or its older name.
fn position(name: &str) -> Option<usize> {
    static POSITIONS: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
        let names = PARAMETERS.iter().enumerate();
        names
            .flat_map(|(at, parameter)| [(parameter.name, at), (parameter.alias, at)])
            .filter(|(name, _)| !name.is_empty())
            .collect()
    });
    POSITIONS.get(name.to_ascii_lowercase().as_str()).copied()
}

impl Config {
    /// The defaults, with some settings changed. A name or a value that `CONFIG` does not know is ignored: the
    /// program checks its own options.
    #[must_use]
    pub fn new(changed: &[(&'static str, String)]) -> Self {
        let mut values: Vec<String> = PARAMETERS
            .iter()
            .map(|parameter| parameter.default.to_owned())
            .collect();
        for (name, value) in changed {
            let Some(at) = position(name) else { continue };
            if let Ok(value) = PARAMETERS[at].kind.normalize(value, &values[at]) {
                values[at] = value;
            }
        }
        let live = Live::default();
        live.update(|name| position(name).map_or("", |at| &values[at]));
        Self {
            values: RwLock::new(values),
            live,
        }
    }

    /// Checks a setting that is given when the server starts. Returns its name and its value in the form in which
    /// they are kept.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn check(name: &str, value: &str) -> Result<(&'static str, String), String> {
        let at = position(name).ok_or_else(|| format!("there is no setting {name}"))?;
        let Parameter {
            name,
            kind,
            default,
            change,
            ..
        } = &PARAMETERS[at];
        if let Some((_, option)) = OPTIONS.iter().find(|(setting, _)| setting == name) {
            return Err(format!("{name} has an option of its own, {option}"));
        }
        let value = kind.normalize(value, default)?;
        let can_differ = matches!(change, Change::Live | Change::Kept);
        if !can_differ && value != *default {
            return Err(format!("{name} is always {default:?} here"));
        }
        Ok((name, value))
    }

    /// The value of a setting, as `CONFIG GET` prints it. Empty for a name that does not exist.
    #[must_use]
    pub fn get(&self, name: &str) -> String {
        position(name).map_or_else(String::new, |at| self.values.read()[at].clone())
    }

    /// The value of a setting that is a number; 0 for others.
    #[must_use]
    pub fn number(&self, name: &str) -> i64 {
        self.get(name).parse().unwrap_or(0)
    }

    /// Changes settings, all of them or none. A name may be any bytes.
    ///
    /// # Errors
    /// Redis's text about the first that is wrong.
    pub fn set<N: AsRef<[u8]>>(&self, changes: &[(N, &str)]) -> Result<(), CommandError> {
        let mut known = Vec::new();
        for (name, value) in changes {
            let name = name.as_ref();
            let text = str::from_utf8(name).unwrap_or_default();
            let (name, at) = position(text).map(|at| (text, at)).ok_or_else(|| {
                CommandError::quoting(&[
                    b"ERR Unknown option or number of arguments for CONFIG SET - '",
                    name,
                    b"'",
                ])
            })?;
            let refusal = match PARAMETERS[at].change {
                Change::Fixed => Some("can't set immutable config"),
                Change::Protected => Some("can't set protected config"),
                Change::Live | Change::Kept | Change::Same => None,
            };
            // The older name of a setting is a parameter of its own; the one given last wins.
            let is_same = |&(other, _, _): &(&str, _, _)| name.eq_ignore_ascii_case(other);
            let twice = known.iter().any(is_same);
            match refusal.or(twice.then_some("duplicate parameter")) {
                Some(why) => return Err(refused(name, why)),
                None => known.push((name, at, *value)),
            }
        }
        let mut values = self.values.write();
        let mut changed = values.clone();
        for (name, at, value) in known {
            // From here on Redis names a setting as it is called, and no longer as the client wrote it.
            let name = name.to_ascii_lowercase();
            let kind = PARAMETERS[at].kind;
            let value = kind.normalize(value, &changed[at]);
            let value = value.map_err(|why| refused(&name, &why))?;
            if PARAMETERS[at].change == Change::Same && value != changed[at] {
                return Err(refused(&name, cannot_move(PARAMETERS[at].name)));
            }
            changed[at] = value;
            if PARAMETERS[at].name == "hz" {
                changed[at] = clamp_hz(&changed[at]);
            }
        }
        *values = changed;
        self.live
            .update(|name| position(name).map_or("", |at| &values[at]));
        Ok(())
    }

    /// The settings whose names match one of the patterns, each once, ignoring case. For a pattern without wildcards,
    /// the name is answered as the client first wrote it.
    fn matching(&self, patterns: &[Bytes]) -> Vec<(Bytes, String)> {
        let values = self.values.read();
        let mut found: Vec<(Bytes, String)> = Vec::new();
        let mut add = |name: Bytes, at: usize| {
            if !found
                .iter()
                .any(|(known, _)| known.eq_ignore_ascii_case(&name))
            {
                found.push((name, PARAMETERS[at].kind.shown(&values[at])));
            }
        };
        for pattern in patterns {
            if !pattern.iter().any(|byte| b"*?[".contains(byte)) {
                if let Some(at) = position(&String::from_utf8_lossy(pattern)) {
                    add(pattern.clone(), at);
                }
                continue;
            }
            for (at, Parameter { name, alias, .. }) in PARAMETERS.iter().enumerate() {
                for name in [name, alias] {
                    if !name.is_empty() && glob::matches(pattern, name.as_bytes(), glob::Case::Any)
                    {
                        add(Bytes::from_static(name.as_bytes()), at);
                    }
                }
            }
        }
        found
    }
}

/// Redis's error text when it cannot listen at another address.
fn cannot_move(name: &str) -> &'static str {
    match name {
        "port" => "Unable to listen on this port. Check server logs.",
        "bind" => "Failed to bind to specified addresses.",
        _ => "can't set immutable config",
    }
}

/// Redis accepts any number here, and keeps the nearest one that makes sense.
fn clamp_hz(value: &str) -> String {
    value.parse().unwrap_or(10_i64).clamp(1, 500).to_string()
}

fn refused(name: &str, why: &str) -> CommandError {
    CommandError::quoting(&[
        b"ERR CONFIG SET failed (possibly related to argument '",
        name.as_bytes(),
        b"') - ",
        why.as_bytes(),
    ])
}

/// `CONFIG GET pattern [pattern ...]`
pub(crate) fn get(session: &mut Session, args: Args<'_>) -> Outcome {
    let found = session.server.config.matching(args.from(2));
    let pairs = found
        .into_iter()
        .map(|(name, value)| (Reply::Bulk(name), Reply::Bulk(value.into())));
    Ok(Reply::Map(pairs.collect()))
}

/// `CONFIG SET name value [name value ...]`
pub(crate) fn set(session: &mut Session, args: Args<'_>) -> Outcome {
    if !args.len().is_multiple_of(2) {
        return Err(CommandError::SYNTAX);
    }
    for pair in args.from(2).chunks_exact(2) {
        let name = &pair[0];
        let is_secret = SECRETS
            .iter()
            .find(|secret| name.eq_ignore_ascii_case(secret.as_bytes()));
        if let Some(secret) = is_secret.filter(|_| !can_be_password(&pair[1])) {
            return Err(refused(secret, NO_PASSWORD));
        }
    }
    // Names and values are C text. No setting but a password may be invalid UTF-8 in Redis.
    let words: Vec<&[u8]> = args.from(2).iter().map(|word| c_text(word)).collect();
    let names = words.iter().step_by(2).copied();
    let values = words.iter().skip(1).step_by(2);
    let values: Vec<_> = values.map(|value| String::from_utf8_lossy(value)).collect();
    let changes: Vec<(&[u8], &str)> = names.zip(values.iter().map(AsRef::as_ref)).collect();
    check_file_descriptors(&changes)?;
    session.server.config.set(&changes)?;
    session.server.configured();
    session.server.tracking.limit(&session.server);
    Ok(Reply::OK)
}

/// Refuses more clients than the system has sockets for, as Redis does.
fn check_file_descriptors(changes: &[(&[u8], &str)]) -> Result<(), CommandError> {
    let asked = changes
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(b"maxclients"));
    let asked = asked.and_then(|(_, value)| value.parse::<u32>().ok());
    let Some(asked) = asked.map(u64::from) else {
        return Ok(());
    };
    let possible = allow_clients(asked);
    if possible == asked {
        return Ok(());
    }
    let why = format!(
        "The operating system is not able to handle the specified number of clients, try with \
         {possible}"
    );
    Err(refused("maxclients", &why))
}

/// `CONFIG RESETSTAT`
pub(crate) fn resetstat(session: &mut Session, _args: Args<'_>) -> Outcome {
    session.server.reset_statistics();
    Ok(Reply::OK)
}

/// `CONFIG REWRITE`: there is no configuration file, only options and the environment.
pub(crate) fn rewrite(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Err(CommandError::fixed(
        "ERR The server is running without a config file",
    ))
}

/// `CONFIG HELP`
pub(crate) fn help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("config"))
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;
    use clap::builder::PossibleValue;

    use super::*;

    #[test]
    fn every_default_is_a_value_that_its_setting_takes() {
        let mut last = "";
        for parameter in PARAMETERS {
            let Parameter { name, default, .. } = parameter;
            assert!(last < *name, "{last} comes before {name}");
            last = name;
            let kept = parameter.kind.normalize(default, default);
            assert_eq!(kept.as_deref(), Ok(*default), "{name}");
        }
    }

    #[test]
    fn each_sync_policy_has_one_name_everywhere() {
        for policy in SyncPolicy::value_variants() {
            let config = Config::new(&[("appendfsync", policy.name().to_owned())]);
            assert_eq!(config.live.sync_policy(), *policy);
            let option = policy.to_possible_value();
            assert_eq!(
                option.as_ref().map(PossibleValue::get_name),
                Some(policy.name())
            );
        }
    }

    #[test]
    fn several_changes_happen_together_or_not_at_all() {
        let config = Config::new(&[("timeout", "7".to_owned())]);
        assert_eq!(config.number("timeout"), 7);
        for wrong in [
            [("timeout", "8"), ("nope", "1")],
            [("timeout", "8"), ("maxclients", "0")],
            [("timeout", "8"), ("port", "1")],
            [("timeout", "8"), ("databases", "1")],
            [("timeout", "8"), ("TIMEOUT", "9")],
            [("timeout", "8"), ("dir", "/")],
        ] {
            assert!(config.set(&wrong).is_err(), "{wrong:?}");
            assert_eq!(config.number("timeout"), 7);
            assert_eq!(config.live.timeout_s(), 7);
        }
        config
            .set(&[("timeout", "8"), ("lua-time-limit", "9")])
            .unwrap();
        assert_eq!(config.live.timeout_s(), 8);
        assert_eq!(config.number("busy-reply-threshold"), 9);
        assert_eq!(config.number("lua-time-limit"), 9);
    }
}
