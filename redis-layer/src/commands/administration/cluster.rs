//! Commands about clusters. There is no cluster, and clients that ask are told so.

use crate::commands::{Args, CommandError, Outcome, Session};

/// `CLUSTER`, `READONLY`, `READWRITE`, `ASKING`
pub(crate) fn no_cluster(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Err(CommandError::fixed(
        "ERR This instance has cluster support disabled",
    ))
}
