//! One connection: read, run, answer, until one side has enough.
//!
//! Many clients send a whole pipeline before they read the first answer. So bytes are taken while
//! answers wait to be sent: a server that only sends would wait for the client to read, while the
//! client waits for the server to read. Nothing of what is taken meanwhile is run, so unread
//! answers never grow beyond [`SEND_BYTES`] and the last of them.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use tokio::io::{AsyncWriteExt, Interest};
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::commands::{Executed, Reply, Session, Waiting, execute_next};
use crate::server::Durability;
use crate::server::resp::{Limits, Parser, ProtocolError, encode};

/// Answers are sent when they reach this size, even if more commands are waiting.
const SEND_BYTES: usize = 64 * 1024;
/// So many commands are looked at before the first of them runs.
const COMMANDS_AHEAD: usize = 64;
/// And no more of them once they have so many bytes: what waits to run is not counted as a query.
const BYTES_AHEAD: usize = 64 * 1024;
/// A connection with nothing to do keeps no larger buffer for answers.
const IDLE_BYTES: usize = 4 * 1024;

/// One connection at work.
pub(super) struct Connection {
    stream: TcpStream,
    session: Session,
    parser: Parser,
    out: Vec<u8>,
    /// Commands that have arrived and did not run yet.
    commands: VecDeque<Vec<Bytes>>,
    /// What came behind them is no command.
    broken: Option<ProtocolError>,
    /// A blocking command that has no answer yet.
    waiting: Option<Waiting>,
    durability: Arc<Durability>,
}

/// What to do after some commands have run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Send, then run more of what has arrived.
    Continue,
    /// Send, then wait for bytes.
    Read,
    /// Send, then wait for the answer to a blocking command.
    Wait,
    /// Send, then close.
    Close,
}

/// Commands that have run and are not answered yet.
#[derive(Debug, Clone, Copy)]
struct Ran {
    wrote: bool,
    next: Next,
}

impl Connection {
    pub(super) fn new(
        stream: TcpStream,
        session: Session,
        limits: Limits,
        durability: Arc<Durability>,
    ) -> Self {
        Self {
            stream,
            session,
            parser: Parser::new(limits),
            out: Vec::new(),
            commands: VecDeque::new(),
            broken: None,
            waiting: None,
            durability,
        }
    }

    /// Serves the client until it leaves, breaks the protocol, or the server stops. What has
    /// arrived completely before a stop is still answered.
    pub(super) async fn serve(mut self, mut stop: watch::Receiver<bool>) {
        loop {
            let ran = self.run_commands();
            let Ok(arrived) = self.answer(ran.wrote).await else {
                return;
            };
            match ran.next {
                Next::Close => break,
                Next::Continue => continue,
                Next::Read if arrived => continue,
                Next::Read => {}
                Next::Wait if self.wait(&mut stop).await => continue,
                Next::Wait => return,
            }
            self.parser.rest();
            if self.out.capacity() > IDLE_BYTES {
                self.out = Vec::new();
            }
            let more = tokio::select! {
                more = Self::read(&mut self.stream, &mut self.parser) => more,
                _ = stop.wait_for(|&stop| stop) => break,
            };
            if !matches!(more, Ok(true)) {
                return;
            }
        }
        // The client may be gone already.
        let _ = self.stream.shutdown().await;
    }

    /// Runs complete commands until there are none, or the answers are worth sending.
    fn run_commands(&mut self) -> Ran {
        let mut wrote = false;
        let next = loop {
            if self.out.len() >= SEND_BYTES {
                break Next::Continue;
            }
            self.take_commands();
            if self.commands.is_empty() {
                break match self.broken.take() {
                    None => Next::Read,
                    Some(error) => {
                        if let ProtocolError::Refused(text) = error {
                            encode(&Reply::Error(text), self.session.protocol(), &mut self.out);
                        }
                        Next::Close
                    }
                };
            }
            let mut executed = Vec::new();
            execute_next(&mut self.session, &mut self.commands, &mut executed);
            for executed in executed {
                wrote |= self.take_answer(&executed);
                self.waiting = executed.waiting;
            }
            if self.waiting.is_some() {
                break Next::Wait;
            }
            if self.session.is_closing() {
                break Next::Close;
            }
        };
        Ran { wrote, next }
    }

