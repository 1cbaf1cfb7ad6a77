//! The parts of a table besides its data blocks, each read from the file and verified.
//!
//! An opening needs all of them. A check reads one after another, and continues where one is damaged. Others only want to
//! know what a table says about itself, for which no comparator and no open table are needed.

use super::block::Block;
use super::filter::Filter;
use super::footer::{FOOTER_BYTES, Footer, MAGIC};
use super::properties::Properties;
use super::range_block;
use super::stored::{self, Compression, Handle};
use crate::annotate::count;
use crate::error::{Error, Result};
use crate::range_tombstone::Fragment;
use crate::vfs::{FileSlice, RandomFile};

/// Whether the file ends with the magic bytes of a table.
///
/// # Errors
/// `Io`.
pub fn is_table(file: &dyn RandomFile) -> Result<bool> {
    let Some(at) = file.len().checked_sub(MAGIC.len() as u64) else {
        return Ok(false);
    };
    Ok(*file.read_at(at, MAGIC.len())? == MAGIC)
}

/// What the table in `file` says about itself.
///
/// # Errors
/// `Corruption` if footer or properties are damaged, `UnsupportedVersion`, `Io`.
pub fn read_properties(file: &dyn RandomFile) -> Result<Properties> {
    properties_of(file, &read_footer(file)?)
}

/// The range tombstones of the table in `file`, as they are stored: in its order, which need not be available.
///
/// # Errors
/// `Corruption` if footer, properties or the tombstones' block are damaged, `UnsupportedVersion`, `Io`.
pub fn read_range_tombstones(file: &dyn RandomFile) -> Result<Vec<Fragment>> {
    let footer = read_footer(file)?;
    let properties = properties_of(file, &footer)?;
    let Some(handle) = properties.range_delete_block else {
        return Ok(Vec::new());
    };
    let contents = read_range_block(file, &footer, handle)?;
    range_block::fragments_of(contents, properties.range_deletes)
        .map_err(|what| corrupt(file, handle, what))
}

pub(super) fn read_footer(file: &dyn RandomFile) -> Result<Footer> {
    let len = file.len();
    let Some(start) = len.checked_sub(FOOTER_BYTES as u64) else {
        let what = format!(
            "a table ends in a footer of {FOOTER_BYTES} bytes, this file has {} in all",
            count(len, "byte")
        );
        return Err(Error::corruption(file.path(), 0, what));
    };
    let footer = file.read_at(start, FOOTER_BYTES)?;
    let footer = footer
        .first_chunk()
        .expect("as many bytes as were asked for");
    Footer::decode(footer, file.path(), len)
}

pub(super) fn properties_of(file: &dyn RandomFile, footer: &Footer) -> Result<Properties> {
    let part = read_part(file, footer.properties)?;
    Properties::decode(&part).map_err(|(at, what)| {
        Error::corruption(file.path(), footer.properties.offset + at as u64, what)
    })
}

/// The block of the index, whose entries are not looked at yet.
pub(super) fn read_index_block(file: &dyn RandomFile, footer: &Footer) -> Result<Block> {
    let block = Block::new(read_part(file, footer.index)?);
    block.map_err(|damage| corrupt(file, footer.index, damage.to_string()))
}

pub(super) fn read_filter(file: &dyn RandomFile, handle: Handle) -> Result<Filter> {
    let filter = Filter::new(read_part(file, handle)?);
    filter.ok_or_else(|| corrupt(file, handle, "the filter is of an unknown kind"))
}

/// Reads a part that the footer leads to: the index, the filter or the properties.
pub(super) fn read_part(file: &dyn RandomFile, handle: Handle) -> Result<FileSlice> {
    let footer_at = file.len() - FOOTER_BYTES as u64;
    read_uncompressed(file, handle, ("footer leads", footer_at))
}

/// Reads the block of range tombstones, which the properties lead to.
pub(super) fn read_range_block(
    file: &dyn RandomFile,
    footer: &Footer,
    handle: Handle,
) -> Result<FileSlice> {
    let leader = ("properties lead", footer.properties.offset);
    read_uncompressed(file, handle, leader)
}

/// Reads a part that is never compressed. If it is not in the file, what leads to it is damaged: `leader` says what that is, and
/// at which byte it is.
fn read_uncompressed(
    file: &dyn RandomFile,
    handle: Handle,
    (leader, leader_at): (&str, u64),
) -> Result<FileSlice> {
    let footer_at = file.len() - FOOTER_BYTES as u64;
    let Some(range) = handle.range_within(footer_at) else {
        let what = format!("the {leader} to {handle}, outside the file");
        return Err(Error::corruption(file.path(), leader_at, what));
    };
    let wrong = |what: String| corrupt(file, handle, what);
    let stored_len = range.len() + stored::TRAILER_BYTES;
    file.will_read(handle.offset, stored_len as u64);
    let stored = file.read_at(handle.offset, stored_len)?;
    stored::verify(&stored, handle.offset).map_err(wrong)?;
    match stored::compression(&stored).map_err(wrong)? {
        Compression::None => Ok(stored.slice(0..range.len())),
        Compression::Lz4 => Err(corrupt(
            file,
            handle,
            "a part that must not be compressed is compressed",
        )),
    }
}

/// An error in the part at `handle`.
pub(super) fn corrupt(file: &dyn RandomFile, handle: Handle, what: impl Into<String>) -> Error {
    Error::corruption(file.path(), handle.offset, what)
}
