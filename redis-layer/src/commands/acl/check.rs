//! Whether a user may run a command: each selector is asked, and one that allows all of it is enough.

use bytes::Bytes;

use super::user::{Selector, User};
use crate::commands::args::glob;
use crate::commands::monitoring::statistics::number;
use crate::commands::table::{Flag, Group, Spec, Use};
use crate::commands::{Args, CommandError};

/// What a user may not do. Of several selectors, the refusal that is greatest here is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Denied {
    /// Run the command.
    Command,
    /// Use the key at this position.
    Key(usize),
    /// Use the channel at this position.
    Channel(usize),
}

impl Denied {
    /// The word for it in `ACL LOG`.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Key(_) => "key",
            Self::Channel(_) => "channel",
        }
    }

    /// What the user may not use: a command, a key or a channel.
    pub(super) fn object<'a>(self, args: Args<'a>) -> &'a [u8] {
        match self {
            Self::Command => args.spec.full_name.as_bytes(),
            Self::Key(at) | Self::Channel(at) => args.get(at),
        }
    }

    /// The answer to a client.
    pub(crate) fn refusal(self, spec: &Spec) -> CommandError {
        match self {
            Self::Command => CommandError::quoting(&[
                b"NOPERM this user has no permissions to run the '",
                spec.full_name.as_bytes(),
                b"' command",
            ]),
            Self::Key(_) => CommandError::fixed(
                "NOPERM this user has no permissions to access one of the keys used as arguments",
            ),
            Self::Channel(_) => CommandError::fixed(
                "NOPERM this user has no permissions to access one of the channels used as \
                 arguments",
            ),
        }
    }

    /// The answer to a script.
    pub(crate) const fn in_script(self) -> &'static str {
        match self {
            Self::Command => {
                "ERR The user executing the script can't run this command or subcommand"
            }
            Self::Key(_) => {
                "ERR The user executing the script can't access at least one of the keys \
                 mentioned in the command arguments"
            }
            Self::Channel(_) => {
                "ERR The user executing the script can't publish to the channel mentioned in the \
                 command"
            }
        }
    }

    /// The answer in the place of a command's reply, if the right was lost between `MULTI` and `EXEC`.
    pub(crate) fn in_exec(self) -> CommandError {
        let why: &[u8] = match self {
            Self::Command => b"no permission to execute the command or subcommand",
            Self::Key(_) => b"no permission to touch the specified keys",
            Self::Channel(_) => b"no permission to access one of the channels used as arguments",
        };
        CommandError::quoting(&[
            b"NOPERM ACLs rules changed between the moment the transaction was accumulated and \
              the EXEC call. This command is no longer allowed for the following reason: ",
            why,
        ])
    }
}

impl User {
    /// Checks a command with its arguments.
    pub(super) fn check(&self, args: Args<'_>) -> Result<(), Denied> {
        let mut greatest = Denied::Command;
        for selector in &self.selectors {
            match selector.check(args) {
                Ok(()) => return Ok(()),
                Err(denied) => greatest = greatest.max(denied),
            }
        }
        Err(greatest)
    }

    /// Whether the user may run the command and read all keys.
    pub(super) fn reads_all_keys_with(&self, args: Args<'_>) -> bool {
        let mut selectors = self.selectors.iter();
        selectors.any(|selector| selector.check(args).is_ok() && selector.reads_all_keys())
    }

    /// Whether the user may hear a channel, or the channels of a pattern.
    pub(super) fn may_hear(&self, name: &[u8], is_pattern: bool) -> bool {
        let mut selectors = self.selectors.iter();
        selectors.any(|selector| selector.allows_channel(name, is_pattern))
    }
}

