//! The kinds of values that settings have: how each is read and printed.

use std::fmt::Write as _;

use crate::types::number::{parse_double, parse_integer};

/// The values that a setting accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `yes` or `no`.
    Flag,
    /// An integer between two bounds, both included.
    Integer(i64, i64),
    /// Bytes, optionally with a unit, between two bounds.
    Bytes(u64, u64),
    /// Bytes, where a smaller number is raised to this one.
    BytesFrom(u64),
    /// Bytes, or a share of the machine's memory as `5%`.
    BytesOrShare,
    /// One of several words.
    Choice(&'static [&'static str]),
    /// How the server stops at a signal: some of several words.
    ShutdownFlags,
    /// Any text.
    Text,
    /// Classes of keyspace notifications, a letter each.
    Events,
    /// Limits of output buffers: class, hard, soft, seconds, and so on.
    OutputLimits,
    /// Seconds and changes, alternating. Kept without effect: every write goes to the log.
    SavePoints,
    /// Percentiles of latencies.
    Percentiles,
    /// Three integers for the operating system. Kept without effect.
    OomScores,
    /// A text with the names of variables in braces, for the title of the process. Kept without effect.
    TitleTemplate,
}

/// Why a value is refused, in Redis's words.
pub(crate) type Refusal = String;

/// The largest integer, for bounds.
pub(crate) const MAX: i64 = i64::MAX;
/// The largest number of bytes that Redis can keep in a signed integer.
pub(crate) const MAX_BYTES: u64 = i64::MAX as u64;

impl Kind {
    /// The value as it is kept and printed. `current` is the one that it replaces.
    ///
    /// # Errors
    /// Redis's text for what is wrong with it.
    pub(crate) fn normalize(self, text: &str, current: &str) -> Result<String, Refusal> {
        match self {
            Self::Flag => match text {
                _ if text.eq_ignore_ascii_case("yes") => Ok("yes".to_owned()),
                _ if text.eq_ignore_ascii_case("no") => Ok("no".to_owned()),
                _ => Err("argument must be 'yes' or 'no'".to_owned()),
            },
            Self::Integer(least, most) => {
                let number = parse_integer(text.as_bytes())
                    .ok_or("argument couldn't be parsed into an integer")?;
                in_bounds(number, least, most)?;
                Ok(number.to_string())
            }
            Self::Bytes(least, most) => {
                let bytes = parse_bytes(text).ok_or("argument must be a memory value")?;
                in_bounds(bytes, least, most)?;
                Ok(bytes.to_string())
            }
            Self::BytesFrom(least) => {
                let bytes = parse_bytes(text).ok_or("argument must be a memory value")?;
                in_bounds(bytes, 1, MAX_BYTES)?;
                Ok(bytes.max(least).to_string())
            }
            Self::BytesOrShare => bytes_or_share(text),
            Self::Choice(words) => choose(text, words).map(str::to_owned),
            Self::ShutdownFlags => shutdown_flags(text),
            Self::Text => Ok(text.to_owned()),
            Self::Events => events(text)
                .ok_or_else(|| "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.".to_owned()),
            Self::OutputLimits => output_limits(text, current),
            Self::SavePoints => save_points(text),
            Self::Percentiles => percentiles(text),
            Self::OomScores => oom_scores(text),
            Self::TitleTemplate if has_title(text) => Ok(text.to_owned()),
            Self::TitleTemplate => {
                Err("template format is invalid or contains unknown variables".to_owned())
            }
        }
    }
}

impl Kind {
    /// A value as `CONFIG GET` shows it. Redis keeps the letter `n` next to `A` but does not show it.
    pub(crate) fn shown(&self, value: &str) -> String {
        match self {
            Self::Events if value.contains('A') => value.replace('n', ""),
            _ => value.to_owned(),
        }
    }
}

fn in_bounds<N: Copy + PartialOrd + std::fmt::Display>(
    number: N,
    least: N,
    most: N,
) -> Result<(), Refusal> {
    if (least..=most).contains(&number) {
        return Ok(());
    }
    Err(format!(
        "argument must be between {least} and {most} inclusive"
    ))
}

/// A number of bytes followed by `b`, `k`, `kb`, `m`, `mb`, `g` or `gb`: a letter alone means powers of 1000, a
/// letter with `b` powers of 1024. A number that is too large becomes the greatest one.
pub(crate) fn parse_bytes(text: &str) -> Option<u64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let unit: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" => 1000,
        "kb" => 1024,
        "m" => 1_000_000,
        "mb" => 1 << 20,
        "g" => 1_000_000_000,
        "gb" => 1 << 30,
        _ => return None,
    };
    // Redis reads a text without digits as 0.
    let number = if number.is_empty() {
        0
    } else {
        number.parse().unwrap_or(u64::MAX)
    };
    Some(number.saturating_mul(unit))
}

