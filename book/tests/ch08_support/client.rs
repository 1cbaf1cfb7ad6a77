//! A small client of the Redis protocol (RESP2), and a transcript of what it says and hears.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// What a server answers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    Status(String),
    Error(String),
    Integer(i64),
    Text(String),
    Nil,
    List(Vec<Reply>),
}

impl Reply {
    /// The text of a reply that must be one.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Status(text) => text,
            other => panic!("a text, not {other:?}"),
        }
    }

    /// The texts of a list.
    pub(crate) fn texts(&self) -> Vec<&str> {
        match self {
            Self::List(items) => items.iter().map(Self::text).collect(),
            other => panic!("a list, not {other:?}"),
        }
    }

    /// As redis-cli shows it, a list in one line.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Status(text) => text.clone(),
            Self::Error(text) => format!("(error) {text}"),
            Self::Integer(number) => format!("(integer) {number}"),
            Self::Text(text) => format!("\"{text}\""),
            Self::Nil => "(nil)".to_owned(),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::shown).collect();
                format!("[{}]", items.join(", "))
            }
        }
    }
}

/// One connection.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        let patience = Some(Duration::from_secs(120));
        stream.set_read_timeout(patience).unwrap();
        Self {
            stream: BufReader::new(stream),
        }
    }

    /// Sends one command and waits for its reply.
    pub(crate) fn call(&mut self, words: &[&str]) -> Reply {
        let mut bytes = format!("*{}\r\n", words.len());
        for word in words {
            let _ = write!(bytes, "${}\r\n{word}\r\n", word.len());
        }
        self.stream.get_mut().write_all(bytes.as_bytes()).unwrap();
        self.reply()
    }

    fn reply(&mut self) -> Reply {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        let line = line.trim_end();
        let (kind, rest) = line.split_at_checked(1).expect("a reply");
        let length = || rest.parse::<i64>().unwrap();
        match kind {
            "+" => Reply::Status(rest.to_owned()),
            "-" => Reply::Error(rest.to_owned()),
            ":" => Reply::Integer(length()),
            "$" | "*" if length() < 0 => Reply::Nil,
            "$" => {
                let mut bytes = vec![0; usize::try_from(length()).unwrap() + 2];
                self.stream.read_exact(&mut bytes).unwrap();
                bytes.truncate(bytes.len() - 2);
                Reply::Text(String::from_utf8(bytes).unwrap())
            }
            "*" => Reply::List((0..length()).map(|_| self.reply()).collect()),
            other => panic!("a reply does not begin with {other:?}"),
        }
    }
}

/// Several connections to one server, and all that was said.
pub(crate) struct Talk {
    address: SocketAddr,
    clients: Vec<(&'static str, Client)>,
    pub(crate) transcript: String,
}

impl Talk {
    pub(crate) fn with(address: SocketAddr) -> Self {
        Self {
            address,
            clients: Vec::new(),
            transcript: String::new(),
        }
    }

    /// Says something without writing it down.
    pub(crate) fn quietly(&mut self, who: &'static str, command: &str) -> Reply {
        let words: Vec<&str> = command.split(' ').collect();
        self.client(who).call(&words)
    }

    /// Says a line of words and writes it down with its reply. Neither `who` nor a word has a space.
    pub(crate) fn say(&mut self, who: &'static str, command: &str) -> Reply {
        let words: Vec<&str> = command.split(' ').collect();
        let reply = self.client(who).call(&words);
        self.note(who, command, &reply);
        reply
    }

    /// Runs a script, written down under a short name.
    pub(crate) fn eval(
        &mut self,
        who: &'static str,
        (name, script): (&str, &str),
        arguments: &str,
    ) -> Reply {
        let mut words = vec!["EVAL", script];
        words.extend(arguments.split(' '));
        let reply = self.client(who).call(&words);
        self.note(who, &format!("EVAL {name} {arguments}"), &reply);
        reply
    }

    fn note(&mut self, who: &str, command: &str, reply: &Reply) {
        let _ = writeln!(self.transcript, "{who}> {command}\n{}", reply.shown());
    }

    fn client(&mut self, who: &'static str) -> &mut Client {
        let place = self.clients.iter().position(|(name, _)| *name == who);
        let place = place.unwrap_or_else(|| {
            self.clients.push((who, Client::connect(self.address)));
            self.clients.len() - 1
        });
        &mut self.clients[place].1
    }
}
