//! Commands on scripts.

use crate::commands::scripting::{self, Form};
use crate::commands::table::Flag::{
    AllowBusy, Loading, MovableKeys, NoMandatoryKeys, NoScript, ReadOnly, SkipMonitor, Stale, Write,
};
use crate::commands::table::Handler::{Container, Keys as OnKeys, Script, Session};
use crate::commands::table::{Group, Spec, table};

const fn form(by_sha: bool, read_only: bool) -> Form {
    Form { by_sha, read_only }
}

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "eval", -3, [NoScript, Stale, SkipMonitor, NoMandatoryKeys, MovableKeys], [ReadAndChange: (counted(2))], Scripting, "2.6.0", Script(form(false, false));
        "Runs a Lua script.", "That of the script.",
        "script numkeys:integer [key...] [arg...]"
    "eval_ro", -3, [ReadOnly, NoScript, Stale, SkipMonitor, NoMandatoryKeys, MovableKeys], [Read: (counted(2))], Scripting, "7.0.0", Script(form(false, true));
        "Runs a Lua script that changes nothing.", "That of the script.",
        "script numkeys:integer [key...] [arg...]"
    "evalsha", -3, [NoScript, Stale, SkipMonitor, NoMandatoryKeys, MovableKeys], [ReadAndChange: (counted(2))], Scripting, "2.6.0", Script(form(true, false));
        "Runs a kept Lua script, named by its SHA-1.", "That of the script.",
        "sha1 numkeys:integer [key...] [arg...]"
    "evalsha_ro", -3, [ReadOnly, NoScript, Stale, SkipMonitor, NoMandatoryKeys, MovableKeys], [Read: (counted(2))], Scripting, "7.0.0", Script(form(true, true));
        "Runs a kept Lua script that changes nothing, named by its SHA-1.", "That of the script.",
        "sha1 numkeys:integer [key...] [arg...]"
    "fcall", -3, [NoScript, Stale, SkipMonitor, NoMandatoryKeys, MovableKeys], [ReadAndChange: (counted(2))], Scripting, "7.0.0", Session(scripting::fcall);
        "Refused: there are no functions.", "O(1)",
        "function numkeys:integer [key...] [arg...]"
    "fcall_ro", -3, [ReadOnly, NoScript, Stale, SkipMonitor, NoMandatoryKeys, MovableKeys], [Read: (counted(2))], Scripting, "7.0.0", Session(scripting::fcall);
        "Refused: there are no functions.", "O(1)",
        "function numkeys:integer [key...] [arg...]"
    "function", -2, [], [], Scripting, "7.0.0", Container => FUNCTION;
        "Commands about libraries of functions, of which there are none.", "Depends on the subcommand."
    "script", -2, [], [], Scripting, "2.6.0", Container => SCRIPT;
        "Commands about the kept scripts.", "Depends on the subcommand."
};

const FUNCTION: &[Spec] = table! { "function|":
    "delete", 3, [Write, NoScript], [], Scripting, "7.0.0", OnKeys(scripting::function_delete);
        "Refused: there are no libraries.", "O(1)",
        "library-name"
    "flush", -2, [Write, NoScript], [], Scripting, "7.0.0", OnKeys(scripting::function_flush);
        "Does nothing: there are no libraries.", "O(1)",
        "[async: ASYNC | SYNC]"
    "help", 2, [Loading, Stale], [], Scripting, "7.0.0", Session(scripting::function_help);
        "Lists the subcommands.", "O(1)"
    "kill", 2, [NoScript, AllowBusy], [], Scripting, "7.0.0", Session(scripting::function_kill);
        "Refused: no function runs.", "O(1)"
    "list", -2, [NoScript], [], Scripting, "7.0.0", Session(scripting::function_list);
        "Lists the libraries: none.", "O(1)",
        "[LIBRARYNAME library-name-pattern] [WITHCODE]"
    "stats", 2, [NoScript, AllowBusy], [], Scripting, "7.0.0", Session(scripting::function_stats);
        "Describes the function that runs: none.", "O(1)"
};

const SCRIPT: &[Spec] = table! { "script|":
    "debug", 3, [NoScript], [], Scripting, "3.2.0", Session(scripting::debug);
        "Accepted, and without effect: there is no debugger.", "O(1)",
        "(mode: YES | SYNC | NO)"
    "exists", -3, [NoScript], [], Scripting, "2.6.0", Session(scripting::exists);
        "Tells which scripts are kept.", "O(n) for n scripts",
        "sha1..."
    "flush", -2, [NoScript], [], Scripting, "2.6.0", Session(scripting::flush);
        "Forgets all scripts.", "O(n) for n scripts",
        "[async: ASYNC | SYNC]@6.2.0";
        since "6.2.0" "The options ASYNC and SYNC."
    "help", 2, [Loading, Stale], [], Scripting, "5.0.0", Session(scripting::script_help);
        "Lists the subcommands.", "O(1)"
    "kill", 2, [NoScript, AllowBusy], [], Scripting, "2.6.0", Session(scripting::kill);
        "Ends a script that runs for too long and has changed nothing.", "O(1)"
    "load", 3, [NoScript, Stale], [], Scripting, "2.6.0", Session(scripting::load);
        "Keeps a script without running it.", "O(n) for n bytes of the script",
        "script"
};
