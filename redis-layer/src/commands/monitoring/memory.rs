//! `MEMORY`: how much keys and the server take.
//!
//! Keys are on disk, so the size of a key is the size of its rows before compression, whether they are in memory at
//! the moment or not.

use crate::commands::manual::help_lines;
use crate::commands::monitoring::process;
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::store::{Direction, Space};
use crate::types::rows::bundle::ListRow;
use crate::types::rows::{RowPrefix, metadata_key};
use crate::types::strings::PIECE_BYTES;
use crate::types::{Content, Kind, Txn};

/// How many elements are sampled by default.
const SAMPLES: u64 = 5;

/// `MEMORY USAGE key [SAMPLES count]`
pub(crate) fn usage(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let mut samples = SAMPLES;
    for position in (3..args.len()).step_by(2) {
        if position + 1 == args.len() || !args.is(position, "SAMPLES") {
            return Err(CommandError::SYNTAX);
        }
        let given = args.integer(position + 1)?;
        samples = match u64::try_from(given).map_err(|_| CommandError::SYNTAX)? {
            0 => u64::MAX,
            given => given,
        };
    }
    let key = args.get(2);
    let Some(metadata) = txn.peek_expired(key)? else {
        return Ok(Reply::Null);
    };
    let row = metadata_key(txn.db(), key);
    let mut bytes = (row.len() + metadata.encode().len()) as u64;
    if let Content::Pieces(text) = metadata.content {
        // Counted as if all of its pieces existed.
        let pieces = text.size.div_ceil(PIECE_BYTES as u64);
        bytes += text.size + pieces * (row.len() + 3 * size_of::<u32>()) as u64;
    } else if let Some(collection) = metadata.content.collection() {
        let prefix = RowPrefix::new(txn.db(), metadata.home_of(key), collection.version);
        let (mut seen, mut seen_bytes) = (0, 0);
        let mut cursor = txn.scan(Space::Data, &prefix.rows(), Direction::Forward)?;
        while let Some((key, value)) = cursor.row()
            && seen < samples
        {
            // A row of a list may hold several elements.
            seen += match metadata.content.kind() {
                Kind::List => ListRow::decode(key, 0, value)?.count() as u64,
                _ => 1,
            };
            seen_bytes += (key.len() + value.len()) as u64;
            cursor.advance()?;
        }
        let copies = if metadata.content.kind() == Kind::SortedSet {
            // Each element also has a row by score, of about the same size.
            2
        } else {
            1
        };
        // All bytes of a large collection, times the number of its elements, are more than 64 bits hold.
        let all = u128::from(copies * seen_bytes) * u128::from(collection.size);
        let all = u64::try_from(all / u128::from(seen.max(1)));
        bytes = bytes.saturating_add(all.unwrap_or(u64::MAX));
    }
    Ok(Reply::count(bytes))
}

/// `MEMORY STATS`
pub(crate) fn stats(session: &mut Session, _args: Args<'_>) -> Outcome {
    let server = &session.server;
    let clients: usize = server.peers().iter().map(|peer| peer.memory_bytes()).sum();
    let process::Memory {
        own: used, peak, ..
    } = process::memory();
    let (_, script_bytes) = server.scripts.kept();
    let txn = server.begin(0)?;
    let mut keys = 0;
    for db in 0..crate::commands::DATABASES {
        keys += txn.live_keys(db)?.keys;
    }
    let dataset = used.saturating_sub(clients as u64);
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    let percent = |part: u64, whole: u64| Reply::Double(100.0 * part as f64 / whole.max(1) as f64);
    let count = |name, number| (Reply::text(name), Reply::count(number));
    Ok(Reply::Map(vec![
        count("peak.allocated", peak),
        count("total.allocated", used),
        count("startup.allocated", 0),
        count("replication.backlog", 0),
        count("clients.slaves", 0),
        count("clients.normal", clients as u64),
        count("cluster.links", 0),
        count("aof.buffer", 0),
        count("lua.caches", script_bytes as u64),
        count("functions.caches", 0),
        count("overhead.total", clients as u64),
        count("keys.count", keys),
        count("keys.bytes-per-key", dataset / keys.max(1)),
        count("dataset.bytes", dataset),
        (Reply::text("dataset.percentage"), percent(dataset, used)),
        (Reply::text("peak.percentage"), percent(used, peak)),
        (Reply::text("fragmentation"), Reply::Double(1.0)),
        count("fragmentation.bytes", 0),
    ]))
}

/// `MEMORY DOCTOR`
pub(crate) fn doctor(session: &mut Session, _args: Args<'_>) -> Outcome {
    let peers = session.server.peers();
    let clients: usize = peers.iter().map(|peer| peer.memory_bytes()).sum();
    let used = process::memory().own;
    let text = if (clients as u64) * 2 > used && clients > 1 << 20 {
        "More than half of the memory waits to be read by clients, or is half a command. CLIENT \
         LIST shows in tot-mem who holds it.\n"
    } else {
        "Memory holds what clients send and what the store keeps at hand. Keys are on disk. \
         There is nothing to complain about.\n"
    };
    Ok(Reply::Text(text.to_owned()))
}

/// `MEMORY MALLOC-STATS`
pub(crate) fn malloc_stats(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(Reply::text("Stats not supported for the current allocator"))
}

/// `MEMORY PURGE`: the allocator returns memory by itself.
pub(crate) fn purge(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(Reply::OK)
}

/// `MEMORY HELP`
pub(crate) fn help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("memory"))
}
