//! `TIME`: the clock of the server.

use crate::commands::{Args, Outcome, Reply, Session};

/// `TIME`
pub(crate) fn time(session: &mut Session, _args: Args<'_>) -> Outcome {
    let now_us = session.server.clock.now_us();
    let part = |number: i64| Reply::Bulk(number.to_string().into());
    Ok(Reply::Array(vec![
        part(now_us / 1_000_000),
        part(now_us % 1_000_000),
    ]))
}
