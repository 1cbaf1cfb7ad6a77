//! The commands of tracking: `CLIENT TRACKING` with its options, `CACHING`, `GETREDIR` and `TRACKINGINFO`.
//!
//! All options are read first, then checked against one another and against the current mode, which is the order of
//! Redis's errors.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::{Choice, Mode};
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::types::number::c_text;

/// `CLIENT TRACKING ON | OFF [REDIRECT id] [PREFIX prefix ...] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]`
pub(crate) fn tracking(session: &mut Session, args: Args<'_>) -> Outcome {
    let mode = parse_mode(session, args)?;
    if args.is(2, "OFF") {
        session.stop_tracking();
        return Ok(Reply::OK);
    }
    if !args.is(2, "ON") {
        return Err(CommandError::SYNTAX);
    }
    let mut mode = check_mode(session, mode)?;
    if mode.is_broadcast {
        if mode.prefixes.is_empty() {
            mode.prefixes.insert(Bytes::new());
        }
        if let Some(current) = &session.tracking.mode {
            mode.prefixes.extend(current.prefixes.iter().cloned());
        }
    }
    session.start_tracking(mode);
    Ok(Reply::OK)
}

/// The options as they were given, before they are checked against one another.
#[derive(Debug, Default)]
struct Asked {
    mode: Mode,
    opts_in: bool,
    opts_out: bool,
    /// In the order in which they were given.
    prefixes: Vec<Bytes>,
}

fn parse_mode(session: &Session, args: Args<'_>) -> Result<Asked, CommandError> {
    let mut asked = Asked::default();
    let mut position = 3;
    while position < args.len() {
        let has_value = position + 1 < args.len();
        if args.is(position, "REDIRECT") && has_value {
            position += 1;
            if asked.mode.redirect != 0 {
                return Err(CommandError::fixed(
                    "ERR A client can only redirect to a single other client",
                ));
            }
            let id = u64::try_from(args.integer(position)?).unwrap_or(0);
            if session.server.peer(id).is_none() {
                return Err(CommandError::fixed(
                    "ERR The client ID you want redirect to does not exist",
                ));
            }
            asked.mode.redirect = id;
        } else if args.is(position, "PREFIX") && has_value {
            position += 1;
            asked.prefixes.push(args.bytes(position));
        } else if args.is(position, "BCAST") {
            asked.mode.is_broadcast = true;
        } else if args.is(position, "OPTIN") {
            asked.opts_in = true;
        } else if args.is(position, "OPTOUT") {
            asked.opts_out = true;
        } else if args.is(position, "NOLOOP") {
            asked.mode.no_loop = true;
        } else {
            return Err(CommandError::SYNTAX);
        }
        position += 1;
    }
    Ok(asked)
}

/// Checks the options against one another and against the current mode.
fn check_mode(session: &Session, asked: Asked) -> Result<Mode, CommandError> {
    let Asked {
        mut mode,
        opts_in,
        opts_out,
        prefixes,
    } = asked;
    let current = session.tracking.mode.as_ref();
    let refusal = if !mode.is_broadcast && !prefixes.is_empty() {
        Some("ERR PREFIX option requires BCAST mode to be enabled")
    } else if current.is_some_and(|current| current.is_broadcast != mode.is_broadcast) {
        Some(
            "ERR You can't switch BCAST mode on/off before disabling tracking for this client, \
             and then re-enabling it with a different mode.",
        )
    } else if mode.is_broadcast && (opts_in || opts_out) {
        Some("ERR OPTIN and OPTOUT are not compatible with BCAST")
    } else if opts_in && opts_out {
        Some("ERR You can't specify both OPTIN mode and OPTOUT mode")
    } else if current.is_some_and(|current| {
        (opts_in && current.choice == Choice::OptOut)
            || (opts_out && current.choice == Choice::OptIn)
    }) {
        Some(
            "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, \
             and then re-enabling it with a different mode.",
        )
    } else {
        None
    };
    if let Some(refusal) = refusal {
        return Err(CommandError::fixed(refusal));
    }
    if let Some(current) = current {
        check_prefixes(&current.prefixes, &prefixes)?;
    } else {
        check_prefixes(&BTreeSet::new(), &prefixes)?;
    }
    mode.prefixes = prefixes
        .iter()
        .map(|prefix| Bytes::copy_from_slice(prefix))
        .collect();
    mode.choice = match (opts_in, opts_out) {
        (true, _) => Choice::OptIn,
        (_, true) => Choice::OptOut,
        _ => Choice::All,
    };
    Ok(mode)
}