fn bytes_or_share(text: &str) -> Result<String, Refusal> {
    if let Some(share) = text.strip_suffix('%') {
        let share = parse_integer(share.as_bytes()).and_then(|share| u64::try_from(share).ok());
        let share = share.ok_or("argument must be a memory or percent value")?;
        if share > 100 {
            return Err("percentage argument must be less or equal to 100".to_owned());
        }
        return Ok(format!("{share}%"));
    }
    let bytes = parse_bytes(text).ok_or("argument must be a memory or percent value")?;
    Ok(bytes.to_string())
}

fn choose(text: &str, words: &'static [&'static str]) -> Result<&'static str, Refusal> {
    let found = words.iter().find(|word| word.eq_ignore_ascii_case(text));
    found.copied().ok_or_else(|| {
        format!(
            "argument(s) must be one of the following: {}",
            words.join(", ")
        )
    })
}

/// The words of a value that has several. Each space ends one, so that two spaces have an empty word between them.
fn words(text: &str) -> Vec<&str> {
    if text.is_empty() {
        return Vec::new();
    }
    text.split(' ').collect()
}

/// The words, in the order in which Redis prints them. `default` stands for none of the others.
const SHUTDOWN_FLAGS: &[&str] = &["default", "save", "nosave", "now", "force"];

fn shutdown_flags(text: &str) -> Result<String, Refusal> {
    let given = words(text)
        .into_iter()
        .map(|word| choose(word, SHUTDOWN_FLAGS))
        .collect::<Result<Vec<_>, _>>()?;
    let is_given = |flag: &str| given.contains(&flag);
    if is_given("save") && is_given("nosave") {
        return Err("shutdown options SAVE and NOSAVE can't be used simultaneously".to_owned());
    }
    let others = &SHUTDOWN_FLAGS[1..];
    let shown: Vec<&str> = others
        .iter()
        .copied()
        .filter(|flag| is_given(flag))
        .collect();
    if given.is_empty() {
        choose("", SHUTDOWN_FLAGS).map(str::to_owned)
    } else if shown.is_empty() {
        Ok("default".to_owned())
    } else {
        Ok(shown.join(" "))
    }
}

/// The classes that `A` stands for.
const ALL_EVENTS: &str = "g$lshzxetd";

/// The letters in Redis's order, or `None` if one is unknown.
fn events(text: &str) -> Option<String> {
    if !text.chars().all(|c| "Ag$lshzxeKEtmdn".contains(c)) {
        return None;
    }
    let has = |c: char| text.contains(c) || (text.contains('A') && ALL_EVENTS.contains(c));
    let mut shown = String::new();
    if ALL_EVENTS.chars().all(has) {
        shown.push('A');
    } else {
        shown.extend(ALL_EVENTS.chars().filter(|&c| has(c)));
    }
    shown.extend("nKEm".chars().filter(|&c| has(c)));
    Some(shown)
}

/// The classes of clients that have limits of their own.
pub(crate) const OUTPUT_CLASSES: [&str; 3] = ["normal", "slave", "pubsub"];

/// Bytes at once, bytes for some time, and that time in seconds. 0 is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct OutputLimit {
    pub(crate) hard: u64,
    pub(crate) soft: u64,
    pub(crate) soft_s: u64,
}

/// The limits in a value that was normalized, by [`OUTPUT_CLASSES`].
pub(crate) fn parse_output_limits(text: &str) -> [OutputLimit; 3] {
    let mut limits = [OutputLimit::default(); 3];
    let words: Vec<&str> = text.split(' ').collect();
    let number = |word: &str| word.parse().unwrap_or(0);
    for (limit, words) in limits.iter_mut().zip(words.chunks_exact(4)) {
        *limit = OutputLimit {
            hard: number(words[1]),
            soft: number(words[2]),
            soft_s: number(words[3]),
        };
    }
    limits
}

fn output_limits(text: &str, current: &str) -> Result<String, Refusal> {
    let mut limits = parse_output_limits(current);
    let words = words(text);
    if !words.len().is_multiple_of(4) {
        return Err("Wrong number of arguments in buffer limit configuration.".to_owned());
    }
    for words in words.chunks_exact(4) {
        let class = match words[0].to_ascii_lowercase().as_str() {
            "normal" => 0,
            "slave" | "replica" => 1,
            "pubsub" => 2,
            _ => {
                return Err("Invalid client class specified in buffer limit configuration.".into());
            }
        };
        let limit = (|| {
            Some(OutputLimit {
                hard: parse_bytes(words[1])?,
                soft: parse_bytes(words[2])?,
                soft_s: words[3].parse().ok()?,
            })
        })();
        limits[class] = limit
            .ok_or("Error in hard, soft or soft_seconds setting in buffer limit configuration.")?;
    }
    let mut shown = Vec::new();
    for (class, limit) in OUTPUT_CLASSES.iter().zip(limits) {
        let OutputLimit { hard, soft, soft_s } = limit;
        shown.push(format!("{class} {hard} {soft} {soft_s}"));
    }
    Ok(shown.join(" "))
}

