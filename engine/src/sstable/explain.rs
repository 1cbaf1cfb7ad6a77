//! Says what each byte of a table means, in the order of the file, up to the first thing that is wrong.
//!
//! The footer at the end and the index before it say where the parts are, so those two are checked
//! first and shown last. Each part's checksum is verified before its contents are looked at: after
//! a wrong checksum, no byte can be trusted.
//!
//! If one of those two is damaged, the parts before it are found by their checksums, one after another from the
//! beginning of the file, so what is reported is still the first that is wrong.

use super::block::{Block, BlockView, Entry};
use super::by_checksum::{first_wrong, without_footer};
use super::footer::{FOOTER_BYTES, Footer};
use super::index::Index;
use super::parts::{read_footer, read_part};
use super::properties::Properties;
use super::stored::{self, Compression, Handle};
use crate::annotate::{Listener, Notes, Wrong, count};
use crate::bloom::LINE_BYTES;
use crate::error::Error;
use crate::internal_key::{self, TRAILER_BYTES};
use crate::varint;
use crate::vfs::{FileSlice, RandomFile};

/// How much of a table is explained.
#[derive(Clone, Copy, Debug)]
pub struct ExplainOptions {
    /// If set, only this data block.
    pub block: Option<usize>,
    /// How many entries of each block, lines of the filter and fields of a kind are shown; the rest
    /// is only counted.
    pub limit: usize,
}

/// Explains the table in `file` to `listener`.
///
/// # Errors
/// The first thing that is wrong, or that the operating system could not read.
pub fn explain_table(
    file: &dyn RandomFile,
    options: ExplainOptions,
    listener: &mut Listener<'_>,
) -> Result<(), Wrong> {
    let footer_at = file.len().saturating_sub(FOOTER_BYTES as u64);
    let footer = read_footer(file).map_err(|error| without_footer(file, &error, footer_at))?;
    for handle in [footer.index, footer.properties]
        .into_iter()
        .chain(footer.filter)
    {
        if handle.range_within(footer_at).is_none() {
            let what = format!("the footer leads to {handle}, where it has begun itself");
            let wrong = Wrong::new(footer_at..file.len(), what);
            return Err(first_wrong(file, 0, wrong));
        }
    }
    let index = part(file, footer.index).map_err(|wrong| first_wrong(file, 0, wrong))?;
    let index = Block::new(index)
        .map(Index::to_walk)
        .map_err(|damage| Wrong::new(stored_range(footer.index), damage.to_string()))?;
    let mut explain = Explain {
        file,
        options,
        listener,
    };
    let mut end = explain.data_blocks(&index, &footer)?;
    if options.block.is_some() {
        return Ok(());
    }
    if let Some(filter) = footer.filter {
        explain.padding(end, filter.offset)?;
        explain.filter(filter)?;
        end = stored_range(filter).end;
    }
    end = explain.range_deletes(&footer, end)?;
    check_place("properties", end, footer.properties.offset)?;
    explain.properties(footer.properties)?;
    let end = stored_range(footer.properties).end;
    check_place("index", end, footer.index.offset)?;
    explain.listen(
        "index: where each data block is, and a key that ends it",
        footer.index.offset,
    );
    explain.block(footer.index, Values::Handles)?;
    check_place("footer", stored_range(footer.index).end, footer_at)?;
    explain.footer(&footer, footer_at)
}

/// Checks that a part begins at `at` because the one before it ends there.
fn check_place(name: &str, end: u64, at: u64) -> Result<(), Wrong> {
    if at == end {
        return Ok(());
    }
    let what = format!(
        "the {name} should begin here, where the part before ends, and begins at byte {at}"
    );
    Err(Wrong::new(end..at.max(end), what))
}

/// The range that a stored part takes in the file.
fn stored_range(handle: Handle) -> std::ops::Range<u64> {
    handle.offset..handle.offset + handle.length + stored::TRAILER_BYTES as u64
}

fn part(file: &dyn RandomFile, handle: Handle) -> Result<FileSlice, Wrong> {
    read_part(file, handle).map_err(|error| {
        let what = match error {
            Error::Corruption { what, .. } => what,
            other => other.to_string(),
        };
        Wrong::new(stored_range(handle), what)
    })
}

