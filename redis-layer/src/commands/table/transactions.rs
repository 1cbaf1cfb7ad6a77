//! Commands on transactions.

use crate::commands::table::Flag::{AllowBusy, Fast, Loading, NoScript, SkipSlowlog, Stale};
use crate::commands::table::Handler::{Exec, Session};
use crate::commands::table::{Group, Spec, table};
use crate::commands::transactions;

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "discard", 1, [NoScript, Loading, Stale, Fast, AllowBusy], [], Transactions, "2.0.0", Session(transactions::discard);
        "Forgets the commands since MULTI.", "O(n) for n queued commands"
    "exec", 1, [NoScript, Loading, Stale, SkipSlowlog], [], Transactions, "1.2.0", Exec;
        "Runs the commands since MULTI as one.", "That of the queued commands."
    "multi", 1, [NoScript, Loading, Stale, Fast, AllowBusy], [], Transactions, "1.2.0", Session(transactions::multi);
        "Queues the commands that follow until EXEC.", "O(1)"
    "unwatch", 1, [NoScript, Loading, Stale, Fast, AllowBusy], [], Transactions, "2.2.0", Session(transactions::unwatch);
        "Watches no key any more.", "O(n) for n watched keys"
    "watch", -2, [NoScript, Loading, Stale, Fast, AllowBusy], [Ask: ALL], Transactions, "2.2.0", Session(transactions::watch);
        "Lets EXEC fail if one of these keys is changed before.", "O(n) for n keys",
        "key..."
};
