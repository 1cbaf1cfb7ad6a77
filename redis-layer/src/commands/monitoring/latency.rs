//! `LATENCY`: delays above a configured threshold, and how long commands take.
//!
//! With `latency-monitor-threshold` above 0, every delay of at least that many milliseconds is kept under the name of
//! what was slow: the last 160 for each name, and at most one for each second. Nothing is kept while the threshold is
//! 0.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

use parking_lot::Mutex;

use crate::commands::manual::command;
use crate::commands::manual::help_lines;
use crate::commands::monitoring::statistics::ALL;
use crate::commands::table::{Spec, find_full_name};
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::types::number::c_text;

/// How many delays of one name are kept.
const KEPT: usize = 160;

/// Delays by the name of what was slow.
#[derive(Debug, Default)]
pub(crate) struct LatencyMonitor {
    events: Mutex<BTreeMap<&'static str, History>>,
}

/// The delays of one name.
#[derive(Debug, Clone, Default)]
struct History {
    /// Oldest first: when, in seconds since 1970, and how long, in milliseconds.
    samples: VecDeque<(i64, u64)>,
    longest_ms: u64,
}

impl LatencyMonitor {
    /// Keeps a delay. Of several in one second, only the longest is kept.
    pub(crate) fn add(&self, event: &'static str, now_ms: i64, millis: u64) {
        let mut events = self.events.lock();
        let history = events.entry(event).or_default();
        history.longest_ms = history.longest_ms.max(millis);
        let now_s = now_ms / 1000;
        match history.samples.back_mut() {
            Some((at_s, longest)) if *at_s == now_s => *longest = millis.max(*longest),
            _ => {
                if history.samples.len() == KEPT {
                    history.samples.pop_front();
                }
                history.samples.push_back((now_s, millis));
            }
        }
    }

    fn history(&self, event: &[u8]) -> Option<History> {
        let events = self.events.lock();
        let found = events.iter().find(|(name, _)| name.as_bytes() == event);
        found.map(|(_, history)| history.clone())
    }
}

/// `LATENCY HISTORY event`
pub(crate) fn history(session: &mut Session, args: Args<'_>) -> Outcome {
    let history = session.server.latency.history(args.get(2));
    let samples = history.unwrap_or_default().samples.into_iter();
    let pairs = samples
        .map(|(at_s, millis)| Reply::Array(vec![Reply::Integer(at_s), Reply::count(millis)]));
    Ok(Reply::Array(pairs.collect()))
}

/// `LATENCY LATEST`
pub(crate) fn latest(session: &mut Session, _args: Args<'_>) -> Outcome {
    let events = session.server.latency.events.lock();
    let lines = events.iter().filter_map(|(name, history)| {
        let &(at_s, millis) = history.samples.back()?;
        Some(Reply::Array(vec![
            Reply::text(name),
            Reply::Integer(at_s),
            Reply::count(millis),
            Reply::count(history.longest_ms),
        ]))
    });
    Ok(Reply::Array(lines.collect()))
}

/// `LATENCY RESET [event ...]`
pub(crate) fn reset(session: &mut Session, args: Args<'_>) -> Outcome {
    let mut events = session.server.latency.events.lock();
    let before = events.len();
    let named = args.from(2);
    events.retain(|event, _| {
        let is_named = |name: &bytes::Bytes| name.eq_ignore_ascii_case(event.as_bytes());
        !named.is_empty() && !named.iter().any(is_named)
    });
    Ok(Reply::count((before - events.len()) as u64))
}

/// `LATENCY GRAPH event`: a bar for each delay, oldest on the left.
pub(crate) fn graph(session: &mut Session, args: Args<'_>) -> Outcome {
    const HEIGHT: u64 = 5;
    let event = args.get(2);
    let history = session.server.latency.history(event).ok_or_else(|| {
        let name = c_text(event);
        CommandError::quoting(&[b"ERR No samples available for event '", name, b"'"])
    })?;
    let millis = || history.samples.iter().map(|&(_, millis)| millis);
    let (least, most) = (millis().min().unwrap_or(0), millis().max().unwrap_or(0));
    let name = String::from_utf8_lossy(event);
    let mut text = format!(
        "{name} - high {most} ms, low {least} ms (all time high {} ms)\n",
        history.longest_ms
    );
    for level in (0..HEIGHT).rev() {
        let reaches = |millis: u64| (millis - least) * HEIGHT > level * (most - least).max(1);
        let row: String = millis()
            .map(|millis| {
                if level == 0 || reaches(millis) {
                    '#'
                } else {
                    ' '
                }
            })
            .collect();
        text.push_str(row.trim_end());
        text.push('\n');
    }
    Ok(Reply::Text(text))
}

/// `LATENCY DOCTOR`
pub(crate) fn doctor(session: &mut Session, _args: Args<'_>) -> Outcome {
    if session.server.config.live.latency_ms() == 0 {
        return Ok(Reply::Text(
            "Delays are not watched. CONFIG SET latency-monitor-threshold <milliseconds> turns it \
             on.\n"
                .to_owned(),
        ));
    }
    let events = session.server.latency.events.lock();
    if events.is_empty() {
        return Ok(Reply::Text(
            "No delay was worth a note so far.\n".to_owned(),
        ));
    }
    let mut text = String::from("Delays that were noted, by what was slow:\n");
    for (name, history) in &*events {
        let count = history.samples.len() as u64;
        let sum: u64 = history.samples.iter().map(|&(_, millis)| millis).sum();
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "{name}: {count} delays, {} ms on average, {} ms at most",
            sum / count.max(1),
            history.longest_ms
        );
    }
    text.push_str("SLOWLOG GET names the commands that took long.\n");
    Ok(Reply::Text(text))
}

/// `LATENCY HISTOGRAM [command ...]`
pub(crate) fn histogram(session: &mut Session, args: Args<'_>) -> Outcome {
    let specs: Vec<&'static Spec> = if args.len() == 2 {
        ALL.to_vec()
    } else {
        let named = command::names(args)?.iter();
        let named = named.filter_map(|name| find_full_name(name));
        named
            .flat_map(|spec| std::iter::once(spec).chain(spec.subcommands))
            .collect()
    };
    let statistics = &session.server.statistics;
    let mut entries = Vec::new();
    for spec in specs {
        let Some(histogram) = statistics.histogram(spec) else {
            continue;
        };
        let buckets = histogram.cumulative().into_iter();
        let buckets = buckets.map(|(micros, calls)| (Reply::count(micros), Reply::count(calls)));
        entries.push((
            Reply::text(spec.full_name),
            Reply::Map(vec![
                (Reply::text("calls"), Reply::count(histogram.count())),
                (Reply::text("histogram_usec"), Reply::Map(buckets.collect())),
            ]),
        ));
    }
    Ok(Reply::Map(entries))
}

/// `LATENCY HELP`
pub(crate) fn help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("latency"))
}
