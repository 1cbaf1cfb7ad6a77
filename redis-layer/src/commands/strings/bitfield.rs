//! `BITFIELD`: numbers of any width within a string.

use crate::commands::strings::bits::bit_offset;
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::bits::{Field, Overflow};
use crate::types::number::parse_integer;
use crate::types::strings::Text;
use crate::types::{self, Class, Txn};

/// One step of a `BITFIELD`.
#[derive(Debug, Clone, Copy)]
struct Step {
    field: Field,
    action: Action,
    overflow: Overflow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Get,
    Set(i64),
    Add(i64),
}

/// Parses and checks all steps, before the first one is executed.
fn parse(args: Args<'_>) -> Result<Vec<Step>, CommandError> {
    let mut steps = Vec::new();
    let mut overflow = Overflow::Wrap;
    let mut at = 2;
    while at < args.len() {
        let left = args.len() - at - 1;
        if args.is(at, "OVERFLOW") && left >= 1 {
            overflow = parse_overflow(args, at + 1)?;
            at += 2;
            continue;
        }
        let is_get = args.is(at, "GET");
        let is_set = args.is(at, "SET");
        let is_known = is_get || is_set || args.is(at, "INCRBY");
        if !is_known || left < if is_get { 2 } else { 3 } {
            return Err(CommandError::SYNTAX);
        }
        let field = parse_field(args, at + 1)?;
        let action = if is_get {
            Action::Get
        } else if is_set {
            Action::Set(args.integer(at + 3)?)
        } else {
            Action::Add(args.integer(at + 3)?)
        };
        steps.push(Step {
            field,
            action,
            overflow,
        });
        at += if is_get { 3 } else { 4 };
    }
    Ok(steps)
}

fn parse_overflow(args: Args<'_>, position: usize) -> Result<Overflow, CommandError> {
    [
        ("WRAP", Overflow::Wrap),
        ("SAT", Overflow::Saturate),
        ("FAIL", Overflow::Fail),
    ]
    .into_iter()
    .find_map(|(word, overflow)| args.is(position, word).then_some(overflow))
    .ok_or(CommandError::fixed("ERR Invalid OVERFLOW type specified"))
}

/// A type such as `i16`, and the offset that follows it.
fn parse_field(args: Args<'_>, position: usize) -> Result<Field, CommandError> {
    let (is_signed, digits) = match args.get(position) {
        [b'i', digits @ ..] => (true, digits),
        [b'u', digits @ ..] => (false, digits),
        _ => (false, &b""[..]),
    };
    let most = if is_signed { 64 } else { 63 };
    let bits = parse_integer(digits).and_then(|bits| u32::try_from(bits).ok());
    let bits = bits
        .filter(|bits| (1..=most).contains(bits))
        .ok_or(CommandError::fixed(
            "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported \
             but i64 is.",
        ))?;
    let at = bit_offset(args.get(position + 1), Some(bits))?;
    Ok(Field {
        is_signed,
        bits,
        at,
    })
}

/// `BITFIELD key [GET type offset | [OVERFLOW WRAP | SAT | FAIL] SET type offset value |
/// INCRBY type offset increment ...]`
pub(crate) fn bitfield(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let steps = parse(args)?;
    let key = args.get(1);
    let mut text = txn.open_text(key)?;
    let writes = steps.iter().filter(|step| step.action != Action::Get);
    let length = writes.map(|step| step.field.end_byte()).max();
    let Some(length) = length else {
        txn.count_reads();
        return get_all(txn, &steps, &text);
    };
    let grows = length > text.len();
    if grows {
        // The string grows even if no number fits into its field.
        text.grow(txn, key, length)?;
    }
    let mut is_written = false;
    let mut replies = Vec::with_capacity(steps.len());
    for step in steps {
        let (step, at, old) = here(txn, step, &text)?;
        let mut part = old.clone();
        let number = take(step, &mut part);
        is_written |= grows && step.action != Action::Get && number.is_some();
        replies.push(number.map_or(Reply::Null, integer));
        if part != old {
            text.write(txn, key, at, &part)?;
            is_written = true;
        }
    }
    if grows || is_written {
        text.finish(txn, key);
    }
    if is_written {
        txn.event(Class::String, "setbit", key);
    }
    Ok(Reply::Array(replies))
}

/// `BITFIELD_RO key [GET type offset ...]`
pub(crate) fn bitfield_ro(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let steps = parse(args)?;
    if steps.iter().any(|step| step.action != Action::Get) {
        return Err(CommandError::fixed(
            "ERR BITFIELD_RO only supports the GET subcommand",
        ));
    }
    let text = txn.open_text(args.get(1))?;
    get_all(txn, &steps, &text)
}

fn get_all(txn: &Txn<'_>, steps: &[Step], text: &Text) -> Outcome {
    let mut values = Vec::with_capacity(steps.len());
    for step in steps {
        let (step, _, part) = here(txn, *step, text)?;
        values.push(integer(step.field.get(&part)));
    }
    Ok(Reply::Array(values))
}

/// Moves a step to the bytes that hold its field. Returns these bytes, and where in the string they begin.
fn here(txn: &Txn<'_>, mut step: Step, text: &Text) -> types::Result<(Step, usize, Vec<u8>)> {
    let at = step.field.at / 8;
    let part = text.read(txn, at..step.field.end_byte())?;
    step.field.at %= 8;
    Ok((step, at, part.to_vec()))
}

/// Executes a step on bytes. Returns the old number for a `SET`, the new one for an `INCRBY`.
fn take(step: Step, text: &mut [u8]) -> Option<i128> {
    let Step {
        field,
        action,
        overflow,
    } = step;
    let old = field.get(text);
    let wanted = match action {
        Action::Get => return Some(old),
        // For an unsigned field, Redis reads the bits of the number as unsigned.
        Action::Set(number) if !field.is_signed => i128::from(number.cast_unsigned()),
        Action::Set(number)
            if overflow == Overflow::Saturate && is_taken_for_great(field, number) =>
        {
            i128::from(i64::MAX)
        }
        Action::Set(number) => i128::from(number),
        Action::Add(increment) => old + i128::from(increment),
    };
    let new = field.fit(wanted, overflow)?;
    field.set(text, new);
    Some(match action {
        Action::Set(_) => old,
        _ => new,
    })
}

/// Whether a number is so small that Redis takes it for too large: it computes the greatest number that fits minus
/// this one in 64 bits, and that overflows.
fn is_taken_for_great(field: Field, number: i64) -> bool {
    field.bits < 64
        && ((1_i64 << (field.bits - 1)) - 1)
            .checked_sub(number)
            .is_none()
}

/// A number of at most 63 bits, or 64 with a sign.
fn integer(number: i128) -> Reply {
    Reply::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}
