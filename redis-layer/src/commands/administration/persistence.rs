//! `SAVE` and similar commands.
//!
//! The store writes every command to its log, so data is kept without saving. These commands make a *checkpoint*: a
//! second set of files next to the data, as it is at one moment, which opens like the first. It is meant to be copied
//! away as a backup.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::thread;

use crate::commands::{Args, CommandError, Outcome, Reply, Server, Session, run_blocking};
use crate::store::{self, Store};
use crate::types::{self, Committed, Txn};

/// What is known about checkpoints.
#[derive(Debug)]
pub(crate) struct Persistence {
    is_saving: AtomicBool,
    last_failed: AtomicBool,
    /// Whether the store did not take the last change.
    write_failed: AtomicBool,
    /// Whether the last sync failed.
    sync_failed: AtomicBool,
    /// In seconds since 1970; at first when the server started.
    last_save_s: AtomicI64,
    last_took_s: AtomicI64,
    saves: AtomicU64,
    /// The number of changes since the start, and what it was when the last checkpoint began.
    changes: AtomicU64,
    changes_at_save: AtomicU64,
}

/// Figures for `INFO`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PersistenceView {
    pub(crate) is_saving: bool,
    pub(crate) last_failed: bool,
    /// Whether the store did not take the last change, or the last sync failed.
    pub(crate) write_failed: bool,
    pub(crate) last_save_s: i64,
    pub(crate) last_took_s: i64,
    pub(crate) saves: u64,
    pub(crate) changes: u64,
}

impl Persistence {
    pub(crate) fn new(now_ms: i64) -> Self {
        Self {
            is_saving: AtomicBool::new(false),
            last_failed: AtomicBool::new(false),
            write_failed: AtomicBool::new(false),
            sync_failed: AtomicBool::new(false),
            last_save_s: AtomicI64::new(now_ms / 1000),
            last_took_s: AtomicI64::new(-1),
            saves: AtomicU64::new(0),
            changes: AtomicU64::new(0),
            changes_at_save: AtomicU64::new(0),
        }
    }

    /// Notes that a command changed something.
    pub(crate) fn changed(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Commits a transaction, and notes whether the store takes changes. A transaction without any says nothing about
    /// that.
    ///
    /// # Errors
    /// As [`Txn::commit`].
    pub(crate) fn commit(&self, txn: Txn<'_>) -> types::Result<Committed> {
        let committed = txn.commit();
        let says_nothing = committed.as_ref().is_ok_and(|committed| !committed.wrote);
        let failed = committed.is_err();
        if !says_nothing && self.write_failed.load(Ordering::Relaxed) != failed {
            self.write_failed.store(failed, Ordering::Relaxed);
        }
        committed
    }

    /// Syncs a store, and notes whether that failed. Under `everysec` nobody waits for it, so only `INFO` can tell.
    ///
    /// # Errors
    /// As [`Store::sync`].
    pub(crate) fn sync(&self, store: &dyn Store) -> store::Result<()> {
        let synced = store.sync();
        self.sync_failed.store(synced.is_err(), Ordering::Relaxed);
        synced
    }

    pub(crate) fn view(&self) -> PersistenceView {
        let changes = self.changes.load(Ordering::Relaxed);
        PersistenceView {
            is_saving: self.is_saving.load(Ordering::Relaxed),
            last_failed: self.last_failed.load(Ordering::Relaxed),
            write_failed: self.write_failed.load(Ordering::Relaxed)
                || self.sync_failed.load(Ordering::Relaxed),
            last_save_s: self.last_save_s.load(Ordering::Relaxed),
            last_took_s: self.last_took_s.load(Ordering::Relaxed),
            saves: self.saves.load(Ordering::Relaxed),
            changes: changes.saturating_sub(self.changes_at_save.load(Ordering::Relaxed)),
        }
    }
}

/// The right to make a checkpoint. Only one is made at a time.
pub(crate) struct Saving(Arc<Server>);

impl Saving {
    /// Claims the right, until it is dropped.
    ///
    /// # Errors
    /// Somebody else has it.
    pub(super) fn begin(server: &Arc<Server>) -> Result<Self, CommandError> {
        if server.persistence.is_saving.swap(true, Ordering::AcqRel) {
            return Err(CommandError::fixed(
                "ERR Background save already in progress",
            ));
        }
        Ok(Self(Arc::clone(server)))
    }

    /// Makes a checkpoint now. This may take seconds: what is in memory is written to tables first.
    ///
    /// # Errors
    /// Those of the store, which are logged.
    pub(super) fn save(self) -> Result<(), CommandError> {
        let Self(server) = &self;
        let persistence = &server.persistence;
        let started_ms = server.clock.now_ms();
        let changes = persistence.changes.load(Ordering::Relaxed);
        let saved = server.store.checkpoint();
        let failed = saved.is_err();
        persistence.last_failed.store(failed, Ordering::Relaxed);
        if let Err(error) = saved {
            if server.shutdown.is_over.load(Ordering::Acquire) {
                tracing::info!("the server stops, and gives up a checkpoint");
            } else {
                tracing::error!(%error, "a checkpoint failed");
            }
            return Err(CommandError::fixed("ERR"));
        }
        let now_ms = server.clock.now_ms();
        let took_s = (now_ms - started_ms) / 1000;
        persistence
            .changes_at_save
            .store(changes, Ordering::Relaxed);
        persistence
            .last_save_s
            .store(now_ms / 1000, Ordering::Relaxed);
        persistence.last_took_s.store(took_s, Ordering::Relaxed);
        persistence.saves.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// As [`save`](Self::save), in a thread of its own.
    ///
    /// # Errors
    /// The system has no thread for it, which is logged.
    pub(crate) fn save_in_background(self) -> Result<(), CommandError> {
        let thread = thread::Builder::new().name("save".to_owned());
        // The error of a checkpoint was logged already, and INFO shows that there was one.
        let started = thread.spawn(move || self.save().is_ok());
        started.map(drop).map_err(|error| {
            tracing::error!(%error, "no thread for a checkpoint");
            CommandError::fixed("ERR")
        })
    }
}

impl Drop for Saving {
    fn drop(&mut self) {
        self.0.persistence.is_saving.store(false, Ordering::Release);
    }
}

/// `SAVE`
pub(crate) fn save(session: &mut Session, _args: Args<'_>) -> Outcome {
    let saving = Saving::begin(&session.server)?;
    run_blocking(|| saving.save()).map(|()| Reply::OK)
}

/// `BGSAVE [SCHEDULE]`
pub(crate) fn bgsave(session: &mut Session, args: Args<'_>) -> Outcome {
    if args.len() > 2 || (args.len() == 2 && !args.is(1, "SCHEDULE")) {
        return Err(CommandError::SYNTAX);
    }
    if session.in_transaction {
        // Then it holds what the transaction has changed.
        if session.save_scheduled.is_none() {
            session.save_scheduled = Some(Saving::begin(&session.server)?);
        }
        return Ok(Reply::Status("Background saving scheduled"));
    }
    Saving::begin(&session.server)?.save_in_background()?;
    Ok(Reply::Status("Background saving started"))
}

/// `LASTSAVE`
pub(crate) fn lastsave(session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(Reply::Integer(
        session.server.persistence.view().last_save_s,
    ))
}

/// `BGREWRITEAOF`: the store keeps its log short by itself, so there is nothing to do.
pub(crate) fn bgrewriteaof(session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(Reply::Status(if session.in_transaction {
        "Background append only file rewriting scheduled"
    } else {
        "Background append only file rewriting started"
    }))
}
