//! Which replies a client wants: `CLIENT REPLY`.

/// Whether a client wants replies: to the command that is running, and to later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replies {
    On,
    Off {
        /// If this command turns replies on again, the command after it still gets none.
        skips_next: bool,
    },
    /// No reply to the command that is running.
    Skip,
    /// No reply to the command after the one that is running.
    SkipNext,
}

impl Replies {
    /// The state when the next command begins.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::SkipNext => Self::Skip,
            Self::Off { .. } => Self::Off { skips_next: false },
            Self::On | Self::Skip => self,
        }
    }

    /// The state after `CLIENT REPLY ON`. If a `SKIP` came before it in one transaction, that now applies to the
    /// command after the transaction.
    pub(crate) const fn on(self) -> Self {
        match self {
            Self::SkipNext | Self::Off { skips_next: true } => Self::SkipNext,
            _ => Self::On,
        }
    }

    /// The state after `CLIENT REPLY OFF`.
    pub(crate) const fn off(self) -> Self {
        let skips_next = matches!(self, Self::SkipNext | Self::Off { skips_next: true });
        Self::Off { skips_next }
    }

    /// The state after `CLIENT REPLY SKIP`.
    pub(crate) const fn skip(self) -> Self {
        match self {
            Self::Off { .. } => self,
            _ => Self::SkipNext,
        }
    }
}
