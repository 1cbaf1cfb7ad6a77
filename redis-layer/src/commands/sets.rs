//! Commands on sets.

use bytes::Bytes;

use crate::commands::args::pops::count_after_key;
use crate::commands::args::random::{self, Choice};
use crate::commands::args::scan::{self, ScanOptions};
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::store::Space;
use crate::types::elements::{COMPACT, Element, Elements};
use crate::types::number::parse_integer;
use crate::types::set::{self, MaybeSet};
use crate::types::{Class, Kind, Result, Txn};

fn open(txn: &Txn<'_>, key: &[u8]) -> Result<MaybeSet> {
    Elements::open(txn, key, Kind::Set)
}

/// Ends a change of the set with this event.
fn finish(txn: &mut Txn<'_>, key: &[u8], set: Elements, event: &'static str) -> Result<()> {
    txn.event(Class::Set, event, key);
    if !set.finish(txn, key)? {
        txn.event(Class::Generic, "del", key);
    }
    Ok(())
}

fn bulks(members: Vec<Bytes>) -> Vec<Reply> {
    members.into_iter().map(Reply::Bulk).collect()
}

fn names(elements: Vec<Element>) -> Vec<Reply> {
    let names = elements.into_iter().map(|element| element.name);
    names.map(Reply::Bulk).collect()
}

/// `SADD key member [member ...]`
pub(crate) fn sadd(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let key = args.get(1);
    let mut set = Elements::open_or_create(txn, key, Kind::Set)?;
    let mut added = 0;
    for member in args.from(2) {
        added += u64::from(set.put_new(txn, member, Bytes::new())?);
    }
    if added > 0 {
        finish(txn, key, set, "sadd")?;
    }
    Ok(Reply::count(added))
}

/// `SREM key member [member ...]`
pub(crate) fn srem(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let key = args.get(1);
    let Some(mut set) = open(txn, key)? else {
        return Ok(Reply::Integer(0));
    };
    let mut removed = 0;
    for member in args.from(2) {
        removed += u64::from(set.remove(txn, member)?);
    }
    if removed > 0 {
        finish(txn, key, set, "srem")?;
    }
    Ok(Reply::count(removed))
}

/// `SMOVE source destination member`
pub(crate) fn smove(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let (from, to, member) = (args.get(1), args.get(2), args.get(3));
    let source = open(txn, from);
    if !matches!(source, Ok(Some(_))) {
        // Redis looks both keys up before it checks either, and a lookup counts as a use.
        txn.lookup(to)?;
    }
    let Some(mut source) = source? else {
        return Ok(Reply::Integer(0));
    };
    let target = open(txn, to)?;
    if from == to {
        return Ok(Reply::yes_or_no(source.contains(txn, member)?));
    }
    if !source.remove(txn, member)? {
        return Ok(Reply::Integer(0));
    }
    finish(txn, from, source, "srem")?;
    let mut target = match target {
        Some(target) => target,
        None => Elements::create(txn, to, Kind::Set)?,
    };
    if target.put_new(txn, member, Bytes::new())? {
        finish(txn, to, target, "sadd")?;
    }
    Ok(Reply::Integer(1))
}

/// `SISMEMBER key member`
pub(crate) fn sismember(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let found = match open(txn, args.get(1))? {
        Some(set) => set.contains(txn, args.get(2))?,
        None => false,
    };
    Ok(Reply::yes_or_no(found))
}

/// `SMISMEMBER key member [member ...]`
pub(crate) fn smismember(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let set = open(txn, args.get(1))?;
    let mut found = Vec::with_capacity(args.len() - 2);
    for member in args.from(2) {
        let is_member = match &set {
            Some(set) => set.contains(txn, member)?,
            None => false,
        };
        found.push(Reply::yes_or_no(is_member));
    }
    Ok(Reply::Array(found))
}

/// `SCARD key`
pub(crate) fn scard(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let set = open(txn, args.get(1))?;
    Ok(Reply::count(set.map_or(0, |set| set.len())))
}

/// `SMEMBERS key`
pub(crate) fn smembers(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let members = match open(txn, args.get(1))? {
        Some(set) => set.all(txn)?,
        None => Vec::new(),
    };
    Ok(Reply::Set(names(members)))
}

/// `SPOP key [count]`
pub(crate) fn spop(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    if args.len() > 3 {
        return Err(CommandError::SYNTAX);
    }
    let count = count_after_key(args)?;
    let key = args.get(1);
    let popped = match open(txn, key)? {
        None => Vec::new(),
        Some(mut set) => {
            if count.is_some_and(|count| count >= set.len()) {
                // In Redis, taking all members counts as reading the set.
                txn.count_reads();
            }
            let popped = set.random_different(txn, count.unwrap_or(1))?;
            set.remove_all(txn, &popped)?;
            if !popped.is_empty() {
                finish(txn, key, set, "spop")?;
            }
            popped
        }
    };
    Ok(if count.is_some() {
        Reply::Set(names(popped))
    } else {
        Reply::bulk_or_null(popped.into_iter().next().map(|member| member.name))
    })
}

