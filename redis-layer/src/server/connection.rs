//! One connection: read, run, answer, until one side has enough.

use std::io;
use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::commands::{Reply, Session, execute};
use crate::server::Durability;
use crate::server::resp::{Limits, Parser, ProtocolError, encode};

/// Answers are sent when they reach this size, even if more commands are waiting.
const SEND_BYTES: usize = 64 * 1024;
/// A connection with nothing to do keeps no larger buffer for answers.
const IDLE_BYTES: usize = 4 * 1024;

/// One connection at work.
pub(super) struct Connection {
    stream: TcpStream,
    session: Session,
    parser: Parser,
    out: Vec<u8>,
    durability: Arc<Durability>,
}

/// What to do after some commands have run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Send, then run more of what has arrived.
    Continue,
    /// Send, then wait for bytes.
    Read,
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
            durability,
        }
    }

    /// Serves the client until it leaves, breaks the protocol, or the server stops. What has
    /// arrived completely before a stop is still answered.
    pub(super) async fn serve(mut self, mut stop: watch::Receiver<bool>) {
        loop {
            let ran = self.run_commands();
            if self.answer(ran.wrote).await.is_err() {
                return;
            }
            match ran.next {
                Next::Continue => continue,
                Next::Close => break,
                Next::Read => {}
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
            let args = match self.parser.next_command() {
                Ok(Some(args)) => args,
                Ok(None) => break Next::Read,
                Err(error) => {
                    if let ProtocolError::Refused(text) = error {
                        encode(&Reply::Error(text), self.session.protocol(), &mut self.out);
                    }
                    break Next::Close;
                }
            };
            let executed = execute(&mut self.session, &args);
            if executed.wrote {
                wrote = true;
                self.durability.mark_written();
            }
            encode(&executed.reply, self.session.protocol(), &mut self.out);
            if self.session.is_closing() {
                break Next::Close;
            }
        };
        Ran { wrote, next }
    }

    /// Sends the answers, once what they promise is safe.
    async fn answer(&mut self, wrote: bool) -> io::Result<()> {
        if wrote {
            self.durability
                .acknowledge()
                .await
                .map_err(io::Error::other)?;
        }
        self.stream.write_all(&self.out).await?;
        self.out.clear();
        Ok(())
    }

    /// Waits for bytes and takes them. The buffer gets its room only when there are some, so an
    /// idle connection costs little. Answers false at the end of the stream.
    async fn read(stream: &mut TcpStream, parser: &mut Parser) -> io::Result<bool> {
        loop {
            stream.readable().await?;
            match stream.try_read_buf(parser.buffer()) {
                Ok(count) => return Ok(count > 0),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }
}