/// The prefixes of one client must not overlap, or it would be told of a key twice. The first of `added` that overlaps with
/// another one is named.
fn check_prefixes(existing: &BTreeSet<Bytes>, added: &[Bytes]) -> Result<(), CommandError> {
    let first = first_overlap(added);
    for (position, prefix) in added.iter().enumerate() {
        let (with, other) = if let Some(other) = overlap_among(existing, prefix) {
            (&b"an existing"[..], other)
        } else if first == Some(position) {
            let mut later = added[position + 1..].iter();
            let Some(other) = later.find(|other| overlap(prefix, other)) else {
                continue;
            };
            (&b"another provided"[..], other)
        } else {
            continue;
        };
        return Err(CommandError::quoting(&[
            b"ERR Prefix '",
            c_text(prefix),
            b"' overlaps with ",
            with,
            b" prefix '",
            c_text(other),
            b"'. Prefixes for a single client must not overlap.",
        ]));
    }
    Ok(())
}

fn overlap(a: &[u8], b: &[u8]) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// The first of `existing` that overlaps with a prefix. Among themselves they do not overlap, but for the empty one, which
/// `BCAST` without a prefix adds unasked. Then what it begins with is the greatest that is not greater, and what begins
/// with it the least that is not less.
fn overlap_among<'a>(existing: &'a BTreeSet<Bytes>, prefix: &Bytes) -> Option<&'a Bytes> {
    let empty = existing.first();
    let before = existing.range::<Bytes, _>(..=prefix).next_back();
    let behind = existing.range::<Bytes, _>(prefix..).next();
    let mut others = [empty, before, behind].into_iter().flatten();
    others.find(|other| overlap(prefix, other))
}

/// The position of the first one that overlaps with any other. In their order, those that begin with a prefix follow
/// it at once.
fn first_overlap(prefixes: &[Bytes]) -> Option<usize> {
    let mut in_order: Vec<(&Bytes, usize)> = prefixes.iter().zip(0..).collect();
    in_order.sort_unstable();
    // What the last one begins with, each the beginning of the next.
    let mut beginnings: Vec<(&Bytes, usize)> = Vec::new();
    let mut first: Option<usize> = None;
    for (prefix, position) in in_order {
        while beginnings
            .pop_if(|(beginning, _)| !prefix.starts_with(beginning))
            .is_some()
        {}
        if let Some(&(_, earliest)) = beginnings.last() {
            let earlier = earliest.min(position);
            first = Some(first.map_or(earlier, |first| first.min(earlier)));
        }
        let earliest = beginnings
            .last()
            .map_or(position, |last| last.1.min(position));
        beginnings.push((prefix, earliest));
    }
    first
}

/// `CLIENT CACHING YES | NO`
pub(crate) fn caching(session: &mut Session, args: Args<'_>) -> Outcome {
    let choice = session.tracking.mode.as_ref().map(|mode| mode.choice);
    if choice.is_none() {
        return Err(CommandError::fixed(
            "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN \
             or OPTOUT mode enabled",
        ));
    }
    let (needed, refusal) = if args.is(2, "YES") {
        let refusal =
            "ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.";
        (Choice::OptIn, refusal)
    } else if args.is(2, "NO") {
        let refusal =
            "ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.";
        (Choice::OptOut, refusal)
    } else {
        return Err(CommandError::SYNTAX);
    };
    if choice != Some(needed) {
        return Err(CommandError::fixed(refusal));
    }
    session.tracking.caching = true;
    Ok(Reply::OK)
}

/// `CLIENT GETREDIR`
pub(crate) fn getredir(session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(redirect(session))
}

/// The client that gets the messages instead: -1 without tracking, 0 for none.
fn redirect(session: &Session) -> Reply {
    let mode = session.tracking.mode.as_ref();
    mode.map_or(Reply::Integer(-1), |mode| Reply::count(mode.redirect))
}

/// `CLIENT TRACKINGINFO`
pub(crate) fn trackinginfo(session: &mut Session, _args: Args<'_>) -> Outcome {
    let mode = session.tracking.mode.clone();
    let is_on = mode.is_some();
    let mode = mode.unwrap_or_default();
    let (opts_in, opts_out) = (mode.choice == Choice::OptIn, mode.choice == Choice::OptOut);
    let caching = session.tracking.caching;
    let is_broken = session.peer.view.lock().tracking.is_broken;
    let flags: Vec<Reply> = [
        (!is_on, "off"),
        (is_on, "on"),
        (mode.is_broadcast, "bcast"),
        (opts_in, "optin"),
        (opts_in && caching, "caching-yes"),
        (opts_out, "optout"),
        (opts_out && caching, "caching-no"),
        (mode.no_loop, "noloop"),
        (is_broken, "broken_redirect"),
    ]
    .into_iter()
    .filter_map(|(applies, name)| applies.then_some(Reply::text(name)))
    .collect();
    let prefixes = mode.prefixes.into_iter().map(Reply::Bulk).collect();
    Ok(Reply::Map(vec![
        (Reply::text("flags"), Reply::Set(flags)),
        (Reply::text("redirect"), redirect(session)),
        (Reply::text("prefixes"), Reply::Array(prefixes)),
    ]))
}
