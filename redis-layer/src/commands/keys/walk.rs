//! Commands that walk over the keys: `KEYS`, `SCAN`, `RANDOMKEY`.

use bytes::Bytes;

use crate::commands::args::glob::{Case, matches};
use crate::commands::args::scan::{ScanOptions, cursor, page};
use crate::commands::keys::generic::type_name;
use crate::commands::{Args, Outcome, Reply};
use crate::store::Space;
use crate::types::rows::{decode_metadata_key, metadata_rows, stored_kind};
use crate::types::scan::visit_page;
use crate::types::{Txn, each_key, random};

/// `KEYS pattern`
pub(crate) fn keys(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let pattern = args.get(1);
    let mut found = Vec::new();
    each_key(txn, |key| {
        if pattern == b"*" || matches(pattern, &key, Case::Exact) {
            found.push(Reply::Bulk(key.into()));
        }
    })?;
    Ok(Reply::Array(found))
}

/// `SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]`
pub(crate) fn scan(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let number = cursor(args, 1)?;
    let options = ScanOptions::parse(args, 2, true)?;
    // Never the whole database at once: it may be large.
    let extent = options.extent(u64::MAX, 0);
    let mut found = Vec::new();
    let rows = metadata_rows(txn.db());
    let next = visit_page(txn, Space::Metadata, &rows, number, extent, |row, value| {
        let (_, key) = decode_metadata_key(row)?;
        if !options.wants(&key) {
            return Ok(());
        }
        if !txn.is_live_row(value) {
            txn.note_expired(&key, txn.changed(Space::Metadata, row).is_some());
        } else if options.wants_type(type_name(stored_kind(row, value)?)) {
            found.push(Reply::Bulk(key.into()));
        }
        Ok(())
    })?;
    Ok(page(next, found))
}

/// `RANDOMKEY`
pub(crate) fn randomkey(txn: &mut Txn<'_>, _args: Args<'_>) -> Outcome {
    let key = random::random_key(txn)?;
    Ok(Reply::bulk_or_null(key.map(Bytes::from)))
}
