//! The options that a server is started with.

use std::net::{IpAddr, Ipv4Addr};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use crate::commands::Settings;
use crate::commands::config::value::parse_bytes;
use crate::commands::config::{Config, SyncPolicy};

/// The allowed range of memory that the store uses before it writes tables. Less would make a table of a few
/// commands; more is a mistake in the unit.
const WRITE_BUFFER_BYTES: RangeInclusive<u64> = 1 << 20..=1 << 40;

/// The options that a server is started with. Its other settings have the defaults that `CONFIG GET` shows, unless
/// [`Options::config`] overrides them.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address to listen on.
    pub host: IpAddr,
    /// The port; 0 lets the system choose.
    pub port: u16,
    /// A Unix socket to listen on too.
    pub unix_socket: Option<PathBuf>,
    /// Who may use it: the permissions of the file; 0 leaves those that the process gives to new files.
    pub unix_socket_mode: u32,
    /// Whether to refuse an address that other machines can reach if there is no password.
    pub protected: bool,
    /// How often writes reach the disk.
    pub sync: SyncPolicy,
    /// How many connections there may be.
    pub max_clients: usize,
    /// The password that clients have to give first. Empty: none.
    pub password: String,
    /// Where the data is, for `CONFIG GET dir`.
    pub dir: String,
    /// Settings by their names in `CONFIG`. One counts more than the field above for the same thing, and the last of
    /// several counts.
    pub config: Vec<(&'static str, String)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            host: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            unix_socket: None,
            unix_socket_mode: 0,
            protected: true,
            sync: SyncPolicy::default(),
            max_clients: 10_000,
            password: String::new(),
            dir: String::new(),
            config: Vec::new(),
        }
    }
}

impl Options {
    /// Reads how much memory the store uses before it writes tables, in bytes, in the notation of `CONFIG SET`.
    ///
    /// # Errors
    /// What is expected, in words.
    pub fn write_buffer(text: &str) -> Result<usize, String> {
        let bytes = parse_bytes(text).filter(|bytes| WRITE_BUFFER_BYTES.contains(bytes));
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        bytes.ok_or("expected a size from 1mb to 1024gb".to_owned())
    }

    /// The settings as the server will have them: which of several values counts is decided here and nowhere else.
    pub(super) fn effective(&self) -> Config {
        Config::new(&self.settings(self.port).config)
    }

    /// The settings that the server starts with.
    #[must_use]
    pub fn settings(&self, port: u16) -> Settings {
        let yes_or_no = |yes| if yes { "yes" } else { "no" }.to_owned();
        let mut config = vec![
            ("appendfsync", self.sync.name().to_owned()),
            ("bind", self.host.to_string()),
            ("dir", self.dir.clone()),
            ("maxclients", self.max_clients.to_string()),
            ("port", port.to_string()),
            ("protected-mode", yes_or_no(self.protected)),
            ("requirepass", self.password.clone()),
        ];
        let path = self.unix_socket.as_ref();
        config.extend(path.map(|path| ("unixsocket", path.display().to_string())));
        config.push(("unixsocketperm", format!("{:o}", self.unix_socket_mode)));
        config.extend(self.config.iter().cloned());
        Settings { config, port }
    }
}
