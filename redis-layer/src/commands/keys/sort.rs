//! `SORT` and `SORT_RO`: the elements of a list, a set or a sorted set in another order, or values that other keys
//! hold for them.

use std::cmp::Ordering;

use bytes::Bytes;

use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::types::elements::Elements;
use crate::types::number::{c_text, parse_weight};
use crate::types::value::Value;
use crate::types::{Class, Content, Kind, Metadata, Txn};

/// The options after the key.
#[derive(Debug, Default)]
struct Options {
    by: Option<Bytes>,
    /// The `BY` pattern has no star, so it is the same for all elements: then they are not sorted at all, even if
    /// another `BY` follows.
    unsorted: bool,
    descending: bool,
    alphabetical: bool,
    /// The offset and the count.
    limit: Option<(i64, i64)>,
    get: Vec<Bytes>,
    store: Option<Bytes>,
}

impl Options {
    /// Reads the options in their order. `check` refuses an option that reads keys whose names come from patterns.
    fn parse(
        args: Args<'_>,
        may_store: bool,
        check: impl Fn(&str) -> Result<(), CommandError>,
    ) -> Result<Self, CommandError> {
        let mut options = Self::default();
        let mut position = 2;
        while position < args.len() {
            let left = args.len() - position - 1;
            if args.is(position, "ASC") {
                options.descending = false;
            } else if args.is(position, "DESC") {
                options.descending = true;
            } else if args.is(position, "ALPHA") {
                options.alphabetical = true;
            } else if args.is(position, "LIMIT") && left >= 2 {
                options.limit = Some((args.integer(position + 1)?, args.integer(position + 2)?));
                position += 2;
            } else if may_store && args.is(position, "STORE") && left >= 1 {
                position += 1;
                options.store = Some(args.bytes(position));
            } else if args.is(position, "BY") && left >= 1 {
                position += 1;
                if c_text(args.get(position)).contains(&b'*') {
                    check("BY")?;
                } else {
                    options.unsorted = true;
                }
                options.by = Some(args.bytes(position));
            } else if args.is(position, "GET") && left >= 1 {
                check("GET")?;
                position += 1;
                options.get.push(args.bytes(position));
            } else {
                return Err(CommandError::SYNTAX);
            }
            position += 1;
        }
        Ok(options)
    }
}

/// `SORT key [BY pattern] [LIMIT offset count] [GET pattern ...] [ASC | DESC] [ALPHA] [STORE destination]`
pub(crate) fn sort(session: &mut Session, txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    run(session, txn, args, true)
}

/// `SORT_RO key [BY pattern] [LIMIT offset count] [GET pattern ...] [ASC | DESC] [ALPHA]`
pub(crate) fn sort_ro(session: &mut Session, txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    run(session, txn, args, false)
}

fn run(session: &Session, txn: &mut Txn<'_>, args: Args<'_>, may_store: bool) -> Outcome {
    let check = |option: &str| session.account.check_sort(args, option);
    let options = Options::parse(args, may_store, check)?;
    let kind = txn
        .lookup(args.get(1))?
        .map(|metadata| metadata.content.kind());
    // Reading the elements is part of the lookup above, and is not counted as another one.
    let lookups = txn.lookups();
    let elements = match kind {
        None => Vec::new(),
        Some(Kind::String | Kind::Hash) => return Err(CommandError::WRONG_TYPE),
        Some(_) => match txn.read_value(args.get(1))? {
            Some(Value::List(elements) | Value::Set(elements)) => elements,
            Some(Value::SortedSet(elements)) => {
                elements.into_iter().map(|element| element.member).collect()
            }
            _ => Vec::new(),
        },
    };
    txn.set_lookups(lookups);
    let sorted = in_order(txn, elements, kind, &options)?;
    let window = limited(sorted, options.limit);
    let found = looked_up(txn, window, &options.get)?;
    txn.count_reads();
    match &options.store {
        Some(target) => store(txn, target, found),
        None => Ok(Reply::Array(
            found.into_iter().map(Reply::bulk_or_null).collect(),
        )),
    }
}

/// An element, and what it is compared by.
struct Weighed {
    element: Bytes,
    number: f64,
    text: Option<Bytes>,
}

/// The elements in the order that the options ask for.
fn in_order(
    txn: &mut Txn<'_>,
    mut elements: Vec<Bytes>,
    kind: Option<Kind>,
    options: &Options,
) -> Result<Vec<Bytes>, CommandError> {
    let mut alphabetical = options.alphabetical;
    let mut by = options.by.as_ref();
    if options.unsorted {
        // Scripts and stored lists must not depend on the order in which a set happens to be kept, so a set is sorted
        // all the same. Redis gives other clients any order.
        if kind != Some(Kind::Set) {
            if options.descending {
                elements.reverse();
            }
            return Ok(elements);
        }
        (alphabetical, by) = (true, None);
    }
    let mut weighed = Vec::with_capacity(elements.len());
    for element in elements {
        weighed.push(Weighed::new(txn, element, by, alphabetical)?);
    }
    let compare = |a: &Weighed, b: &Weighed| match alphabetical {
        true => a.compare_texts(b, options.store.is_some()),
        false => a.compare_numbers(b),
    };
    if options.descending {
        weighed.sort_by(|a, b| compare(b, a));
    } else {
        weighed.sort_by(compare);
    }
    Ok(weighed.into_iter().map(|weighed| weighed.element).collect())
}

