//! `SCRIPT`, and `FUNCTION` as a server without libraries answers it.

use bytes::Bytes;

use super::BUSY;
use crate::commands::manual::help_lines;
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::scripting::Killed;
use crate::types::Txn;
use crate::types::number::c_text;

const NOT_BUSY: CommandError = CommandError::fixed("NOTBUSY No scripts in execution right now.");
const HAS_WRITTEN: CommandError = CommandError::fixed(
    "UNKILLABLE Sorry the script already executed write commands against the dataset. You can \
     either wait the script termination or kill the server in a hard way using the SHUTDOWN \
     NOSAVE command.",
);

/// `SCRIPT LOAD script`
pub(crate) fn load(session: &mut Session, args: Args<'_>) -> Outcome {
    let loaded = session.server.scripts.load(&args.bytes(2));
    let script = loaded.map_err(|problem| CommandError::quoting(&[&problem]))?;
    Ok(Reply::Bulk(script.sha().into()))
}

/// `SCRIPT EXISTS sha [sha ...]`
pub(crate) fn exists(session: &mut Session, args: Args<'_>) -> Outcome {
    let scripts = &session.server.scripts;
    let known = |sha: &Bytes| Reply::yes_or_no(scripts.find(sha).is_some());
    Ok(Reply::Array(args.from(2).iter().map(known).collect()))
}

/// `SCRIPT FLUSH [ASYNC | SYNC]`
pub(crate) fn flush(session: &mut Session, args: Args<'_>) -> Outcome {
    if args.len() > 3 || (args.len() == 3 && !is_flush_mode(args)) {
        return Err(CommandError::fixed(
            "ERR SCRIPT FLUSH only support SYNC|ASYNC option",
        ));
    }
    session.server.scripts.flush();
    Ok(Reply::OK)
}

fn is_flush_mode(args: Args<'_>) -> bool {
    args.is(2, "sync") || args.is(2, "async")
}

/// `SCRIPT KILL`
pub(crate) fn kill(session: &mut Session, _args: Args<'_>) -> Outcome {
    match session.server.scripts.kill() {
        Killed::Yes => Ok(Reply::OK),
        Killed::NoneRuns => Err(NOT_BUSY),
        Killed::HasWritten => Err(HAS_WRITTEN),
    }
}

/// `SCRIPT DEBUG YES | SYNC | NO`: accepted, although there is no debugger.
pub(crate) fn debug(_session: &mut Session, args: Args<'_>) -> Outcome {
    if ["yes", "sync", "no"].iter().any(|mode| args.is(2, mode)) {
        Ok(Reply::OK)
    } else {
        Err(CommandError::fixed("ERR Use SCRIPT DEBUG YES/SYNC/NO"))
    }
}

/// `SCRIPT HELP`
pub(crate) fn script_help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("script"))
}

/// `FUNCTION HELP`
pub(crate) fn function_help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("function"))
}

/// `FUNCTION LIST [LIBRARYNAME pattern] [WITHCODE]`: there are none.
pub(crate) fn function_list(_session: &mut Session, args: Args<'_>) -> Outcome {
    let mut has_code = false;
    let mut has_name = false;
    let mut position = 2;
    while position < args.len() {
        if !has_code && args.is(position, "withcode") {
            has_code = true;
        } else if !has_name && args.is(position, "libraryname") {
            has_name = true;
            position += 1;
            if position >= args.len() {
                return Err(CommandError::fixed(
                    "ERR library name argument was not given",
                ));
            }
        } else {
            return Err(CommandError::quoting(&[
                b"ERR Unknown argument ",
                c_text(args.get(position)),
            ]));
        }
        position += 1;
    }
    Ok(Reply::Array(Vec::new()))
}

/// `FUNCTION FLUSH [ASYNC | SYNC]`: there is nothing to flush.
pub(crate) fn function_flush(_txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    if args.len() > 3 {
        return Err(CommandError::quoting(&[
            b"ERR unknown subcommand or wrong number of arguments for '",
            args.get(1),
            b"'. Try FUNCTION HELP.",
        ]));
    }
    if args.len() == 3 && !is_flush_mode(args) {
        return Err(CommandError::fixed(
            "ERR FUNCTION FLUSH only supports SYNC|ASYNC option",
        ));
    }
    Ok(Reply::OK)
}

/// `FUNCTION DELETE library`: there are none.
pub(crate) fn function_delete(_txn: &mut Txn<'_>, _args: Args<'_>) -> Outcome {
    Err(CommandError::fixed("ERR Library not found"))
}

/// `FUNCTION KILL`: only a script can be running, never a function.
pub(crate) fn function_kill(session: &mut Session, _args: Args<'_>) -> Outcome {
    Err(match session.server.scripts.can_kill() {
        Killed::Yes => BUSY,
        Killed::NoneRuns => NOT_BUSY,
        Killed::HasWritten => HAS_WRITTEN,
    })
}

/// `FUNCTION STATS`: no function runs, and the engine has no functions.
pub(crate) fn function_stats(session: &mut Session, _args: Args<'_>) -> Outcome {
    if session.server.scripts.is_busy() {
        return Err(BUSY);
    }
    let counts = Reply::Map(vec![
        (Reply::text("libraries_count"), Reply::Integer(0)),
        (Reply::text("functions_count"), Reply::Integer(0)),
    ]);
    let engines = Reply::Map(vec![(Reply::text("LUA"), counts)]);
    Ok(Reply::Map(vec![
        (Reply::text("running_script"), Reply::Null),
        (Reply::text("engines"), engines),
    ]))
}

/// `FCALL` and `FCALL_RO`: there are no functions to call.
pub(crate) fn fcall(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Err(CommandError::fixed("ERR Function not found"))
}
