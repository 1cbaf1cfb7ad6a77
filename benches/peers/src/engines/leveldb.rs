//! LevelDB 1.23 through its C interface, as Debian's `libleveldb-dev` ships it.
//!
//! Each `unsafe` block calls the C interface as `leveldb/c.h` documents it. Pointers that a [`LevelDb`]
//! holds are valid until its `drop`; LevelDB's handles may be used from many threads.

use super::{
    Blocks, CACHE_BYTES, Direction, Engine, FILTER_BITS_PER_KEY, Reader, Scanned,
    WRITE_BUFFER_BYTES,
};
use anyhow::{Result, bail};
use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;

type Handle = *mut c_void;

#[link(name = "leveldb")]
unsafe extern "C" {
    fn leveldb_options_create() -> Handle;
    fn leveldb_options_set_create_if_missing(options: Handle, on: c_uchar);
    fn leveldb_options_set_write_buffer_size(options: Handle, bytes: usize);
    fn leveldb_options_set_compression(options: Handle, kind: c_int);
    fn leveldb_options_set_cache(options: Handle, cache: Handle);
    fn leveldb_options_set_filter_policy(options: Handle, policy: Handle);
    fn leveldb_options_destroy(options: Handle);
    fn leveldb_cache_create_lru(bytes: usize) -> Handle;
    fn leveldb_cache_destroy(cache: Handle);
    fn leveldb_filterpolicy_create_bloom(bits_per_key: c_int) -> Handle;
    fn leveldb_filterpolicy_destroy(policy: Handle);
    fn leveldb_writeoptions_create() -> Handle;
    fn leveldb_writeoptions_set_sync(options: Handle, on: c_uchar);
    fn leveldb_writeoptions_destroy(options: Handle);
    fn leveldb_readoptions_create() -> Handle;
    fn leveldb_readoptions_set_verify_checksums(options: Handle, on: c_uchar);
    fn leveldb_readoptions_destroy(options: Handle);
    fn leveldb_open(options: Handle, name: *const c_char, error: *mut *mut c_char) -> Handle;
    fn leveldb_close(db: Handle);
    fn leveldb_put(
        db: Handle,
        options: Handle,
        key: *const u8,
        key_len: usize,
        value: *const u8,
        value_len: usize,
        error: *mut *mut c_char,
    );
    fn leveldb_delete(
        db: Handle,
        options: Handle,
        key: *const u8,
        key_len: usize,
        error: *mut *mut c_char,
    );
    fn leveldb_get(
        db: Handle,
        options: Handle,
        key: *const u8,
        key_len: usize,
        value_len: *mut usize,
        error: *mut *mut c_char,
    ) -> *mut u8;
    fn leveldb_write(db: Handle, options: Handle, batch: Handle, error: *mut *mut c_char);
    fn leveldb_writebatch_create() -> Handle;
    fn leveldb_writebatch_put(
        batch: Handle,
        key: *const u8,
        key_len: usize,
        value: *const u8,
        value_len: usize,
    );
    fn leveldb_writebatch_destroy(batch: Handle);
    fn leveldb_compact_range(
        db: Handle,
        start: *const u8,
        start_len: usize,
        limit: *const u8,
        limit_len: usize,
    );
    fn leveldb_create_iterator(db: Handle, options: Handle) -> Handle;
    fn leveldb_iter_destroy(iterator: Handle);
    fn leveldb_iter_valid(iterator: Handle) -> c_uchar;
    fn leveldb_iter_seek_to_first(iterator: Handle);
    fn leveldb_iter_seek_to_last(iterator: Handle);
    fn leveldb_iter_seek(iterator: Handle, key: *const u8, key_len: usize);
    fn leveldb_iter_next(iterator: Handle);
    fn leveldb_iter_prev(iterator: Handle);
    fn leveldb_iter_key(iterator: Handle, len: *mut usize) -> *const u8;
    fn leveldb_iter_value(iterator: Handle, len: *mut usize) -> *const u8;
    fn leveldb_iter_get_error(iterator: Handle, error: *mut *mut c_char);
    fn leveldb_free(pointer: *mut c_void);
}

