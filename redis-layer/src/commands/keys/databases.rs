//! Commands on whole databases, and `MOVE`, which takes a key from one to another.

use crate::commands::{Args, CommandError, DATABASES, Outcome, Reply};
use crate::types::transfer::DbKey;
use crate::types::{Class, DbNumber, FlushScope, Txn, flush};

pub(super) const SAME_OBJECT: CommandError =
    CommandError::fixed("ERR source and destination objects are the same");

/// The database with the number at a position. Redis reads that as an integer of 32 bits first.
pub(crate) fn database(args: Args<'_>, position: usize) -> Result<DbNumber, CommandError> {
    let number = args.integer(position)?;
    if i32::try_from(number).is_err() {
        return Err(CommandError::fixed(
            "ERR value is out of range, value must between -2147483648 and 2147483647",
        ));
    }
    in_range(number)
}

fn in_range(number: i64) -> Result<DbNumber, CommandError> {
    DbNumber::try_from(number)
        .ok()
        .filter(|db| *db < DATABASES)
        .ok_or(CommandError::fixed("ERR DB index is out of range"))
}

/// `MOVE key db`
pub(crate) fn move_to(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let key = args.get(1);
    let selected = txn.selected_db();
    let db = database(args, 2)?;
    if db == selected {
        return Err(SAME_OBJECT);
    }
    // The target is looked up only if there is something to move: a key that is looked up is removed if it has expired.
    if txn.lookup(key)?.is_none() {
        return Ok(Reply::Integer(0));
    }
    txn.set_db(db);
    let is_taken = txn.lookup(key)?.is_some();
    txn.set_db(selected);
    if is_taken {
        return Ok(Reply::Integer(0));
    }
    let moved = txn.move_key(DbKey { db: selected, key }, DbKey { db, key })?;
    txn.set_db(selected);
    if moved {
        txn.event(Class::Generic, "move_from", key);
        txn.set_db(db);
        txn.event(Class::Generic, "move_to", key);
        txn.set_db(selected);
    }
    Ok(Reply::yes_or_no(moved))
}

/// `SWAPDB index1 index2`
pub(crate) fn swapdb(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let number = |position, message| {
        let number = args.integer(position).ok();
        let number = number.filter(|&number| i32::try_from(number).is_ok());
        number.ok_or(CommandError::fixed(message))
    };
    let a = number(1, "ERR invalid first DB index")?;
    let b = number(2, "ERR invalid second DB index")?;
    let (a, b) = (in_range(a)?, in_range(b)?);
    txn.swap_databases(a, b);
    Ok(Reply::OK)
}

/// `FLUSHALL [ASYNC | SYNC]`
pub(crate) fn flushall(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    flush_scope(txn, args, FlushScope::Everything)
}

/// `FLUSHDB [ASYNC | SYNC]`
pub(crate) fn flushdb(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    flush_scope(txn, args, FlushScope::OneDatabase)
}

fn flush_scope(txn: &mut Txn<'_>, args: Args<'_>, scope: FlushScope) -> Outcome {
    let known = args.is(1, "ASYNC") || args.is(1, "SYNC");
    if args.len() > 2 || (args.len() == 2 && !known) {
        return Err(CommandError::SYNTAX);
    }
    flush(txn, scope)?;
    Ok(Reply::OK)
}

/// `DBSIZE`
pub(crate) fn dbsize(txn: &mut Txn<'_>, _args: Args<'_>) -> Outcome {
    let keys = txn.live_keys(txn.selected_db())?.keys;
    Ok(Reply::count(keys))
}