/// What the values of a block mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Users,
    Handles,
}

struct Explain<'e, 'l> {
    file: &'e dyn RandomFile,
    options: ExplainOptions,
    listener: &'e mut Listener<'l>,
}

impl Explain<'_, '_> {
    fn listen(&mut self, title: &str, at: u64) {
        (self.listener)(crate::annotate::Note::Part {
            at,
            title: title.to_owned(),
        });
    }

    fn data_blocks(&mut self, index: &Index, footer: &Footer) -> Result<u64, Wrong> {
        let wrong_index = |what: String| Wrong::new(stored_range(footer.index), what);
        let footer_at = self.file.len() - FOOTER_BYTES as u64;
        let mut cursor = index.cursor();
        let mut end = 0;
        let mut moved = cursor.entries().seek_to_first();
        while let Some(block) = moved
            .and_then(|()| cursor.current())
            .map_err(|damage| wrong_index(damage.to_string()))?
        {
            if block.handle.offset != end || block.handle.range_within(footer_at).is_none() {
                let what = format!(
                    "the index leads to {} for data block {}, which should begin at byte {end}",
                    block.handle, block.number
                );
                return Err(wrong_index(what));
            }
            if self.options.block.is_none_or(|only| only == block.number) {
                self.listen(&format!("data block {}", block.number), block.handle.offset);
                self.block(block.handle, Values::Users)?;
            }
            end = stored_range(block.handle).end;
            moved = cursor.entries().next();
        }
        if let Some(only) = self.options.block.filter(|only| *only >= index.blocks()) {
            let what = format!(
                "there is no data block {only}; the index counts {} from 0",
                index.blocks()
            );
            return Err(wrong_index(what));
        }
        Ok(end)
    }

    /// Where the part at `handle` lies with its trailer, and these bytes as the file has them.
    fn stored(&self, handle: Handle) -> Result<(std::ops::Range<u64>, FileSlice), Wrong> {
        let stored = stored_range(handle);
        let len = (stored.end - stored.start) as usize;
        match self.file.read_at(stored.start, len) {
            Ok(bytes) => Ok((stored, bytes)),
            Err(error) => Err(Wrong::new(stored, error.to_string())),
        }
    }

    /// Explains the range deletes if there are any, which only the properties behind them say. Returns where they end.
    fn range_deletes(&mut self, footer: &Footer, end: u64) -> Result<u64, Wrong> {
        // Where they begin before the end of what is sound, the footer is wrong about them, and not what is there.
        if footer.properties.offset < end {
            check_place("properties", end, footer.properties.offset)?;
        }
        let properties = part(self.file, footer.properties)
            .map_err(|wrong| first_wrong(self.file, end, wrong))?;
        // If they say nonsense, that is reported when it is their turn.
        let properties = Properties::decode(&properties).ok();
        let Some(handle) = properties.and_then(|properties| properties.range_delete_block) else {
            return Ok(end);
        };
        let footer_at = self.file.len() - FOOTER_BYTES as u64;
        if handle.range_within(footer_at).is_none() {
            let what = format!("the properties lead to {handle}, outside the file");
            return Err(Wrong::new(stored_range(footer.properties), what));
        }
        check_place("range deletes", end, handle.offset)?;
        self.listen(
            "range deletes: keys from the key up to the value, which is not among them",
            handle.offset,
        );
        self.block(handle, Values::Users)?;
        Ok(stored_range(handle).end)
    }

    /// Explains a data block or the index.
    fn block(&mut self, handle: Handle, values: Values) -> Result<(), Wrong> {
        let (stored, bytes) = self.stored(handle)?;
        let wrong = |what: String| Wrong::new(stored.clone(), what);
        stored::verify(&bytes, handle.offset).map_err(wrong)?;
        let inside = handle.length as usize;
        match stored::compression(&bytes).map_err(wrong)? {
            Compression::None => {
                let mut notes = Notes::new(&bytes, handle.offset, self.listener);
                entries(&bytes[..inside], &mut notes, values, self.options.limit).map_err(
                    |(at, what)| Wrong::new(handle.offset + at as u64..stored.end, what),
                )?;
                trailer(&mut notes);
            }
            Compression::Lz4 => {
                let contents = stored::decompress(&bytes[..inside]).map_err(wrong)?;
                let mut notes = Notes::new(&bytes, handle.offset, self.listener);
                notes.field(4, format!("length before compression {}", contents.len()));
                notes.field(inside - 4, "LZ4 block data");
                trailer(&mut notes);
                self.listen(
                    "its contents, decompressed; offsets count from their beginning",
                    handle.offset,
                );
                let mut notes = Notes::new(&contents, 0, self.listener);
                entries(&contents, &mut notes, values, self.options.limit)
                    .map_err(|(_, what)| wrong(what))?;
            }
        }
        Ok(())
    }

