//! The users that there are, and the checks that the rest of the server asks for.
//!
//! Invariants
//! 1. There is always a user `default`: every connection begins with it.
//! 2. A connection keeps the account that it logged in with. A change of the user's rules applies to it at once; the
//!    removal of the user ends it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use parking_lot::{Mutex, RwLock};

use super::check::Denied;
use super::user::User;
use crate::commands::pubsub::Topic;
use crate::commands::{Args, CommandError, Server, Session};

/// A user by name.
#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) name: Bytes,
    user: RwLock<Arc<User>>,
    /// Whether nothing is refused to the user. Then no command waits for the lock.
    is_unrestricted: AtomicBool,
}

impl Account {
    fn new(name: Bytes, user: User) -> Self {
        Self {
            name,
            is_unrestricted: AtomicBool::new(user.is_unrestricted()),
            user: RwLock::new(Arc::new(user)),
        }
    }

    /// What the user may do at the moment.
    pub(super) fn user(&self) -> Arc<User> {
        Arc::clone(&self.user.read())
    }

    fn replace(&self, user: User) {
        let mut current = self.user.write();
        self.is_unrestricted
            .store(user.is_unrestricted(), Ordering::Release);
        *current = Arc::new(user);
    }

    /// Whether any password is right.
    pub(crate) fn needs_no_password(&self) -> bool {
        self.user().needs_no_password
    }

    /// Whether nothing is refused to the user.
    pub(crate) fn is_unrestricted(&self) -> bool {
        self.is_unrestricted.load(Ordering::Acquire)
    }

    /// Whether the user may run a command.
    #[inline]
    pub(crate) fn check(&self, args: Args<'_>) -> Result<(), Denied> {
        if self.is_unrestricted() {
            return Ok(());
        }
        self.user().check(args)
    }

    /// Refuses an option of a `SORT` that reads keys which the command does not name, unless the user may read all keys.
    pub(crate) fn check_sort(&self, args: Args<'_>, option: &str) -> Result<(), CommandError> {
        if self.is_unrestricted() || self.user().reads_all_keys_with(args) {
            return Ok(());
        }
        let text =
            format!("ERR {option} option of SORT denied due to insufficient ACL permissions.");
        Err(CommandError::quoting(&[text.as_bytes()]))
    }
}

/// The users that there are.
#[derive(Debug)]
pub(crate) struct Users {
    accounts: RwLock<BTreeMap<Bytes, Arc<Account>>>,
    default: Arc<Account>,
    /// Whether `default` may do what its rules allow without a password.
    is_open: AtomicBool,
    /// The value of `requirepass` that was applied last.
    required: Mutex<String>,
}

impl Default for Users {
    fn default() -> Self {
        let name = Bytes::from_static(b"default");
        let default = Arc::new(Account::new(name.clone(), User::unrestricted()));
        Self {
            accounts: RwLock::new(BTreeMap::from([(name, Arc::clone(&default))])),
            default,
            is_open: AtomicBool::new(true),
            required: Mutex::default(),
        }
    }
}

impl Users {
    /// The user that connections begin with.
    pub(crate) fn default_account(&self) -> Arc<Account> {
        Arc::clone(&self.default)
    }

    /// Whether a connection may be used without a password.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    /// Applies the setting `requirepass`, if it has changed.
    pub(crate) fn require(&self, password: String) {
        let mut required = self.required.lock();
        if *required != password {
            let _accounts = self.accounts.write();
            let mut user = User::clone(&self.default.user());
            user.require(&password);
            self.set(&self.default, user);
            *required = password;
        }
    }

    /// Gives a user other rules. The caller holds the lock of the accounts.
    fn set(&self, account: &Account, user: User) {
        if account.name == self.default.name {
            let is_open = user.is_on && user.needs_no_password;
            self.is_open.store(is_open, Ordering::Release);
        }
        account.replace(user);
    }

    /// The account with this name.
    pub(crate) fn get(&self, name: &[u8]) -> Option<Arc<Account>> {
        self.accounts.read().get(name).map(Arc::clone)
    }

    /// The account of a user who proves to be one by this password.
    pub(crate) fn log_in(&self, name: &[u8], password: &[u8]) -> Option<Arc<Account>> {
        let account = self.get(name)?;
        account.user().accepts(password).then_some(account)
    }

    /// All accounts, by name.
    pub(super) fn all(&self) -> Vec<Arc<Account>> {
        self.accounts.read().values().map(Arc::clone).collect()
    }

    /// Applies rules to a user, who is made if there is none with that name. If a rule is refused, nothing changes,
    /// and the rule is returned with the reason.
    pub(super) fn change<'r>(
        &self,
        server: &Server,
        name: &[u8],
        rules: &'r [Bytes],
    ) -> Result<(), (&'r [u8], &'static str)> {
        let all_channels = server.config.get("acl-pubsub-default") == "allchannels";
        let mut accounts = self.accounts.write();
        let account = accounts.get(name).map(Arc::clone);
        let mut user = account.as_ref().map_or_else(
            || User::new(all_channels),
            |account| User::clone(&account.user()),
        );
        for rule in rules {
            user.apply(rule, all_channels)
                .map_err(|why| (&rule[..], why))?;
        }
        match account {
            Some(account) => {
                self.set(&account, user);
                drop(accounts);
                end_forbidden_subscribers(server, &account);
            }
            None => {
                let name = Bytes::copy_from_slice(name);
                accounts.insert(name.clone(), Arc::new(Account::new(name, user)));
            }
        }
        Ok(())
    }

    /// Removes a user, and ends its connections. Returns whether there was one.
    pub(super) fn remove(&self, session: &mut Session, name: &[u8]) -> bool {
        let Some(account) = self.accounts.write().remove(name) else {
            return false;
        };
        for peer in session.server.peers() {
            if !Arc::ptr_eq(&peer.view.lock().account, &account) {
                continue;
            }
            if peer.id == session.id {
                session.closing = true;
            } else {
                peer.outbox.close();
            }
        }
        true
    }
}

/// Ends the connections of a user that hear channels which the user may no longer hear.
fn end_forbidden_subscribers(server: &Server, account: &Arc<Account>) {
    let user = account.user();
    for topic in [Topic::Channel, Topic::Pattern, Topic::Shard] {
        for name in server.pubsub.names(topic) {
            if user.may_hear(&name, topic == Topic::Pattern) {
                continue;
            }
            for peer in server.pubsub.peers(topic, &name) {
                if Arc::ptr_eq(&peer.view.lock().account, account) {
                    peer.outbox.close();
                }
            }
        }
    }
}
