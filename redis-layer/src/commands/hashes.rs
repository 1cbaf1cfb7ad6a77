//! Commands on hashes.

use bytes::Bytes;

use crate::commands::args::random::{self, Choice};
use crate::commands::args::scan::{self, ScanOptions};
use crate::commands::strings::counters::{NOT_FINITE, OVERFLOW, long_double};
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::elements::{COMPACT, Element, Elements};
use crate::types::number::{LongDouble, parse_integer};
use crate::types::{Class, Kind, Result, Txn};

fn open(txn: &Txn<'_>, args: Args<'_>) -> Result<Option<Elements>> {
    Elements::open(txn, args.get(1), Kind::Hash)
}

fn open_or_create(txn: &Txn<'_>, args: Args<'_>) -> Result<Elements> {
    Elements::open_or_create(txn, args.get(1), Kind::Hash)
}

/// Ends a change of the hash with this event.
fn finish(txn: &mut Txn<'_>, args: Args<'_>, hash: Elements, event: &'static str) -> Result<()> {
    let key = args.get(1);
    txn.event(Class::Hash, event, key);
    if !hash.finish(txn, key)? {
        txn.event(Class::Generic, "del", key);
    }
    Ok(())
}

/// `HSET key field value [field value ...]`
pub(crate) fn hset(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    Ok(Reply::count(set_fields(txn, args)?))
}

/// `HMSET key field value [field value ...]`
pub(crate) fn hmset(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    set_fields(txn, args)?;
    Ok(Reply::OK)
}

fn set_fields(txn: &mut Txn<'_>, args: Args<'_>) -> Result<u64, CommandError> {
    if !args.len().is_multiple_of(2) {
        return Err(CommandError::arity(args.spec.full_name));
    }
    let mut hash = open_or_create(txn, args)?;
    let mut added = 0;
    for pair in args.from(2).chunks_exact(2) {
        added += u64::from(hash.put(txn, &pair[0], pair[1].clone())?);
    }
    finish(txn, args, hash, "hset")?;
    Ok(added)
}

/// `HSETNX key field value`
pub(crate) fn hsetnx(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let mut hash = open_or_create(txn, args)?;
    let is_new = hash.put_new(txn, args.get(2), args.bytes(3))?;
    if is_new {
        finish(txn, args, hash, "hset")?;
    }
    Ok(Reply::yes_or_no(is_new))
}

/// `HGET key field`
pub(crate) fn hget(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let value = match open(txn, args)? {
        Some(hash) => hash.get(txn, args.get(2))?,
        None => None,
    };
    Ok(Reply::bulk_or_null(value))
}

/// `HMGET key field [field ...]`
pub(crate) fn hmget(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let hash = open(txn, args)?;
    let mut values = Vec::with_capacity(args.len() - 2);
    for field in args.from(2) {
        let value = match &hash {
            Some(hash) => hash.get(txn, field)?,
            None => None,
        };
        values.push(Reply::bulk_or_null(value));
    }
    Ok(Reply::Array(values))
}

fn all_fields(txn: &Txn<'_>, args: Args<'_>) -> Result<Vec<Element>> {
    open(txn, args)?.map_or_else(|| Ok(Vec::new()), |hash| hash.all(txn))
}

/// `HGETALL key`
pub(crate) fn hgetall(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let fields = all_fields(txn, args)?.into_iter();
    let pair = |field: Element| (Reply::Bulk(field.name), Reply::Bulk(field.value));
    Ok(Reply::Map(fields.map(pair).collect()))
}

/// `HKEYS key`
pub(crate) fn hkeys(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let fields = all_fields(txn, args)?.into_iter();
    let names = fields.map(|field| Reply::Bulk(field.name));
    Ok(Reply::Array(names.collect()))
}

/// `HVALS key`
pub(crate) fn hvals(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let fields = all_fields(txn, args)?.into_iter();
    let values = fields.map(|field| Reply::Bulk(field.value));
    Ok(Reply::Array(values.collect()))
}

/// `HLEN key`
pub(crate) fn hlen(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let hash = open(txn, args)?;
    Ok(Reply::count(hash.map_or(0, |hash| hash.len())))
}