    fn padding(&mut self, end: u64, filter: u64) -> Result<(), Wrong> {
        let len = filter.saturating_sub(end);
        if len == 0 || len >= LINE_BYTES as u64 {
            return check_place("filter", end, filter);
        }
        let bytes = self.file.read_at(end, len as usize);
        let bytes = bytes.map_err(|error| Wrong::new(end..filter, error.to_string()))?;
        if let Some(at) = bytes.iter().position(|byte| *byte != 0) {
            let at = end + at as u64;
            let what = "the bytes between the data blocks and the filter must be zeros, and this one is not. No \
                        checksum covers it, and no reader uses it";
            return Err(Wrong::new(at..at + 1, what));
        }
        self.listen("zeros, so that the filter begins at a multiple of 64", end);
        Notes::new(&bytes, end, self.listener).field(bytes.len(), "");
        Ok(())
    }

    fn filter(&mut self, handle: Handle) -> Result<(), Wrong> {
        part(self.file, handle)?;
        let (stored, bytes) = self.stored(handle)?;
        if super::filter::Filter::new(bytes.slice(0..handle.length as usize)).is_none() {
            return Err(Wrong::new(stored, "the filter is of an unknown kind"));
        }
        let lines = handle.length as usize / LINE_BYTES;
        self.listen(
            "filter: says which user keys are surely not here",
            handle.offset,
        );
        let mut notes = Notes::new(&bytes, handle.offset, self.listener);
        for line in 0..lines.min(self.options.limit) {
            let start = line * LINE_BYTES;
            let set: u32 = bytes[start..start + LINE_BYTES]
                .iter()
                .map(|byte| byte.count_ones())
                .sum();
            notes.field(LINE_BYTES, format!("line {line}: {set} of 512 bits set"));
        }
        let shown = notes.done();
        let more = lines - shown / LINE_BYTES;
        notes.field_to(lines * LINE_BYTES, count(more as u64, "more line"));
        let probes = bytes[notes.done()];
        notes.field(1, format!("{} a key", count(probes.into(), "probe")));
        trailer(&mut notes);
        Ok(())
    }

    fn properties(&mut self, handle: Handle) -> Result<(), Wrong> {
        let contents = part(self.file, handle)?;
        let (stored, bytes) = self.stored(handle)?;
        self.listen(
            "properties: what the table says about itself",
            handle.offset,
        );
        let mut notes = Notes::new(&bytes, handle.offset, self.listener);
        let decoded = Properties::decode_each(&contents, |at, tag, field| {
            let header = varint::len(field.len() as u64);
            let (name, meaning) = Properties::describe(tag, field);
            debug_assert_eq!(at, notes.done());
            notes.field(1, format!("tag {tag}: {name}"));
            notes.field(header, format!("length {}", field.len()));
            notes.field(field.len(), meaning);
        });
        decoded.map_err(|(at, what)| Wrong::new(handle.offset + at as u64..stored.end, what))?;
        trailer(&mut notes);
        Ok(())
    }

    fn footer(&mut self, footer: &Footer, at: u64) -> Result<(), Wrong> {
        let bytes = self.file.read_at(at, FOOTER_BYTES);
        let bytes =
            bytes.map_err(|error| Wrong::new(at..at + FOOTER_BYTES as u64, error.to_string()))?;
        self.listen("footer: what this file is, and where its parts are", at);
        let mut notes = Notes::new(&bytes, at, self.listener);
        for (len, meaning) in footer.describe(&bytes) {
            notes.field(len, meaning);
        }
        Ok(())
    }
}

fn trailer(notes: &mut Notes<'_, '_>) {
    notes.field(1, "compression");
    notes.field(
        4,
        "checksum of the place, the contents and the compression: right",
    );
}

