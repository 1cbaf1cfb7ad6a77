//! A client that sees raw bytes: what it sends, and each reply as it came.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use bytes::Bytes;

use super::threads::Threads;
use super::waiting::{DEADLINE, TICK, eventually, rest_for};

/// A command as arguments.
pub(crate) type Command = Vec<Bytes>;

/// A connection.
pub(crate) struct Client {
    stream: TcpStream,
    /// The server's address and this client's, which a closed stream does not tell.
    addresses: [SocketAddr; 2],
    /// The server's, where they are known.
    threads: Option<Threads>,
    arrived: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.set_write_timeout(Some(DEADLINE)).unwrap();
        Self {
            addresses: [address, stream.local_addr().unwrap()],
            threads: Threads::of(address),
            stream,
            arrived: Vec::new(),
        }
    }

    /// Sends a command of words and returns its reply.
    pub(crate) fn call(&mut self, words: &[&str]) -> String {
        let command = words.iter().map(|word| super::unescape(word)).collect();
        let replies = self.pipeline(&[command]);
        replies[0].escape_ascii().to_string()
    }

    /// Its number, as text.
    pub(crate) fn id(&mut self) -> String {
        let reply = self.call(&["client", "id"]);
        reply.trim_matches(|c: char| !c.is_ascii_digit()).to_owned()
    }

    /// What `INFO` counts of commands, errors and keys that were looked up, without times, by name.
    pub(crate) fn counts(&mut self) -> Vec<String> {
        let text = self.call(&["info", "commandstats", "errorstats", "stats"]);
        let is_count = |name: &str| {
            let of_many = ["cmdstat_", "errorstat_", "keyspace_"];
            let single = ["total_error_replies", "total_commands_processed"];
            of_many.iter().any(|start| name.starts_with(start)) || single.contains(&name)
        };
        let lines = text.split("\\r\\n").filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            let parts = value.split(',').filter(|part| !part.starts_with("usec"));
            is_count(name).then(|| format!("{name}:{}", parts.collect::<Vec<_>>().join(",")))
        });
        let mut lines: Vec<String> = lines.collect();
        lines.sort();
        lines
    }

    /// Sends commands at once and returns their replies.
    pub(crate) fn pipeline(&mut self, commands: &[Command]) -> Vec<Vec<u8>> {
        let mut bytes = Vec::new();
        for command in commands {
            bytes.extend_from_slice(&encode(command));
        }
        self.stream.write_all(&bytes).unwrap();
        let mut reply = |command: &Command| {
            let reply = self.reply();
            reply.unwrap_or_else(|error| panic!("no reply to {command:?}: {error}"))
        };
        commands.iter().map(&mut reply).collect()
    }

    /// Where the server sees this client.
    pub(crate) fn address(&self) -> SocketAddr {
        self.addresses[1]
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// The next reply, as it came.
    pub(crate) fn reply(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(length) = reply_length(&self.arrived) {
                return Ok(self.arrived.drain(..length).collect());
            }
            let mut buffer = [0; 16 * 1024];
            let count = self.read(&mut buffer)?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.arrived.extend_from_slice(&buffer[..count]);
        }
    }

    /// Reads what has arrived. With a timeout, a signal to the process of the tests ends a read with an error.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }

    /// Reads some bytes, whatever they are, and returns how many.
    pub(crate) fn read_some(&mut self, most: usize) -> usize {
        self.read(&mut vec![0; most]).unwrap()
    }

    /// The next reply, if it comes soon.
    pub(crate) fn reply_within(&mut self, patience: Duration) -> Option<Vec<u8>> {
        let before = self.stream.read_timeout().unwrap();
        self.stream.set_read_timeout(Some(patience)).unwrap();
        let reply = self.reply().ok();
        self.stream.set_read_timeout(before).unwrap();
        reply
    }

    /// Whether the server has nothing to do, as far as that can be known.
    fn is_quiet(&self) -> bool {
        self.threads.as_ref().is_none_or(Threads::sleep)
    }

    /// Everything until the other side closes, or says nothing for a while and has nothing left to do: on a busy machine any
    /// silence may be too short. With no patience, what has come by now.
    pub(crate) fn rest(&mut self, patience: Duration) -> (Vec<u8>, bool) {
        self.stream.set_read_timeout(Some(TICK)).unwrap();
        let mut all = std::mem::take(&mut self.arrived);
        let mut buffer = [0; 16 * 1024];
        let mut silence = Duration::ZERO;
        let closed = loop {
            let is_over = silence >= patience && (patience < TICK || self.is_quiet());
            match self.read(&mut buffer) {
                Ok(0) => break true,
                Ok(count) => {
                    all.extend_from_slice(&buffer[..count]);
                    silence = Duration::ZERO;
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => break true,
                Err(_) if is_over || silence >= DEADLINE => break false,
                Err(_) => silence += TICK,
            }
        };
        self.stream.set_read_timeout(Some(DEADLINE)).unwrap();
        (all, closed)
    }

    /// Everything until the other side closes, and whether it does.
    pub(crate) fn until_closed(&mut self) -> (Vec<u8>, bool) {
        self.rest(DEADLINE)
    }

    /// Waits until the server holds this client up in its command, as it tells others.
    pub(crate) fn wait_until_held_up(&self) {
        let mut other = Self::connect(self.addresses[0]);
        let own = format!(" addr={} ", self.address());
        let is_held_up = |line: &str| {
            let flags = line.split(' ').find_map(|word| word.strip_prefix("flags="));
            line.contains(&own) && flags.is_some_and(|flags| flags.contains('b'))
        };
        eventually(|| other.call(&["client", "list"]).split("\\n").any(is_held_up));
    }

    /// Waits until the server has read all that this client has sent, and has done what it does then.
    pub(crate) fn settle(&self) {
        eventually(|| self.unread() != Some(true));
        rest_for(2 * TICK);
        eventually(|| self.is_quiet());
    }

    /// Whether the server's socket holds what this client has sent. Only Linux says it.
    pub(crate) fn unread(&self) -> Option<bool> {
        let [server, client] = self
            .addresses
            .map(|address| format!(":{:04X}", address.port()));
        let sockets = fs::read_to_string("/proc/net/tcp").ok()?;
        let holds_something = |line: &str| {
            // Behind a number come the server's address, the client's, a state, and two lengths: `unsent:unread`.
            let fields: Vec<&str> = line.split_whitespace().collect();
            fields.len() > 4
                && fields[1].ends_with(&server)
                && fields[2].ends_with(&client)
                && !fields[4].ends_with(":00000000")
        };
        Some(sockets.lines().any(holds_something))
    }
}

