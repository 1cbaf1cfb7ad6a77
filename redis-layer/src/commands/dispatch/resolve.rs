//! From the words of a client to the entry of its command in the table.

use bytes::Bytes;

use crate::commands::CommandError;
use crate::commands::error::{QUOTED_BYTES, quoted};
use crate::commands::table::{Spec, find};

/// The table entry of a command or of its subcommand, if the name is known.
pub(crate) fn named(args: &[Bytes]) -> Option<&'static Spec> {
    let spec = find(&args[0])?;
    match args.get(1) {
        Some(name) if !spec.subcommands.is_empty() => spec.subcommand(name),
        _ => Some(spec),
    }
}

/// The table entry of a command, if the name is known and the number of arguments is right.
pub(crate) fn resolve(args: &[Bytes]) -> Result<&'static Spec, CommandError> {
    let spec = named(args).ok_or_else(|| match find(&args[0]) {
        Some(spec) => unknown_subcommand(spec, &args[1]),
        None => unknown_command(args),
    })?;
    if !spec.accepts(args.len()) {
        return Err(CommandError::arity(spec.full_name));
    }
    Ok(spec)
}

fn unknown_command(args: &[Bytes]) -> CommandError {
    let mut list = Vec::new();
    for arg in &args[1..] {
        if list.len() >= QUOTED_BYTES {
            break;
        }
        let shown = quoted(arg, QUOTED_BYTES - list.len());
        list.extend_from_slice(&[b"'", shown, b"' "].concat());
    }
    CommandError::quoting(&[
        b"ERR unknown command '",
        quoted(&args[0], QUOTED_BYTES),
        b"', with args beginning with: ",
        &list,
    ])
}

fn unknown_subcommand(spec: &Spec, name: &[u8]) -> CommandError {
    CommandError::quoting(&[
        b"ERR unknown subcommand '",
        quoted(name, QUOTED_BYTES),
        b"'. Try ",
        spec.name.to_ascii_uppercase().as_bytes(),
        b" HELP.",
    ])
}
