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
    // The value is read to see how large its elements are, which is no lookup of the client.
    let lookups = txn.lookups();
    let encoding = encoding_for(config, txn, key, metadata)?;
    txn.set_lookups(lookups);
    Ok(Some(encoding))
}

fn encoding_for(
    config: &Config,
    txn: &mut Txn<'_>,
    key: &[u8],
    metadata: Metadata,
) -> Result<&'static str, CommandError> {
    let collection = metadata.content.collection();
    let size = collection.map_or(0, |collection| collection.size);
    // If there are too many elements for a compact form, the value need not be read.
    let mut is_compact = |elements_max: &str| -> Result<bool, CommandError> {
        Ok(size <= limit(config, elements_max)
            && txn
                .read_value(key)?
                .is_some_and(|value| has_small_elements(config, &value)))
    };
    Ok(match metadata.content {
        Content::String(text) if parse_integer(&text).is_some() => "int",
        Content::String(text) if text.len() <= EMBEDDED_BYTES => "embstr",
        Content::String(_) | Content::Pieces(_) => "raw",
        Content::List(..) => "quicklist",
        Content::Hash(_) if is_compact("hash-max-listpack-entries")? => "listpack",
        Content::Set(_) if is_compact("set-max-intset-entries")? => "intset",
        Content::Hash(_) | Content::Set(_) => "hashtable",
        Content::SortedSet(..) if is_compact("zset-max-listpack-entries")? => "listpack",
        Content::SortedSet(..) => "skiplist",
    })
}

/// Whether each element is small enough for a compact form, or an integer, which is what such a form of a set holds.
fn has_small_elements(config: &Config, value: &Value) -> bool {
    match value {
        Value::Hash(pairs) => {
            let most = limit(config, "hash-max-listpack-value");
            let mut texts = pairs.iter().flat_map(|(field, value)| [field, value]);
            texts.all(|text| text.len() as u64 <= most)
        }
        Value::Set(members) => members.iter().all(|member| parse_integer(member).is_some()),
        Value::SortedSet(elements) => {
            let most = limit(config, "zset-max-listpack-value");
            elements
                .iter()
                .all(|element| element.member.len() as u64 <= most)
        }
        Value::String(_) | Value::List(_) => false,
    }
}

fn limit(config: &Config, name: &str) -> u64 {
    u64::try_from(config.number(name)).unwrap_or(0)
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
