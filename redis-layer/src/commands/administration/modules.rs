//! `MODULE`: there are no modules.

use crate::commands::manual::help_lines;
use crate::commands::{Args, Outcome, Reply, Session};

/// `MODULE LIST`
pub(crate) fn list(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(Reply::Array(Vec::new()))
}

/// `MODULE HELP`
pub(crate) fn help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("module"))
}
