//! The stream of a connection: TCP, or a Unix socket. Code outside of this file need not know which.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf, Ready};
use tokio::net::{TcpStream, UnixStream};

/// The longest time that Linux takes for a probe. With a longer one it refuses the setting.
const KEEPALIVE_MAX_S: u64 = 32_767;

/// One end of a connection.
#[derive(Debug)]
pub(super) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// Makes the same call on either kind of stream.
macro_rules! of_either {
    ($either:expr, $stream:ident => $call:expr) => {
        match $either {
            Stream::Tcp($stream) => $call,
            Stream::Unix($stream) => $call,
        }
    };
}

impl Stream {
    /// Prepares the socket. Answers are written in one piece, so delaying them to collect more only costs time. And a
    /// client whose machine has vanished is noticed at some point. Over a Unix socket there is no other machine.
    ///
    /// # Errors
    /// The connection is gone.
    pub(super) fn prepare(&self, keepalive_s: u64) -> io::Result<()> {
        let Self::Tcp(stream) = self else {
            return Ok(());
        };
        stream.set_nodelay(true)?;
        let keepalive_s = keepalive_s.min(KEEPALIVE_MAX_S);
        if keepalive_s > 0 {
            // As in Redis: the first probe after the idle time, then three more at a third of that time.
            let keepalive = TcpKeepalive::new()
                .with_time(Duration::from_secs(keepalive_s))
                .with_interval(Duration::from_secs((keepalive_s / 3).max(1)))
                .with_retries(3);
            SockRef::from(stream).set_tcp_keepalive(&keepalive)?;
        }
        Ok(())
    }

    pub(super) async fn ready(&self, interest: Interest) -> io::Result<Ready> {
        of_either!(self, stream => stream.ready(interest).await)
    }

    /// Completes when there may be bytes to read. Only one task may wait like this, and it costs half of what
    /// [`ready`](Self::ready) does.
    pub(super) fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        of_either!(self, stream => stream.poll_read_ready(cx))
    }

    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        of_either!(self, stream => stream.try_write(bytes))
    }

    pub(super) fn try_read_buf(&self, buffer: &mut impl bytes::BufMut) -> io::Result<usize> {
        of_either!(self, stream => stream.try_read_buf(buffer))
    }
}

impl AsRawFd for Stream {
    fn as_raw_fd(&self) -> RawFd {
        of_either!(self, stream => stream.as_raw_fd())
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        of_either!(self.get_mut(), stream => Pin::new(stream).poll_read(cx, buffer))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        of_either!(self.get_mut(), stream => Pin::new(stream).poll_write(cx, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        of_either!(self.get_mut(), stream => Pin::new(stream).poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        of_either!(self.get_mut(), stream => Pin::new(stream).poll_shutdown(cx))
    }
}
