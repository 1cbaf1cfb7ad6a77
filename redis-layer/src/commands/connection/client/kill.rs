//! `CLIENT KILL`: ends connections of other clients.

use std::sync::Arc;

use bytes::Bytes;

use crate::commands::acl::{Account, Users};
use crate::commands::connection::client::ClientType;
use crate::commands::context::peer::Peer;
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::types::number::{c_text, parse_integer};

/// Which connections to end. All conditions must hold.
#[derive(Debug, Default)]
struct Filter {
    id: Option<u64>,
    client_type: Option<ClientType>,
    address: Option<Bytes>,
    local_address: Option<Bytes>,
    account: Option<Arc<Account>>,
    spares_itself: bool,
}

/// `CLIENT KILL ip:port`, or
/// `CLIENT KILL [ID id] [TYPE type] [ADDR ip:port] [LADDR ip:port] [USER name] [SKIPME yes | no]`
pub(crate) fn kill(session: &mut Session, args: Args<'_>) -> Outcome {
    if args.len() == 3 {
        let filter = Filter {
            address: Some(args.bytes(2)),
            ..Filter::default()
        };
        return match end_matching(session, &filter) {
            0 => Err(CommandError::fixed("ERR No such client")),
            _ => Ok(Reply::OK),
        };
    }
    let filter = Filter::parse(&session.server.users, args)?;
    Ok(Reply::count(end_matching(session, &filter)))
}

/// Ends all connections that match. If that includes its own, it gets its reply first.
fn end_matching(session: &mut Session, filter: &Filter) -> u64 {
    let mut ended = 0;
    for peer in session.server.peers() {
        let is_itself = peer.id == session.id;
        if !filter.matches(&peer) || (is_itself && filter.spares_itself) {
            continue;
        }
        if is_itself {
            session.closing = true;
        } else {
            peer.outbox.close();
        }
        ended += 1;
    }
    ended
}

impl Filter {
    fn parse(users: &Users, args: Args<'_>) -> Result<Self, CommandError> {
        let mut filter = Self {
            spares_itself: true,
            ..Self::default()
        };
        for position in (2..args.len()).step_by(2) {
            let value = position + 1;
            if value == args.len() {
                return Err(CommandError::SYNTAX);
            }
            if args.is(position, "ID") {
                let id = parse_integer(args.get(value)).filter(|&id| id > 0);
                let id = id.and_then(|id| u64::try_from(id).ok());
                filter.id = Some(id.ok_or(CommandError::fixed(
                    "ERR client-id should be greater than 0",
                ))?);
            } else if args.is(position, "TYPE") {
                filter.client_type = Some(ClientType::parse(args, value)?);
            } else if args.is(position, "ADDR") {
                filter.address = Some(args.bytes(value));
            } else if args.is(position, "LADDR") {
                filter.local_address = Some(args.bytes(value));
            } else if args.is(position, "USER") {
                let name = args.get(value);
                filter.account = Some(users.get(name).ok_or_else(|| {
                    let parts = [b"ERR No such user '", c_text(name), b"'"];
                    CommandError::quoting(&parts)
                })?);
            } else if args.is(position, "SKIPME") {
                filter.spares_itself = if args.is(value, "yes") {
                    true
                } else if args.is(value, "no") {
                    false
                } else {
                    return Err(CommandError::SYNTAX);
                };
            } else {
                return Err(CommandError::SYNTAX);
            }
        }
        Ok(filter)
    }

    fn matches(&self, peer: &Peer) -> bool {
        let is = |wanted: &Option<Bytes>, text: &str| {
            wanted
                .as_ref()
                .is_none_or(|wanted| wanted == text.as_bytes())
        };
        self.id.is_none_or(|id| id == peer.id)
            && self.client_type.is_none_or(|t| t == peer.client_type())
            && self
                .account
                .as_ref()
                .is_none_or(|account| Arc::ptr_eq(account, &peer.view.lock().account))
            && is(&self.address, &peer.address)
            && is(&self.local_address, &peer.local_address)
    }
}
