//! `CLIENT` and its subcommands.

use crate::commands::introspection::help_lines;
use crate::commands::session::{ClientView, Replies};
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::types::number::{c_text, parse_integer};

/// `CLIENT ID`
pub(crate) fn id(session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(Reply::count(session.id))
}

/// `CLIENT GETNAME`
pub(crate) fn getname(session: &mut Session, _args: Args<'_>) -> Outcome {
    let name = session.view.lock().name.clone();
    Ok(Reply::bulk_or_null((!name.is_empty()).then(|| name.into())))
}

/// `CLIENT SETNAME name`
pub(crate) fn setname(session: &mut Session, args: Args<'_>) -> Outcome {
    set_name(session, args.get(2)).map(|()| Reply::OK)
}

/// Names a connection; an empty name takes the name away.
pub(crate) fn set_name(session: &Session, name: &[u8]) -> Result<(), CommandError> {
    // The list of clients separates its fields by spaces and its lines by line breaks.
    if !name.iter().all(u8::is_ascii_graphic) {
        return Err(CommandError::fixed(
            "ERR Client names cannot contain spaces, newlines or special characters.",
        ));
    }
    session.view.lock().name = name.to_vec();
    Ok(())
}

/// `CLIENT INFO`
pub(crate) fn info(session: &mut Session, _args: Args<'_>) -> Outcome {
    let view = session.view.lock().clone();
    Ok(Reply::Text(line(&view, session.server.clock.now_ms())))
}

/// `CLIENT LIST [TYPE type] [ID id [id ...]]`
pub(crate) fn list(session: &mut Session, args: Args<'_>) -> Outcome {
    let views = session.server.client_views();
    let shown: Vec<&ClientView> = if args.len() == 2 {
        views.iter().collect()
    } else if args.len() == 4 && args.is(2, "TYPE") {
        let known = ["normal", "master", "replica", "slave", "pubsub"];
        if !known.iter().any(|known| args.is(3, known)) {
            let name = c_text(args.get(3));
            let parts = [b"ERR Unknown client type '", name, b"'"];
            return Err(CommandError::quoting(&parts));
        }
        // Every client here is a normal one.
        let all = args.is(3, "normal");
        views.iter().filter(|_| all).collect()
    } else if args.len() > 3 && args.is(2, "ID") {
        let ids = args.from(3).iter().map(|id| parse_integer(id));
        let ids: Option<Vec<i64>> = ids.collect();
        let ids = ids.ok_or(CommandError::fixed("ERR Invalid client ID"))?;
        // As they were asked for. A number that no client has is passed over.
        let found = |id: &i64| views.iter().find(|view| i64::try_from(view.id) == Ok(*id));
        ids.iter().filter_map(found).collect()
    } else {
        return Err(CommandError::SYNTAX);
    };
    let now_ms = session.server.clock.now_ms();
    let lines = shown.into_iter().map(|view| line(view, now_ms));
    Ok(Reply::Text(lines.collect()))
}

/// One line of the list. Fields that mean nothing here have the value of an idle connection.
fn line(view: &ClientView, now_ms: i64) -> String {
    let ClientView {
        id,
        address,
        local_address,
        name,
        db,
        last_command,
        ..
    } = view;
    let name = String::from_utf8_lossy(name);
    let age_s = now_ms.saturating_sub(view.connected_ms) / 1000;
    let idle_s = now_ms.saturating_sub(view.active_ms) / 1000;
    let resp = view.protocol.number();
    format!(
        "id={id} addr={address} laddr={local_address} fd=-1 name={name} age={age_s} idle={idle_s} \
         flags=N db={db} sub=0 psub=0 ssub=0 multi=-1 qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 \
         rbs=0 rbp=0 obl=0 oll=0 omem=0 tot-mem=0 events=r cmd={last_command} user=default \
         redir=-1 resp={resp}\n"
    )
}

/// `CLIENT NO-EVICT ON | OFF`: nothing is ever evicted here, so there is nothing to remember.
pub(crate) fn no_evict(_session: &mut Session, args: Args<'_>) -> Outcome {
    if args.is(2, "ON") || args.is(2, "OFF") {
        Ok(Reply::OK)
    } else {
        Err(CommandError::SYNTAX)
    }
}

/// `CLIENT REPLY ON | OFF | SKIP`
pub(crate) fn reply(session: &mut Session, args: Args<'_>) -> Outcome {
    if args.is(2, "ON") {
        session.replies = Replies::On;
        return Ok(Reply::OK);
    }
    if args.is(2, "OFF") {
        session.replies = Replies::Off;
    } else if args.is(2, "SKIP") {
        if session.replies != Replies::Off {
            session.replies = Replies::SkipNext;
        }
    } else {
        return Err(CommandError::SYNTAX);
    }
    Ok(Reply::Silence)
}

/// `CLIENT HELP`
pub(crate) fn help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("client"))
}
