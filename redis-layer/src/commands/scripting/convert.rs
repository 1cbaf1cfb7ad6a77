//! Converts replies for scripts, and results of scripts into replies.

use bytes::Bytes;

use crate::commands::{CommandError, Reply};
use crate::scripting::{Refusal, Value};
use crate::types::number::format_double;
use crate::types::zset::Members;

/// The reply of a command as the script sees it, in the form of the protocol that the script chose.
pub(super) fn for_script(reply: Reply, resp3: bool) -> Value {
    let all = |replies: Vec<Reply>| -> Vec<Value> {
        let replies = replies.into_iter();
        replies.map(|reply| for_script(reply, resp3)).collect()
    };
    match reply {
        Reply::Status(text) => Value::Status(Bytes::from_static(text.as_bytes())),
        Reply::Line(text) => Value::Status(text),
        Reply::Error(error) => refusal(&error),
        Reply::Integer(number) => Value::Integer(number),
        Reply::Bulk(bytes) => Value::Bulk(bytes),
        Reply::Text(text) if resp3 => Value::Verbatim {
            format: Bytes::from_static(b"txt"),
            text: text.into(),
        },
        Reply::Text(text) => Value::Bulk(text.into()),
        Reply::Verbatim { format, text } if resp3 => Value::Verbatim { format, text },
        Reply::Verbatim { text, .. } => Value::Bulk(text),
        Reply::Double(number) => double(number, resp3),
        Reply::Boolean(boolean) if resp3 => Value::Boolean(boolean),
        Reply::Boolean(boolean) => Value::Integer(boolean.into()),
        Reply::BigNumber(digits) if resp3 => Value::BigNumber(digits),
        Reply::BigNumber(digits) => Value::Bulk(digits),
        Reply::Array(replies) | Reply::Push(replies) => Value::Array(all(replies)),
        Reply::Set(replies) if resp3 => Value::Set(all(replies)),
        Reply::Set(replies) => Value::Array(all(replies)),
        Reply::Map(pairs) if resp3 => {
            let pairs = pairs.into_iter();
            let pair = |(key, value)| (for_script(key, true), for_script(value, true));
            Value::Map(pairs.map(pair).collect())
        }
        Reply::Pairs(pairs) if resp3 => {
            let pairs = pairs.into_iter();
            let pair = |(first, second)| Value::Array(all(vec![first, second]));
            Value::Array(pairs.map(pair).collect())
        }
        Reply::Map(pairs) | Reply::Pairs(pairs) => {
            let flat = pairs.into_iter().flat_map(<[Reply; 2]>::from);
            Value::Array(all(flat.collect()))
        }
        Reply::Strings(strings) => {
            let parts = strings.into_parts().into_iter();
            Value::Array(parts.map(Value::Bulk).collect())
        }
        Reply::Scored(members) => scored(members, resp3),
        Reply::Decimal(text) if resp3 => text.parse().map_or_else(|_| Value::Null, Value::Double),
        Reply::Decimal(text) => Value::Bulk(text.into()),
        Reply::Several(replies) => replies
            .into_iter()
            .find(|reply| !matches!(reply, Reply::Attributes(_)))
            .map_or(Value::Null, |reply| for_script(reply, resp3)),
        Reply::Earlier(_, reply) => for_script(*reply, resp3),
        Reply::Attributes(_) | Reply::Null | Reply::NullArray | Reply::Silence => Value::Null,
        Reply::Wait { .. } => {
            debug_assert!(false, "a command in a script cannot wait");
            Value::Null
        }
    }
}

fn scored(members: Members, resp3: bool) -> Value {
    let pairs = members
        .into_elements()
        .into_iter()
        .map(|element| [Value::Bulk(element.member), double(element.score, resp3)]);
    Value::Array(if resp3 {
        pairs.map(|pair| Value::Array(pair.into())).collect()
    } else {
        pairs.flatten().collect()
    })
}

fn double(number: f64, resp3: bool) -> Value {
    if resp3 {
        Value::Double(number)
    } else {
        Value::Bulk(format_double(number))
    }
}

/// The error of a command as the script sees it. The command has counted it already.
pub(super) fn refusal(error: &CommandError) -> Value {
    Value::Error(Refusal {
        text: Bytes::copy_from_slice(error.as_bytes()),
        is_counted: true,
    })
}

/// The errors in the result of a script.
#[derive(Debug, Default)]
pub(super) struct Errors {
    /// How many were counted already when they arose.
    pub(super) counted: u64,
    /// The others.
    pub(super) others: Vec<CommandError>,
}

/// The result of a script as the reply of its command. Notes the errors in it.
pub(super) fn into_reply(value: Value, errors: &mut Errors) -> Reply {
    let all = |values: Vec<Value>, errors: &mut Errors| {
        let values = values.into_iter();
        values.map(|value| into_reply(value, errors)).collect()
    };
    match value {
        Value::Null => Reply::Null,
        Value::Integer(number) => Reply::Integer(number),
        Value::Bulk(bytes) => Reply::Bulk(bytes),
        Value::Status(text) => Reply::Line(one_line(text)),
        Value::Error(Refusal { text, is_counted }) => {
            let error = CommandError::quoting(&[&text]);
            if is_counted {
                errors.counted += 1;
            } else {
                errors.others.push(error.clone());
            }
            Reply::Error(error)
        }
        Value::Array(values) => Reply::Array(all(values, errors)),
        Value::Map(pairs) => {
            let pairs = pairs.into_iter();
            let pair = |(key, value)| (into_reply(key, errors), into_reply(value, errors));
            Reply::Map(pairs.map(pair).collect())
        }
        Value::Set(values) => Reply::Set(all(values, errors)),
        Value::Double(number) => Reply::Double(number),
        Value::Boolean(boolean) => Reply::Boolean(boolean),
        Value::BigNumber(digits) => Reply::BigNumber(one_line(digits)),
        Value::Verbatim { format, text } => Reply::Verbatim { format, text },
    }
}

/// Removes line breaks, which would end the reply early.
fn one_line(text: Bytes) -> Bytes {
    let is_break = |byte: &u8| matches!(byte, b'\r' | b'\n');
    if !text.iter().any(is_break) {
        return text;
    }
    let line = text
        .iter()
        .map(|byte| if is_break(byte) { b' ' } else { *byte });
    line.collect()
}
