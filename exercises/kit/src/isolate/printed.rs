//! What a child prints: read while it runs, cut short, and shown with the verdict.

use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, PipeWriter, Read, Write as _};
use std::process::Stdio;
use std::thread::{self, JoinHandle};

/// How much is kept of the beginning and of the end of what the code prints.
const PRINTED_BYTES_MAX: usize = 2048;

/// One of a child's output streams, read on a thread.
///
/// When the child has ended, we write an end into the stream ourselves, behind all that the child has written. The end of the
/// stream is no sign: a process that the code started may hold it open for as long as it likes.
pub(super) struct Printed {
    stream: PipeWriter,
    end: String,
    text: JoinHandle<Vec<u8>>,
}

impl Printed {
    /// Reads what is written into the second of the two.
    pub(super) fn read() -> io::Result<(Self, Stdio)> {
        let (reader, stream) = io::pipe()?;
        let childs = stream.try_clone()?;
        // No code prints it: nobody knows the number.
        let end = format!("\0{:016x}\0", RandomState::new().hash_one("end"));
        let until = end.clone().into_bytes();
        let text = thread::spawn(move || read_until(reader, &until));
        Ok((Self { stream, end, text }, childs.into()))
    }

    /// All that was written until now, without the middle of a long text.
    pub(super) fn until_now(mut self) -> String {
        // Nobody reads any more if reading has failed.
        let _ = self.stream.write_all(self.end.as_bytes());
        drop(self.stream);
        String::from_utf8_lossy(&self.text.join().unwrap_or_default()).into_owned()
    }
}

/// What stands before `end`. Of a long text the beginning is kept, and the end: the runtime's last words come last, after
/// anything the code printed.
fn read_until(mut stream: impl Read, end: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut buffer = [0; 8192];
    let mut has_ended = false;
    while !has_ended && let Ok(n @ 1..) = stream.read(&mut buffer) {
        text.extend_from_slice(&buffer[..n]);
        // It may come in two pieces.
        let from = text.len().saturating_sub(n + end.len() - 1);
        let mut places = text[from..].windows(end.len());
        if let Some(at) = places.position(|bytes| bytes == end) {
            text.truncate(from + at);
            has_ended = true;
        }
        // With room for its first piece, which is cut off when the second one comes.
        let most = 2 * PRINTED_BYTES_MAX + end.len();
        if let Some(excess) = text.len().checked_sub(most) {
            text.drain(PRINTED_BYTES_MAX..PRINTED_BYTES_MAX + excess);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out its bytes in pieces.
    struct Pieces<'a>(std::slice::Chunks<'a, u8>);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let piece = self.0.next().unwrap_or_default();
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn what_is_printed_is_read_to_its_end_in_pieces_of_any_size() {
        let long: Vec<u8> = (0..20_000_u32).flat_map(u32::to_be_bytes).collect();
        for text in [b"", &b"short"[..], b"\0\0en", &long] {
            let printed = [text, b"\0end\0", b"a later process's"].concat();
            for size in [1, 2, 3, 7, 4096, 8192] {
                let read = read_until(Pieces(printed.chunks(size)), b"\0end\0");
                let kept = PRINTED_BYTES_MAX.min(text.len());
                assert!(
                    read.starts_with(&text[..kept]) && read.ends_with(&text[text.len() - kept..])
                );
                assert!(read.len() <= text.len().min(2 * PRINTED_BYTES_MAX + 5));
            }
        }
        assert_eq!(read_until(&b"broken off"[..], b"\0end\0"), b"broken off");
    }
}
