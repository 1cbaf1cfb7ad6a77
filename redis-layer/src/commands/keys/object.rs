//! `OBJECT`: what Redis would say about how a value is stored.
//!
//! Here each type has only one form. `ENCODING` answers the form that Redis would choose for the value as it is now,
//! by the configured limits for compact forms. Redis never goes back to a compact form once a value has been larger;
//! that is left out.

use crate::commands::config::Config;
use crate::commands::manual::help_lines;
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::types::number::parse_integer;
use crate::types::value::Value;
use crate::types::{Content, Metadata, Txn};

/// The longest string that Redis allocates together with its header.
const EMBEDDED_BYTES: usize = 44;
/// The frequency that Redis reports for a new key. Nothing is evicted here, so it is not counted further.
const NEW_KEY_FREQUENCY: i64 = 5;

fn metadata(txn: &Txn<'_>, args: Args<'_>) -> Result<Option<Metadata>, CommandError> {
    lookup_silently(txn, args.get(2))
}

/// Looks a key up without notifying anybody if it is missing.
fn lookup_silently(txn: &Txn<'_>, key: &[u8]) -> Result<Option<Metadata>, CommandError> {
    let metadata = txn.peek(key)?;
    txn.forget_misses();
    Ok(metadata)
}

/// `OBJECT ENCODING key`
pub(crate) fn encoding(session: &mut Session, txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let encoding = encoding_of(&session.server.config, txn, args.get(2))?;
    Ok(encoding.map_or(Reply::Null, Reply::text))
}

/// The form that Redis would choose for the value under a key, with these limits for compact forms.
pub(crate) fn encoding_of(
    config: &Config,
    txn: &mut Txn<'_>,
    key: &[u8],
) -> Result<Option<&'static str>, CommandError> {
    let Some(metadata) = lookup_silently(txn, key)? else {
        return Ok(None);
    };
    let collection = metadata.content.collection();
    let size = collection.map_or(0, |collection| collection.size);
    let limit = |name: &'static str| u64::try_from(config.number(name)).unwrap_or(0);
    // If there are too many elements for a compact form, the value need not be read.
    let mut value = |most: &'static str| {
        if size <= limit(most) {
            txn.read_value(key)
        } else {
            Ok(None)
        }
    };
    let is_short = |bytes: &[u8], most: &'static str| bytes.len() as u64 <= limit(most);
    Ok(Some(match metadata.content {
        Content::String(text) if parse_integer(&text).is_some() => "int",
        Content::String(text) if text.len() <= EMBEDDED_BYTES => "embstr",
        Content::String(_) | Content::Pieces(_) => "raw",
        Content::List(..) => "quicklist",
        Content::Hash(_) => {
            let is_short = |bytes: &[u8]| is_short(bytes, "hash-max-listpack-value");
            match value("hash-max-listpack-entries")? {
                Some(Value::Hash(pairs))
                    if pairs.iter().all(|(f, v)| is_short(f) && is_short(v)) =>
                {
                    "listpack"
                }
                _ => "hashtable",
            }
        }
        Content::Set(_) => match value("set-max-intset-entries")? {
            Some(Value::Set(members)) if members.iter().all(|m| parse_integer(m).is_some()) => {
                "intset"
            }
            _ => "hashtable",
        },
        Content::SortedSet(..) => {
            let is_short = |bytes: &[u8]| is_short(bytes, "zset-max-listpack-value");
            match value("zset-max-listpack-entries")? {
                Some(Value::SortedSet(pairs)) if pairs.iter().all(|e| is_short(&e.member)) => {
                    "listpack"
                }
                _ => "skiplist",
            }
        }
    }))
}

/// Whether the configured eviction policy counts uses instead of keeping the time of the last one.
fn counts_uses(session: &Session) -> bool {
    let policy = session.server.config.get("maxmemory-policy");
    policy.ends_with("-lfu")
}

/// `OBJECT FREQ key`: the frequency of a new key, or an error if the eviction policy does not count uses.
pub(crate) fn freq(session: &mut Session, txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    if metadata(txn, args)?.is_none() {
        return Ok(Reply::Null);
    }
    if counts_uses(session) {
        return Ok(Reply::Integer(NEW_KEY_FREQUENCY));
    }
    Err(CommandError::fixed(
        "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note \
         that when switching between policies at runtime LRU and LFU data will take some time to \
         adjust.",
    ))
}

/// `OBJECT IDLETIME key`: in seconds.
pub(crate) fn idletime(session: &mut Session, txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let found = metadata(txn, args)?;
    if found.is_some() && counts_uses(session) {
        return Err(CommandError::fixed(
            "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that \
             when switching between policies at runtime LRU and LFU data will take some time to \
             adjust.",
        ));
    }
    let idle_s = || Reply::Integer(txn.idle_s(args.get(2)).into());
    Ok(found.map_or(Reply::Null, |_| idle_s()))
}

/// `OBJECT REFCOUNT key`: 1, except for small integers, which Redis shares between all keys without counting.
pub(crate) fn refcount(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    Ok(
        match metadata(txn, args)?.map(|metadata| metadata.content) {
            None => Reply::Null,
            Some(Content::String(text))
                if parse_integer(&text).is_some_and(|number| (0..10_000).contains(&number)) =>
            {
                Reply::Integer(i32::MAX.into())
            }
            Some(_) => Reply::Integer(1),
        },
    )
}

/// `OBJECT HELP`
pub(crate) fn help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("object"))
}
