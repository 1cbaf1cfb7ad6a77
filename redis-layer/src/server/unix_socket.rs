//! The Unix socket: a file that clients on the same machine connect to.
//!
//! Invariants
//! 1. Nobody can connect before the file has its mode: the mode is set between `bind` and `listen`.
//! 2. At a start, only a socket that nobody listens on is replaced, such as a killed server leaves. Any other file
//!    stays.
//! 3. The file is removed with the listener, unless somebody has replaced it by another one.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream as StdStream;
use std::path::{Path, PathBuf};

use socket2::{Domain, SockAddr, Socket, Type};
use tokio::net::{UnixListener, UnixStream};

/// How many connections may wait to be accepted.
const BACKLOG: i32 = 511;

/// A Unix socket that the server listens on.
#[derive(Debug)]
pub(super) struct UnixSocket {
    listener: UnixListener,
    path: PathBuf,
    /// The device and the number of the file.
    file: (u64, u64),
}

impl UnixSocket {
    /// Listens on a path. With the mode 0, the file keeps the permissions that the process gives to new files.
    ///
    /// # Errors
    /// `AddrInUse` if somebody listens on it; `AlreadyExists` if the file is something else; those of the system.
    pub(super) fn bind(path: &Path, mode: u32) -> io::Result<Self> {
        remove_left_over(path)?;
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
        socket.bind(&SockAddr::unix(path)?)?;
        if mode > 0 {
            fs::set_permissions(path, Permissions::from_mode(mode))?;
        }
        socket.listen(BACKLOG)?;
        socket.set_nonblocking(true)?;
        Ok(Self {
            listener: UnixListener::from_std(socket.into())?,
            path: path.to_owned(),
            file: identity(path)?,
        })
    }

    pub(super) async fn accept(&self) -> io::Result<UnixStream> {
        self.listener.accept().await.map(|(stream, _)| stream)
    }

    /// What `CLIENT LIST` shows for both ends, as in Redis: the path, and 0 in place of a port.
    pub(super) fn address(&self) -> String {
        format!("{}:0", self.path.display())
    }
}

impl Drop for UnixSocket {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|file| file == self.file) {
            // If this fails, the next server that finds the file can still remove it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Removes a socket that a killed server has left.
fn remove_left_over(path: &Path) -> io::Result<()> {
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    if !metadata.file_type().is_socket() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    match StdStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) => Err(error),
        Ok(_) => Err(io::ErrorKind::AddrInUse.into()),
    }
}