const NO_COMPRESSION: c_int = 0;
const SNAPPY: c_int = 1;

pub struct LevelDb {
    db: Handle,
    cache: Handle,
    filter: Handle,
    read: Handle,
    write: Handle,
    write_synced: Handle,
}

// SAFETY: LevelDB documents its database handle as safe for concurrent use without outside locks; the
// option handles are never changed after `open`.
unsafe impl Send for LevelDb {}
// SAFETY: as above.
unsafe impl Sync for LevelDb {}

/// Turns LevelDB's error string into ours and frees it.
fn check(error: *mut c_char) -> Result<()> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: LevelDB hands out a terminated string that the caller frees.
    let message = unsafe {
        let message = CStr::from_ptr(error).to_string_lossy().into_owned();
        leveldb_free(error.cast());
        message
    };
    bail!("leveldb: {message}")
}

impl LevelDb {
    /// Reads check checksums if asked to. LevelDB's default is that they do not.
    pub fn open(dir: &Path, blocks: Blocks, checks_reads: bool) -> Result<Self> {
        let name = CString::new(dir.as_os_str().as_bytes())?;
        let compression = match blocks {
            Blocks::Plain => NO_COMPRESSION,
            Blocks::Compressed => SNAPPY,
        };
        let mut error = null_mut();
        // SAFETY: each handle comes from its own create function; the options are freed after use.
        let opened = unsafe {
            let options = leveldb_options_create();
            let cache = leveldb_cache_create_lru(CACHE_BYTES);
            let filter = leveldb_filterpolicy_create_bloom(FILTER_BITS_PER_KEY);
            leveldb_options_set_create_if_missing(options, 1);
            leveldb_options_set_write_buffer_size(options, WRITE_BUFFER_BYTES);
            leveldb_options_set_compression(options, compression);
            leveldb_options_set_cache(options, cache);
            leveldb_options_set_filter_policy(options, filter);
            let db = leveldb_open(options, name.as_ptr(), &mut error);
            leveldb_options_destroy(options);
            let write_synced = leveldb_writeoptions_create();
            leveldb_writeoptions_set_sync(write_synced, 1);
            let (read, write) = (leveldb_readoptions_create(), leveldb_writeoptions_create());
            leveldb_readoptions_set_verify_checksums(read, checks_reads.into());
            Self {
                db,
                cache,
                filter,
                read,
                write,
                write_synced,
            }
        };
        check(error)?;
        Ok(opened)
    }

    fn put_with(&self, options: Handle, key: &[u8], value: &[u8]) -> Result<()> {
        let mut error = null_mut();
        // SAFETY: the slices outlive the call, which copies them.
        unsafe {
            leveldb_put(
                self.db,
                options,
                key.as_ptr(),
                key.len(),
                value.as_ptr(),
                value.len(),
                &mut error,
            );
        }
        check(error)
    }
}

impl Drop for LevelDb {
    fn drop(&mut self) {
        // SAFETY: each handle is freed once; the database first, since it uses the others.
        unsafe {
            if !self.db.is_null() {
                leveldb_close(self.db);
            }
            leveldb_cache_destroy(self.cache);
            leveldb_filterpolicy_destroy(self.filter);
            leveldb_readoptions_destroy(self.read);
            leveldb_writeoptions_destroy(self.write);
            leveldb_writeoptions_destroy(self.write_synced);
        }
    }
}

impl Engine for LevelDb {
    fn put(&self, key: &[u8], value: &[u8]) -> Result<()> {
        self.put_with(self.write, key, value)
    }

    fn put_synced(&self, key: &[u8], value: &[u8]) -> Result<()> {
        self.put_with(self.write_synced, key, value)
    }