/// `HEXISTS key field`
pub(crate) fn hexists(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let found = match open(txn, args)? {
        Some(hash) => hash.contains(txn, args.get(2))?,
        None => false,
    };
    Ok(Reply::yes_or_no(found))
}

/// `HSTRLEN key field`
pub(crate) fn hstrlen(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let value = match open(txn, args)? {
        Some(hash) => hash.get(txn, args.get(2))?,
        None => None,
    };
    Ok(Reply::count(value.map_or(0, |value| value.len() as u64)))
}

/// `HDEL key field [field ...]`
pub(crate) fn hdel(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let Some(mut hash) = open(txn, args)? else {
        return Ok(Reply::Integer(0));
    };
    let mut removed = 0;
    for field in args.from(2) {
        removed += u64::from(hash.remove(txn, field)?);
    }
    if removed > 0 {
        finish(txn, args, hash, "hdel")?;
    }
    Ok(Reply::count(removed))
}

/// `HINCRBY key field increment`
pub(crate) fn hincrby(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let increment = args.integer(3)?;
    let mut hash = open_or_create(txn, args)?;
    let value = match hash.get(txn, args.get(2))? {
        None => 0,
        Some(value) => {
            parse_integer(&value).ok_or(CommandError::fixed("ERR hash value is not an integer"))?
        }
    };
    let sum = value.checked_add(increment).ok_or(OVERFLOW)?;
    hash.put(txn, args.get(2), sum.to_string().into())?;
    finish(txn, args, hash, "hincrby")?;
    Ok(Reply::Integer(sum))
}

/// `HINCRBYFLOAT key field increment`
pub(crate) fn hincrbyfloat(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let increment = long_double(args.get(3))?;
    if increment.is_infinite() {
        return Err(CommandError::fixed("ERR value is NaN or Infinity"));
    }
    let mut hash = open_or_create(txn, args)?;
    let value = hash.get(txn, args.get(2))?;
    let value = LongDouble::parse(value.as_deref().unwrap_or(b"0"))
        .ok_or(CommandError::fixed("ERR hash value is not a float"))?;
    let sum = value.checked_add(increment).ok_or(NOT_FINITE)?;
    let sum = Bytes::from(sum.to_string());
    hash.put(txn, args.get(2), sum.clone())?;
    finish(txn, args, hash, "hincrbyfloat")?;
    Ok(Reply::Bulk(sum))
}

/// `HRANDFIELD key [count [WITHVALUES]]`
pub(crate) fn hrandfield(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    if args.len() == 2 {
        let field = match open(txn, args)? {
            Some(hash) => hash.random(txn)?,
            None => None,
        };
        return Ok(Reply::bulk_or_null(field.map(|field| field.name)));
    }
    let choice = Choice::parse(args, 2)?;
    let with_values = args.len() == 4 && args.is(3, "WITHVALUES");
    if args.len() > 3 && !with_values {
        return Err(CommandError::SYNTAX);
    }
    if with_values {
        choice.check_doubled()?;
    }
    let fields = match open(txn, args)? {
        Some(hash) => random::choose(txn, &hash, choice)?,
        None => Vec::new(),
    };
    let fields = fields.into_iter();
    Ok(if with_values {
        let pair = |field: Element| (Reply::Bulk(field.name), Reply::Bulk(field.value));
        Reply::Pairs(fields.map(pair).collect())
    } else {
        Reply::Array(fields.map(|field| Reply::Bulk(field.name)).collect())
    })
}

/// `HSCAN key cursor [MATCH pattern] [COUNT count]`
pub(crate) fn hscan(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let from = scan::cursor(args, 2)?;
    let Some(hash) = open(txn, args)? else {
        return Ok(scan::page(0, Vec::new()));
    };
    let options = ScanOptions::parse(args, 3, false)?;
    let extent = options.extent(hash.len(), COMPACT);
    let (next, fields) = hash.page(txn, from, extent)?;
    let wanted = fields
        .into_iter()
        .filter(|field| options.wants(&field.name));
    let found = wanted.flat_map(|Element { name, value }| [name, value].map(Reply::Bulk));
    Ok(scan::page(next, found.collect()))
}