impl Weighed {
    /// An element with what the pattern `by` gives for it, or with itself.
    fn new(
        txn: &mut Txn<'_>,
        element: Bytes,
        by: Option<&Bytes>,
        alphabetical: bool,
    ) -> Result<Self, CommandError> {
        let text = match by {
            Some(pattern) => value_for(txn, pattern, &element)?,
            None => Some(element.clone()),
        };
        let number = match &text {
            Some(text) if !alphabetical => parse_weight(text).ok_or(CommandError::fixed(
                "ERR One or more scores can't be converted into double",
            ))?,
            _ => 0.0,
        };
        Ok(Self {
            element,
            number,
            text,
        })
    }

    fn compare_numbers(&self, other: &Self) -> Ordering {
        let by_number = self.number.partial_cmp(&other.number);
        by_number
            .unwrap_or(Ordering::Equal)
            .then_with(|| self.element.cmp(&other.element))
    }

    /// Without `STORE`, Redis compares as C does: up to the first zero byte.
    fn compare_texts(&self, other: &Self, is_stored: bool) -> Ordering {
        let visible = |text| if is_stored { text } else { c_text(text) };
        let [own, others] = [self, other].map(|weighed| weighed.text.as_deref().map(visible));
        own.cmp(&others)
    }
}

/// The part that `LIMIT` selects. A negative offset counts as 0, a negative count means all.
fn limited(elements: Vec<Bytes>, limit: Option<(i64, i64)>) -> Vec<Bytes> {
    let Some((offset, count)) = limit else {
        return elements;
    };
    let offset = usize::try_from(offset.max(0)).unwrap_or(usize::MAX);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    elements.into_iter().skip(offset).take(count).collect()
}

/// What the `GET` patterns give for each element; without a pattern, the element itself.
fn looked_up(
    txn: &mut Txn<'_>,
    elements: Vec<Bytes>,
    patterns: &[Bytes],
) -> Result<Vec<Option<Bytes>>, CommandError> {
    if patterns.is_empty() {
        return Ok(elements.into_iter().map(Some).collect());
    }
    let mut found = Vec::with_capacity(elements.len() * patterns.len());
    for element in elements {
        for pattern in patterns {
            found.push(value_for(txn, pattern, &element)?);
        }
    }
    Ok(found)
}

/// What a pattern gives for an element. `#` gives the element. Otherwise the element replaces the star in the name of
/// a key, and a name after `->` is a field of the hash under that key.
fn value_for(
    txn: &mut Txn<'_>,
    pattern: &Bytes,
    element: &Bytes,
) -> Result<Option<Bytes>, CommandError> {
    let pattern = c_text(pattern);
    if pattern == b"#" {
        return Ok(Some(element.clone()));
    }
    let Some(star) = pattern.iter().position(|&byte| byte == b'*') else {
        return Ok(None);
    };
    let (before, behind) = (&pattern[..star], &pattern[star + 1..]);
    let arrow = behind.windows(2).position(|pair| pair == b"->");
    // An arrow without a name after it is part of the key.
    let arrow = arrow.filter(|arrow| arrow + 2 < behind.len());
    let (behind, field) = match arrow {
        Some(arrow) => (&behind[..arrow], Some(&behind[arrow + 2..])),
        None => (behind, None),
    };
    let key = [before, element, behind].concat();
    let content = txn.lookup(&key)?.map(|Metadata { content, .. }| content);
    Ok(match (content, field) {
        (Some(Content::String(_) | Content::Pieces(_)), None) => txn.get_string(&key)?,
        (Some(Content::Hash(_)), Some(field)) => {
            let hash = Elements::open(txn, &key, Kind::Hash)?;
            let value = hash.map(|hash| hash.get(txn, field)).transpose()?;
            value.flatten()
        }
        _ => None,
    })
}

/// Replaces whatever the key holds by the result. A value that was not found becomes an empty element.
fn store(txn: &mut Txn<'_>, key: &Bytes, found: Vec<Option<Bytes>>) -> Outcome {
    let count = found.len() as u64;
    if count == 0 {
        if txn.discard_key(key)? {
            txn.event(Class::Generic, "del", key);
        }
        return Ok(Reply::Integer(0));
    }
    let elements = found.into_iter().map(Option::unwrap_or_default).collect();
    txn.write_value(key, Value::List(elements), None)?;
    txn.event(Class::List, "sortstore", key);
    Ok(Reply::count(count))
}