/// Explains the contents of a block. An error is the offset in the contents, and what is wrong there.
fn entries(
    contents: &[u8],
    notes: &mut Notes<'_, '_>,
    values: Values,
    limit: usize,
) -> Result<(), (usize, String)> {
    let view = BlockView::new(contents).map_err(|damage| (damage.at, damage.what.to_owned()))?;
    let mut key = Vec::new();
    let (mut at, mut entries) = (0, 0);
    while at < view.entries_end() {
        let entry = view
            .entry(at)
            .map_err(|damage| (damage.at, damage.what.to_owned()))?;
        let before = key.len().saturating_sub(TRAILER_BYTES);
        if entry.shared > before {
            let what = format!(
                "an entry shares {} of its predecessor's user key, which has {before}",
                count(entry.shared as u64, "byte")
            );
            return Err((at, what));
        }
        key.truncate(entry.shared);
        key.extend_from_slice(view.bytes(&entry.tail));
        key.extend_from_slice(&entry.trailer());
        if entries < limit {
            let value = view.bytes(&entry.value);
            let described = describe_entry(&key, value, values).map_err(|what| (at, what))?;
            note_entry(notes, &entry, described);
        }
        entries += 1;
        at = entry.end();
    }
    let more = entries.saturating_sub(limit);
    notes.field_to(view.entries_end(), count(more as u64, "more entry"));
    frame(contents, &view, notes, limit)
}

/// Explains what follows the entries of a block.
fn frame(
    contents: &[u8],
    view: &BlockView<'_>,
    notes: &mut Notes<'_, '_>,
    limit: usize,
) -> Result<(), (usize, String)> {
    let first_restart = view.restarts_at();
    let shown = view.restarts().min(limit);
    let left = (view.restarts() - shown) as u64;
    if view.skip().is_some() {
        for restart in 0..shown {
            let head = contents[notes.done()..notes.done() + 8].escape_ascii();
            notes.field(8, format!("head of restart {restart}: \"{head}\""));
        }
        notes.field_to(first_restart, count(left, "more head"));
    }
    for restart in 0..view.restarts() {
        view.restart_entry(restart)
            .map_err(|damage| (first_restart + 4 * restart, damage.what.to_owned()))?;
        if restart < limit {
            notes.field(
                4,
                format!(
                    "restart {restart}: the entry at {}",
                    view.restart_offset(restart)
                ),
            );
        }
    }
    notes.field_to(contents.len() - 8, count(left, "more restart"));
    notes.field(
        4,
        match view.skip() {
            Some(skip) => format!(
                "heads begin after the {} that all keys here share",
                count(skip as u64, "byte")
            ),
            None => "there are no heads".to_owned(),
        },
    );
    notes.field(4, format!("restarts: {}", view.restarts()));
    Ok(())
}

fn note_entry(notes: &mut Notes<'_, '_>, entry: &Entry, (key, value): (String, String)) {
    let lengths = [entry.shared, entry.tail.len(), entry.value.len()];
    let names = ["shared with the key before", "of key to follow", "of value"];
    for (length, name) in lengths.into_iter().zip(names) {
        let bytes = count(length as u64, "byte");
        notes.field(varint::len(length as u64), format!("{bytes} {name}"));
    }
    let version = entry.version.number();
    notes.field(varint::len(version), format!("version {version}: {key}"));
    debug_assert_eq!(notes.done(), entry.tail.start);
    if !entry.tail.is_empty() {
        notes.field(entry.tail.len(), "key");
    }
    if !entry.value.is_empty() {
        notes.field(entry.value.len(), value);
    }
}

/// Describes a key and its value in words.
fn describe_entry(key: &[u8], value: &[u8], values: Values) -> Result<(String, String), String> {
    match values {
        Values::Users => {
            internal_key::parse(key)?;
            Ok((internal_key::describe(key), "value".to_owned()))
        }
        Values::Handles => {
            let handle = Handle::from_varints(value).ok_or("an index entry holds no handle")?;
            let value = format!(
                "the data block of {} at {}",
                count(handle.length, "byte"),
                handle.offset
            );
            Ok((internal_key::describe(key), value))
        }
    }
}