    /// Takes commands that have arrived completely, as many as may run together.
    fn take_commands(&mut self) {
        let size = |args: &Vec<Bytes>| args.iter().map(Bytes::len).sum::<usize>();
        let mut bytes: usize = self.commands.iter().map(size).sum();
        while self.commands.len() < COMMANDS_AHEAD && bytes < BYTES_AHEAD && self.broken.is_none() {
            match self.parser.next_command() {
                Ok(Some(args)) => {
                    bytes += size(&args);
                    self.commands.push_back(args);
                }
                Ok(None) => break,
                Err(error) => self.broken = Some(error),
            }
        }
    }

    /// Puts an answer with the others. Answers whether a sync may be due before it is sent.
    fn take_answer(&mut self, executed: &Executed) -> bool {
        if executed.wrote {
            self.durability.mark_written();
        }
        encode(&executed.reply, self.session.protocol(), &mut self.out);
        executed.wrote
    }

    /// Waits for the answer to a blocking command, and puts it with the others. Answers false if the
    /// client left, or the server stops.
    async fn wait(&mut self, stop: &mut watch::Receiver<bool>) -> bool {
        let Some(mut waiting) = self.waiting.take() else {
            return true;
        };
        let executed = loop {
            let takes_more = self.parser.has_room();
            tokio::select! {
                executed = waiting.outcome() => break executed,
                more = Self::read(&mut self.stream, &mut self.parser), if takes_more => {
                    if !matches!(more, Ok(true)) {
                        return false;
                    }
                }
                _ = stop.wait_for(|&stop| stop) => return false,
            }
        };
        let wrote = self.take_answer(&executed);
        !wrote || self.durability.acknowledge().await.is_ok()
    }

    /// Sends the answers, once what they promise is safe. Answers whether bytes arrived meanwhile.
    async fn answer(&mut self, wrote: bool) -> io::Result<bool> {
        if wrote {
            self.durability
                .acknowledge()
                .await
                .map_err(io::Error::other)?;
        }
        let arrived = self.send().await?;
        self.out.clear();
        Ok(arrived)
    }

    /// Sends the answers, and takes what arrives meanwhile, until that is as much as one command
    /// may be. Answers whether anything arrived.
    async fn send(&mut self) -> io::Result<bool> {
        let mut sent = 0;
        let mut arrived = false;
        let mut at_end = false;
        while sent < self.out.len() {
            let takes_more = !at_end && self.parser.has_room();
            let interest = if takes_more {
                Interest::WRITABLE | Interest::READABLE
            } else {
                Interest::WRITABLE
            };
            let ready = self.stream.ready(interest).await?;
            if ready.is_writable() {
                sent += none_if_blocked(self.stream.try_write(&self.out[sent..]))?.unwrap_or(0);
            }
            if takes_more && ready.is_readable() {
                let count = none_if_blocked(self.stream.try_read_buf(self.parser.buffer()))?;
                at_end = count == Some(0);
                arrived |= count.is_some_and(|count| count > 0);
            }
        }
        Ok(arrived)
    }

    /// Waits for bytes and takes them. The buffer gets its room only when there are some, so an
    /// idle connection costs little. Answers false at the end of the stream.
    async fn read(stream: &mut TcpStream, parser: &mut Parser) -> io::Result<bool> {
        loop {
            stream.readable().await?;
            if let Some(count) = none_if_blocked(stream.try_read_buf(parser.buffer()))? {
                return Ok(count > 0);
            }
        }
    }
}

/// What a call to a socket did, or `None` if there was nothing to do after all.
fn none_if_blocked(result: io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Ok(count) => Ok(Some(count)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}