/// `SRANDMEMBER key [count]`
pub(crate) fn srandmember(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    if args.len() > 3 {
        return Err(CommandError::SYNTAX);
    }
    if args.len() == 2 {
        let member = match open(txn, args.get(1))? {
            Some(set) => set.random(txn)?,
            None => None,
        };
        return Ok(Reply::bulk_or_null(member.map(|member| member.name)));
    }
    let choice = Choice::parse(args, 2)?;
    let members = match open(txn, args.get(1))? {
        Some(set) => random::choose(txn, &set, choice)?,
        None => Vec::new(),
    };
    Ok(Reply::Array(names(members)))
}

/// The sets under these keys. All are opened, so that a wrong type is found even after a missing key.
fn open_all(txn: &Txn<'_>, keys: &[Bytes]) -> Result<Vec<MaybeSet>> {
    keys.iter().map(|key| open(txn, key)).collect()
}

/// `SINTER key [key ...]`
pub(crate) fn sinter(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let sets = open_all(txn, args.from(1))?;
    let members = set::intersection(txn, &sets, usize::MAX)?;
    Ok(Reply::Set(bulks(members)))
}

/// `SUNION key [key ...]`
pub(crate) fn sunion(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let sets = open_all(txn, args.from(1))?;
    Ok(Reply::Set(bulks(set::union(txn, &sets)?)))
}

/// `SDIFF key [key ...]`
pub(crate) fn sdiff(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let sets = open_all(txn, args.from(1))?;
    Ok(Reply::Set(bulks(set::difference(txn, &sets)?)))
}

/// The sets whose combination a command stores. Their lookups count, even if one of the keys has another type.
fn open_to_store(txn: &mut Txn<'_>, args: Args<'_>) -> Result<Vec<MaybeSet>> {
    let sets = open_all(txn, args.from(2));
    txn.count_reads();
    sets
}

/// `SINTERSTORE destination key [key ...]`
pub(crate) fn sinterstore(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let sets = open_to_store(txn, args)?;
    let members = set::intersection(txn, &sets, usize::MAX)?;
    store(txn, args, &members, "sinterstore")
}

/// `SUNIONSTORE destination key [key ...]`
pub(crate) fn sunionstore(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let sets = open_to_store(txn, args)?;
    let members = set::union(txn, &sets)?;
    store(txn, args, &members, "sunionstore")
}

/// `SDIFFSTORE destination key [key ...]`
pub(crate) fn sdiffstore(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let sets = open_to_store(txn, args)?;
    let members = set::difference(txn, &sets)?;
    store(txn, args, &members, "sdiffstore")
}

/// Replaces whatever the destination holds by a set. An empty set removes the key.
fn store(txn: &mut Txn<'_>, args: Args<'_>, members: &[Bytes], event: &'static str) -> Outcome {
    let key = args.get(1);
    if members.is_empty() {
        if txn.discard_key(key)? {
            txn.event(Class::Generic, "del", key);
        }
        return Ok(Reply::Integer(0));
    }
    let mut set = Elements::create(txn, key, Kind::Set)?;
    txn.make_room(Space::Data, members.len());
    for member in members {
        set.put_new(txn, member, Bytes::new())?;
    }
    finish(txn, key, set, event)?;
    Ok(Reply::count(members.len() as u64))
}

/// `SINTERCARD numkeys key [key ...] [LIMIT limit]`
pub(crate) fn sintercard(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let count = parse_integer(args.get(1)).and_then(|count| usize::try_from(count).ok());
    let count = count
        .filter(|&count| count > 0)
        .ok_or(CommandError::fixed("ERR numkeys should be greater than 0"))?;
    if count > args.len() - 2 {
        return Err(CommandError::fixed(
            "ERR Number of keys can't be greater than number of args",
        ));
    }
    let mut limit = usize::MAX;
    for position in (2 + count..args.len()).step_by(2) {
        if !args.is(position, "LIMIT") || position + 1 == args.len() {
            return Err(CommandError::SYNTAX);
        }
        let given = parse_integer(args.get(position + 1)).filter(|&limit| limit >= 0);
        let given = given.ok_or(CommandError::fixed("ERR LIMIT can't be negative"))?;
        // 0 means no limit.
        limit = usize::try_from(given).unwrap_or(0);
        limit = if limit == 0 { usize::MAX } else { limit };
    }
    let sets = open_all(txn, &args.from(2)[..count])?;
    let members = set::intersection(txn, &sets, limit)?;
    Ok(Reply::count(members.len() as u64))
}

/// `SSCAN key cursor [MATCH pattern] [COUNT count]`
pub(crate) fn sscan(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let from = scan::cursor(args, 2)?;
    let Some(set) = open(txn, args.get(1))? else {
        return Ok(scan::page(0, Vec::new()));
    };
    let options = ScanOptions::parse(args, 3, false)?;
    let extent = options.extent(set.len(), COMPACT);
    let (next, members) = set.page(txn, from, extent)?;
    let names = members.into_iter().map(|member| member.name);
    let wanted = names.filter(|name| options.wants(name)).map(Reply::Bulk);
    Ok(scan::page(next, wanted.collect()))
}
