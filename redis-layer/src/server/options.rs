//! What a server is started with.

use std::net::{IpAddr, Ipv4Addr};

use crate::commands::{DATABASES, Settings};
use crate::server::SyncPolicy;
use crate::server::resp::Limits;

/// What a server is started with.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address to listen at.
    pub host: IpAddr,
    /// The port; 0 lets the system choose.
    pub port: u16,
    /// Whether to refuse addresses that other machines reach.
    pub protected: bool,
    /// How often writes reach the disk.
    pub sync: SyncPolicy,
    /// How many connections there may be.
    pub max_clients: usize,
    /// How much a client may send.
    pub limits: Limits,
    /// Where the data is, for `CONFIG GET dir`.
    pub dir: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            host: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            protected: true,
            sync: SyncPolicy::default(),
            max_clients: 10_000,
            limits: Limits::default(),
            dir: String::new(),
        }
    }
}

impl Options {
    /// What commands report about these options. Clients and redis-benchmark ask for these names.
    #[must_use]
    pub fn settings(&self, port: u16) -> Settings {
        let yes_or_no = |yes| if yes { "yes" } else { "no" }.to_owned();
        let config = vec![
            ("appendfsync", self.sync.name().to_owned()),
            ("appendonly", yes_or_no(true)),
            ("bind", self.host.to_string()),
            (
                "client-query-buffer-limit",
                self.limits.query_bytes.to_string(),
            ),
            ("databases", DATABASES.to_string()),
            ("dir", self.dir.clone()),
            ("maxclients", self.max_clients.to_string()),
            ("maxmemory", 0.to_string()),
            ("maxmemory-policy", "noeviction".to_owned()),
            ("port", port.to_string()),
            ("proto-max-bulk-len", self.limits.bulk_bytes.to_string()),
            ("protected-mode", yes_or_no(self.protected)),
            ("requirepass", String::new()),
            ("save", String::new()),
            ("timeout", 0.to_string()),
        ];
        Settings { config, port }
    }
}