fn save_points(text: &str) -> Result<String, Refusal> {
    let words = words(text);
    let is_point = |pair: &[&str]| {
        let number = |word: &str| parse_integer(word.as_bytes());
        pair.len() == 2
            && number(pair[0]).is_some_and(|s| s >= 1)
            && number(pair[1]).is_some_and(|n| n >= 0)
    };
    if !words.chunks(2).all(is_point) {
        return Err("Invalid save parameters".to_owned());
    }
    Ok(words.join(" "))
}

fn percentiles(text: &str) -> Result<String, Refusal> {
    let mut shown = String::new();
    for word in words(text) {
        let percentile = parse_double(word.as_bytes())
            .ok_or("Invalid latency-tracking-info-percentiles parameters")?;
        if !(0.0..=100.0).contains(&percentile) {
            return Err(
                "latency-tracking-info-percentiles parameters should sit between \
                        [0.0,100.0]"
                    .to_owned(),
            );
        }
        let space = if shown.is_empty() { "" } else { " " };
        // Writing to a `String` cannot fail.
        let _ = write!(shown, "{space}{percentile}");
    }
    Ok(shown)
}

fn oom_scores(text: &str) -> Result<String, Refusal> {
    let words = words(text);
    if words.len() != 3 {
        return Err("wrong number of arguments".to_owned());
    }
    let score = |word: &str| match word {
        // Redis reads a word without digits as 0.
        "" => Some(0),
        _ => parse_integer(word.as_bytes()).filter(|score| (-2000..=2000).contains(score)),
    };
    let scores = words.into_iter().map(score).collect::<Option<Vec<i64>>>();
    let scores = scores.ok_or_else(|| {
        "Invalid oom-score-adj-values, elements must be between -2000 and 2000.".to_owned()
    })?;
    let shown: Vec<String> = scores.iter().map(i64::to_string).collect();
    Ok(shown.join(" "))
}

/// Whether a title comes out of a template. Two opening braces stand for one, and some variables are empty.
fn has_title(template: &str) -> bool {
    let mut rest = template;
    let mut has_text = false;
    while let Some((before, after)) = rest.split_once('{') {
        has_text |= has_letters(before);
        if let Some(after) = after.strip_prefix('{') {
            has_text = true;
            rest = after;
            continue;
        }
        let Some((variable, after)) = after.split_once('}') else {
            return false;
        };
        match variable {
            "config-file" | "listen-addr" | "port" | "tls-port" => has_text = true,
            "server-mode" | "title" | "unixsocket" => {}
            _ => return false,
        }
        rest = after;
    }
    has_text || has_letters(rest)
}

/// Whether there is anything but spaces.
fn has_letters(text: &str) -> bool {
    !text.trim_matches(' ').is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_printed_as_redis_prints_them() {
        let limits = "normal 0 0 0 slave 1 2 3 pubsub 4 5 6";
        for (kind, text, expected) in [
            (Kind::Flag, "YES", "yes"),
            (Kind::Integer(-1, 5), "-1", "-1"),
            (Kind::Bytes(0, u64::MAX), "1kb", "1024"),
            (Kind::Bytes(0, u64::MAX), "2G", "2000000000"),
            (Kind::BytesOrShare, "5%", "5%"),
            (Kind::Choice(&["always", "no"]), "ALWAYS", "always"),
            (Kind::ShutdownFlags, "Force save", "save force"),
            (Kind::Events, "KEgn", "gnKE"),
            (Kind::Events, "AKEnm", "AnKEm"),
            (Kind::Events, "g$lshzxetd", "A"),
            (Kind::SavePoints, "100 1 5 2", "100 1 5 2"),
            (Kind::Percentiles, "50 99.90 100", "50 99.9 100"),
            (
                Kind::OutputLimits,
                "pubsub 1mb 0 7",
                "normal 0 0 0 slave 1 2 3 pubsub 1048576 0 7",
            ),
        ] {
            assert_eq!(
                kind.normalize(text, limits).as_deref(),
                Ok(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn values_are_refused_as_redis_refuses_them() {
        for (kind, text, expected) in [
            (Kind::Flag, "1", "argument must be 'yes' or 'no'"),
            (
                Kind::Integer(0, 9),
                "x",
                "argument couldn't be parsed into an integer",
            ),
            (
                Kind::Integer(0, 9),
                "10",
                "argument must be between 0 and 9 inclusive",
            ),
            (Kind::Bytes(0, 9), "-1", "argument must be a memory value"),
            (
                Kind::BytesOrShare,
                "101%",
                "percentage argument must be less or equal to 100",
            ),
            (
                Kind::Choice(&["a", "b"]),
                "c",
                "argument(s) must be one of the following: a, b",
            ),
            (Kind::SavePoints, "100", "Invalid save parameters"),
            (Kind::OomScores, "1 2", "wrong number of arguments"),
        ] {
            assert_eq!(kind.normalize(text, "").unwrap_err(), expected, "{text}");
        }
    }
}
