//! `DEBUG PROTOCOL`: an example of each type of the protocol, for the tests of clients.

use crate::commands::{CommandError, Outcome, Protocol, Reply};

/// An example of a type.
#[expect(clippy::approx_constant, reason = "the number that Redis answers")]
pub(super) fn example(protocol: Protocol, kind: &[u8]) -> Outcome {
    let numbers = || (0..3).map(Reply::Integer);
    Ok(match kind.to_ascii_lowercase().as_slice() {
        b"string" => Reply::text("Hello World"),
        b"integer" => Reply::Integer(12345),
        b"double" => Reply::Double(3.141),
        b"null" => Reply::Null,
        b"array" => Reply::Array(numbers().collect()),
        b"set" => Reply::Set(numbers().collect()),
        b"map" => Reply::Map(
            (0..3)
                .map(|n| (Reply::Integer(n), Reply::Boolean(n == 1)))
                .collect(),
        ),
        b"push" if protocol == Protocol::Resp2 => {
            return Err(CommandError::fixed(
                "ERR RESP2 is not supported by this command",
            ));
        }
        b"push" => Reply::Several(vec![
            Reply::Push(vec![Reply::text("server-cpu-usage"), Reply::Integer(42)]),
            Reply::text("Some real reply following the push reply"),
        ]),
        b"verbatim" => Reply::Text("This is a verbatim\nstring".to_owned()),
        b"true" => Reply::Boolean(true),
        b"false" => Reply::Boolean(false),
        b"bignum" => Reply::BigNumber("1234567999999999999999999999999999999".into()),
        b"attrib" => Reply::Several(vec![
            Reply::Attributes(vec![(
                Reply::text("key-popularity"),
                Reply::Array(vec![Reply::text("key:123"), Reply::Integer(90)]),
            )]),
            Reply::text("Some real reply following the attribute"),
        ]),
        _ => {
            return Err(CommandError::fixed(
                "ERR Wrong protocol type name. Please use one of the following: \
                 string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false",
            ));
        }
    })
}