/// A command as a client sends it.
pub(crate) fn encode(command: &Command) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", command.len()).into_bytes();
    for arg in command {
        bytes.extend_from_slice(format!("${}\r\n", arg.len()).as_bytes());
        bytes.extend_from_slice(arg);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

/// What an array holds, each reply as it came.
pub(crate) fn elements(array: &[u8]) -> Vec<Vec<u8>> {
    assert_eq!(array.first(), Some(&b'*'), "{}", array.escape_ascii());
    let first = array.windows(2).position(|pair| pair == b"\r\n").unwrap() + 2;
    let mut left = &array[first..];
    let mut elements = Vec::new();
    while let Some(length) = reply_length(left) {
        elements.push(left[..length].to_vec());
        left = &left[length..];
    }
    elements
}

/// How long the first reply is, if all of it is there.
fn reply_length(bytes: &[u8]) -> Option<usize> {
    let line = bytes.windows(2).position(|pair| pair == b"\r\n")?;
    let behind = line + 2;
    let number = || {
        let text = std::str::from_utf8(&bytes[1..line]).unwrap();
        text.parse::<i64>()
            .unwrap_or_else(|_| panic!("a length, not {text:?}"))
    };
    let nested = |count: i64| {
        let mut length = behind;
        for _ in 0..count {
            length += reply_length(&bytes[length..])?;
        }
        Some(length)
    };
    match bytes[0] {
        b'+' | b'-' | b':' | b',' | b'_' | b'#' | b'(' => Some(behind),
        b'$' | b'=' => {
            let Ok(length) = usize::try_from(number()) else {
                return Some(behind);
            };
            (bytes.len() >= behind + length + 2).then_some(behind + length + 2)
        }
        b'*' | b'~' | b'>' => nested(number()),
        b'%' => nested(number() * 2),
        other => panic!("a reply does not begin with {:?}", char::from(other)),
    }
}
