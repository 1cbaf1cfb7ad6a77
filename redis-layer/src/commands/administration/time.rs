//! `TIME`: the clock of the server.

use crate::commands::{Args, Outcome, Reply, Session};

/// `TIME`
pub(crate) fn time(session: &mut Session, _args: Args<'_>) -> Outcome {
    let now_ms = session.server.clock.now_ms();
    let part = |number: i64| Reply::Bulk(number.to_string().into());
    Ok(Reply::Array(vec![
        part(now_ms / 1000),
        part(now_ms % 1000 * 1000),
    ]))
}
