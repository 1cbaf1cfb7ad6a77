//! What a server is started with.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use crate::commands::Settings;
use crate::server::SyncPolicy;

/// What a server is started with. The rest of its settings has the defaults that `CONFIG GET`
/// shows, and [`Options::config`] overrides them.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address to listen at.
    pub host: IpAddr,
    /// The port; 0 lets the system choose.
    pub port: u16,
    /// A Unix socket to listen at too.
    pub unix_socket: Option<PathBuf>,
    /// Who may use it: the permissions of the file; 0 for those that the process gives to new files.
    pub unix_socket_mode: u32,
    /// Whether to refuse addresses that other machines reach, if there is no password.
    pub protected: bool,
    /// How often writes reach the disk.
    pub sync: SyncPolicy,
    /// How many connections there may be.
    pub max_clients: usize,
    /// What clients have to say first. Empty: nothing.
    pub password: String,
    /// Where the data is, for `CONFIG GET dir`.
    pub dir: String,
    /// Other settings by the names of `CONFIG`.
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
    /// The settings that the server begins with.
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