    fn put_batch(&self, entries: &[(&[u8], &[u8])]) -> Result<()> {
        let mut error = null_mut();
        // SAFETY: the slices outlive the calls, which copy them; the batch is freed after use.
        unsafe {
            let batch = leveldb_writebatch_create();
            for (key, value) in entries {
                leveldb_writebatch_put(batch, key.as_ptr(), key.len(), value.as_ptr(), value.len());
            }
            leveldb_write(self.db, self.write, batch, &mut error);
            leveldb_writebatch_destroy(batch);
        }
        check(error)
    }

    fn delete(&self, key: &[u8]) -> Result<()> {
        let mut error = null_mut();
        // SAFETY: the slice outlives the call, which copies it.
        unsafe { leveldb_delete(self.db, self.write, key.as_ptr(), key.len(), &mut error) };
        check(error)
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self))
    }

    fn compact(&self) -> Result<()> {
        // SAFETY: null bounds mean the whole key space.
        unsafe { leveldb_compact_range(self.db, std::ptr::null(), 0, std::ptr::null(), 0) };
        Ok(())
    }
}

impl Reader for LevelDb {
    fn get(&self, key: &[u8]) -> Result<Option<usize>> {
        let (mut error, mut len) = (null_mut(), 0);
        // SAFETY: the value, if there is one, is ours to free.
        let found = unsafe {
            let value = leveldb_get(
                self.db,
                self.read,
                key.as_ptr(),
                key.len(),
                &mut len,
                &mut error,
            );
            let found = !value.is_null();
            if found {
                std::hint::black_box(*value);
                leveldb_free(value.cast());
            }
            found
        };
        check(error)?;
        Ok(found.then_some(len))
    }

    fn scan(&self, direction: Direction, from: Option<&[u8]>, limit: usize) -> Result<Scanned> {
        let mut scanned = Scanned::default();
        let mut error = null_mut();
        // SAFETY: key and value point into the iterator and are looked at before it moves.
        unsafe {
            let iterator = leveldb_create_iterator(self.db, self.read);
            match (direction, from) {
                (Direction::Forward, None) => leveldb_iter_seek_to_first(iterator),
                (Direction::Backward, None) => leveldb_iter_seek_to_last(iterator),
                (_, Some(from)) => {
                    leveldb_iter_seek(iterator, from.as_ptr(), from.len());
                    if direction == Direction::Backward {
                        step_back_onto(iterator, from);
                    }
                }
            }
            while scanned.entries < limit && leveldb_iter_valid(iterator) != 0 {
                let (key, value) = (key(iterator), value(iterator));
                scanned.see(key, value);
                match direction {
                    Direction::Forward => leveldb_iter_next(iterator),
                    Direction::Backward => leveldb_iter_prev(iterator),
                }
            }
            leveldb_iter_get_error(iterator, &mut error);
            leveldb_iter_destroy(iterator);
        }
        check(error)?;
        Ok(scanned)
    }
}

/// LevelDB has no seek-for-prev: after `seek`, one step back unless it landed on the key itself.
///
/// # Safety
/// `iterator` is a live iterator.
unsafe fn step_back_onto(iterator: Handle, from: &[u8]) {
    // SAFETY: the caller's.
    unsafe {
        if leveldb_iter_valid(iterator) == 0 {
            leveldb_iter_seek_to_last(iterator);
        } else if key(iterator) != from {
            leveldb_iter_prev(iterator);
        }
    }
}

/// # Safety
/// `iterator` is live and valid; the slice is dead once it moves.
unsafe fn key<'a>(iterator: Handle) -> &'a [u8] {
    let mut len = 0;
    // SAFETY: the caller's.
    unsafe { std::slice::from_raw_parts(leveldb_iter_key(iterator, &mut len), len) }
}

/// # Safety
/// `iterator` is live and valid; the slice is dead once it moves.
unsafe fn value<'a>(iterator: Handle) -> &'a [u8] {
    let mut len = 0;
    // SAFETY: the caller's.
    unsafe { std::slice::from_raw_parts(leveldb_iter_value(iterator, &mut len), len) }
}