impl Selector {
    fn check(&self, args: Args<'_>) -> Result<(), Denied> {
        if !args.spec.has(Flag::NoAuth) && !self.allows_command(args) {
            return Err(Denied::Command);
        }
        let Args { spec, .. } = args;
        let words = args.from(0);
        if self.keys.is_some() && spec.keys.counts_fit(words) {
            for (at, usage) in spec.key_uses(words) {
                if !self.allows_key(&words[at], usage) {
                    return Err(Denied::Key(at));
                }
            }
        }
        let (named, is_pattern) = channels(args);
        for at in named {
            if !self.allows_channel(args.get(at), is_pattern) {
                return Err(Denied::Channel(at));
            }
        }
        Ok(())
    }

    fn allows_command(&self, args: Args<'_>) -> bool {
        let Some(at) = number(args.spec) else {
            return false;
        };
        let first = || self.first_args.get(&at).into_iter().flatten();
        self.commands[at]
            || (args.len() > 1 && first().any(|word| word.eq_ignore_ascii_case(args.get(1))))
    }

    fn allows_key(&self, key: &Bytes, usage: Use) -> bool {
        let (reads, writes) = access(usage);
        let Some(keys) = &self.keys else { return true };
        keys.iter().any(|allowed| {
            (allowed.reads || !reads)
                && (allowed.writes || !writes)
                && glob::matches(&allowed.pattern, key, glob::Case::Exact)
        })
    }

    /// A pattern of channels has to be allowed word for word.
    fn allows_channel(&self, name: &[u8], is_pattern: bool) -> bool {
        let Some(channels) = &self.channels else {
            return true;
        };
        channels.iter().any(|allowed| {
            if is_pattern {
                allowed == name
            } else {
                glob::matches(allowed, name, glob::Case::Exact)
            }
        })
    }
}

/// Whether a use of a key reads its value, and whether it changes it.
const fn access(usage: Use) -> (bool, bool) {
    match usage {
        Use::Ask | Use::Channel => (false, false),
        Use::Read => (true, false),
        Use::Add | Use::Change | Use::Remove | Use::Overwrite | Use::Create | Use::Drop => {
            (false, true)
        }
        Use::ReadAndChange | Use::Take | Use::MayChange => (true, true),
    }
}

/// The positions of the channels that a command sends to or begins to hear, and whether they are patterns. The keys of
/// the table do not say it: Redis lists the channels of shards there, and no others. So whoever adds a command about
/// channels may forget it here. Then every argument counts as a channel, and too much is refused, not too little.
fn channels(args: Args<'_>) -> (std::ops::Range<usize>, bool) {
    let Args { spec, .. } = args;
    // Those of `PUBSUB` only ask who listens.
    let asks = !spec.subcommands.is_empty() || spec.name != spec.full_name;
    match spec.full_name {
        "publish" | "spublish" => (1..2, false),
        "psubscribe" => (1..args.len(), true),
        "unsubscribe" | "sunsubscribe" | "punsubscribe" => (0..0, false),
        _ if spec.group == Group::PubSub && !asks => (1..args.len(), false),
        _ => (0..0, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::table::{COMMANDS, find};

    fn positions(spec: &'static Spec, words: usize) -> Vec<usize> {
        let words = vec![Bytes::from_static(b"word"); words];
        channels(Args::new(&words, spec)).0.collect()
    }

    #[test]
    fn every_argument_of_an_unknown_command_about_channels_needs_a_right() {
        let unknown: &'static Spec = Box::leak(Box::new(Spec {
            name: "whisper",
            full_name: "whisper",
            ..*find(b"publish").unwrap()
        }));
        assert_eq!(positions(unknown, 4), [1, 2, 3]);
    }

    #[test]
    fn only_commands_that_send_to_channels_or_begin_to_hear_them_need_rights_to_them() {
        let all = COMMANDS
            .iter()
            .flat_map(|spec| std::iter::once(*spec).chain(spec.subcommands));
        let checked = all.filter(|spec| !positions(spec, 3).is_empty());
        let checked: Vec<&str> = checked.map(|spec| spec.full_name).collect();
        let expected = [
            "psubscribe",
            "publish",
            "spublish",
            "ssubscribe",
            "subscribe",
        ];
        assert_eq!(checked, expected);
    }
}
