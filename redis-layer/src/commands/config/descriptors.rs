//! How many connections the system's limit on open files leaves room for.
//!
//! A server whose clients took every descriptor could neither accept a connection, to refuse it, nor create its next
//! log or table. So some are kept back, and there are no more clients than the others allow.

use rlimit::Resource;

/// What the store and the server themselves may have open, as many as Redis keeps back.
pub(crate) const RESERVED: u64 = 32;

/// Raises the limit of this process, if it is too low, so that `clients` connections fit; as far as the system permits that. Answers
/// how many of them fit.
pub(crate) fn allow_clients(clients: u64) -> u64 {
    let wanted = clients.saturating_add(RESERVED);
    // A system that tells no limit has none that could be met.
    let Ok((limit, most)) = Resource::NOFILE.get() else {
        return clients;
    };
    if limit >= wanted {
        return clients;
    }
    // Only a privileged process may go beyond the second number.
    let raised = Resource::NOFILE.set(wanted, most.max(wanted)).is_ok()
        || Resource::NOFILE.set(wanted.min(most), most).is_ok();
    let limit = match raised {
        true => Resource::NOFILE.get_soft().unwrap_or(limit),
        false => limit,
    };
    clients.min(limit.saturating_sub(RESERVED))
}
