//! Commands on keys of any type: existence, type, renaming, copies. Expiry is in [`time_to_live`](super::time_to_live).

use crate::commands::keys::databases::{SAME_OBJECT, database};
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::transfer::DbKey;
use crate::types::{Class, Kind, Txn};

/// `DEL key [key ...]`, and `UNLINK`, which does the same here: `DEL` too leaves the elements to a background thread.
pub(crate) fn del(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let mut removed = 0;
    for key in args.from(1) {
        if txn.remove_key(key)? {
            removed += 1;
            txn.event(Class::Generic, "del", key);
        }
    }
    Ok(Reply::count(removed))
}

/// `EXISTS key [key ...]`: a key named twice counts twice.
pub(crate) fn exists(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let mut found = 0;
    for key in args.from(1) {
        found += u64::from(txn.peek(key)?.is_some());
    }
    Ok(Reply::count(found))
}

/// `TOUCH key [key ...]`: as `EXISTS`, and counts as a use of the keys.
pub(crate) fn touch(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let mut found = 0;
    for key in args.from(1) {
        found += u64::from(txn.lookup(key)?.is_some());
    }
    Ok(Reply::count(found))
}

/// `TYPE key`
pub(crate) fn type_of(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let metadata = txn.peek(args.get(1))?;
    let kind = metadata.map(|metadata| metadata.content.kind());
    Ok(Reply::Status(kind.map_or("none", type_name)))
}

/// Redis's name for a type.
pub(super) const fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::String => "string",
        Kind::Hash => "hash",
        Kind::List => "list",
        Kind::Set => "set",
        Kind::SortedSet => "zset",
    }
}

/// `RENAME key newkey`
pub(crate) fn rename(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    rename_unless(txn, args, false)?;
    Ok(Reply::OK)
}

/// `RENAMENX key newkey`
pub(crate) fn renamenx(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    Ok(Reply::yes_or_no(rename_unless(txn, args, true)?))
}

/// Renames, unless the new name is taken and `taken` forbids that. Returns whether it renamed.
fn rename_unless(txn: &mut Txn<'_>, args: Args<'_>, taken: bool) -> Result<bool, CommandError> {
    let (old, new) = (args.get(1), args.get(2));
    let Some(metadata) = txn.lookup(old)? else {
        return Err(CommandError::NO_SUCH_KEY);
    };
    if old == new {
        return Ok(false);
    }
    // Also without a condition: if the other key has expired, subscribers hear of that first.
    let is_taken = txn.lookup(new)?.is_some();
    if is_taken && taken {
        return Ok(false);
    }
    txn.rename_key(old, metadata, new)?;
    txn.event(Class::Generic, "rename_from", old);
    txn.event(Class::Generic, "rename_to", new);
    Ok(true)
}

/// `COPY source destination [DB destination-db] [REPLACE]`
pub(crate) fn copy(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let selected = txn.selected_db();
    let (mut db, mut replace) = (selected, false);
    let mut position = 3;
    while position < args.len() {
        if args.is(position, "REPLACE") {
            replace = true;
        } else if args.is(position, "DB") && position + 1 < args.len() {
            position += 1;
            db = database(args, position)?;
        } else {
            return Err(CommandError::SYNTAX);
        }
        position += 1;
    }
    let from = DbKey {
        db: selected,
        key: args.get(1),
    };
    let to = DbKey {
        db,
        key: args.get(2),
    };
    if from == to {
        return Err(SAME_OBJECT);
    }
    let copied = copy_unless_taken(txn, from, to, replace);
    txn.set_db(selected);
    Ok(Reply::yes_or_no(copied?))
}

fn copy_unless_taken(
    txn: &mut Txn<'_>,
    from: DbKey<'_>,
    to: DbKey<'_>,
    replace: bool,
) -> Result<bool, CommandError> {
    let exists = txn.lookup(from.key)?.is_some();
    txn.count_reads();
    if !exists {
        return Ok(false);
    }
    txn.set_db(to.db);
    if !replace && txn.lookup(to.key)?.is_some() {
        return Ok(false);
    }
    txn.copy_key(from, to)?;
    txn.event(Class::Generic, "copy_to", to.key);
    Ok(true)
}
