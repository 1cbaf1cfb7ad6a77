//! A position in a table that moves both ways: a place in the index, and a cursor over the data block there.
//!
//! A seek waits for memory three times: for the index entry, for the end of the data block, where its heads
//! are, and for the entries. So it is cut into three steps, each of which prefetches what the next one
//! reads. A merge takes each step for all its tables before the next, so that the waits overlap.

use super::block::{Block, BlockCursor, Damage};
use super::index::DataBlock;
use super::read_ahead::ReadAhead;
use super::table::Table;
use crate::cursor::{Direction, InternalCursor, RowRun};
use crate::disk_waits;
use crate::error::{Error, Result};
use crate::vfs::FileSlice;
use std::sync::Arc;

/// This many blocks are prefetched before the cursor reaches them. The processor predicts steps
/// within a block, but not the step from one block to the next.
const BLOCKS_AHEAD: usize = 2;

/// A position in a table. Keeps the table open. Holds one data block and reuses its buffers for the next.
///
/// Invariant: when the cursor is valid, `index` is the block that `data` walks.
#[derive(Debug)]
pub struct TableCursor {
    table: Arc<Table>,
    /// The cursor's place in the index; `None` before the first block and after the last.
    index: Option<DataBlock>,
    data: BlockCursor,
    /// The block that `data` holds.
    loaded: Option<DataBlock>,
    ahead: ReadAhead,
    /// Reused by searches of the index under an order other than bytewise.
    index_key: Vec<u8>,
}

impl TableCursor {
    pub(super) fn new(table: Arc<Table>) -> TableCursor {
        TableCursor {
            table,
            index: None,
            data: BlockCursor::new(Block::empty()),
            loaded: None,
            ahead: ReadAhead::default(),
            index_key: Vec::new(),
        }
    }

    /// This cursor will go through the whole table: if the table is on the disk, it is asked for in large pieces from the start.
    #[must_use]
    pub fn through_all(mut self) -> TableCursor {
        self.ahead = ReadAhead::through_all();
        self
    }

    /// The value under the cursor. It stays valid for as long as it is held.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    pub fn pinned_value(&self) -> FileSlice {
        self.data.block().contents().slice(self.data.value_range())
    }

    /// Whether the current entry is a put that a reader of `sequence` sees, and no newer version of
    /// its key comes before it. Also `false` if this cannot be known without reading another block.
    ///
    /// # Errors
    /// `Corruption` from the block.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    #[inline]
    pub fn is_newest_row(&mut self, sequence: u64) -> Result<bool> {
        let is_row = self.data.is_newest_row(sequence);
        is_row.map_err(|damage| self.data_damaged(&damage))
    }

    /// The first step of a seek: finds the block that holds the first key >= `target`. Until the
    /// last step the cursor is nowhere.
    ///
    /// # Errors
    /// `Corruption` from the index.
    pub fn approach(&mut self, target: &[u8]) -> Result<()> {
        self.data.leave();
        self.index = None;
        let index = self.table.index();
        let found = index.find(self.table.comparator(), target, &mut self.index_key);
        self.index = found.map_err(|damage| self.table.index_damaged(&damage))?;
        if let Some(block) = self.index {
            self.table.fetch(block);
        }
        Ok(())
    }

    /// The second step: loads the block, and finds where in it to begin.
    ///
    /// # Errors
    /// `Corruption` or `Io` from the block.
    pub fn narrow(&mut self, target: &[u8], direction: Direction) -> Result<()> {
        if self.load()? {
            let comparator = self.table.comparator();
            self.data.prefetch(comparator, target, direction);
            for distance in 1..=BLOCKS_AHEAD {
                self.prefetch_block(distance, direction);
            }
        }
        Ok(())
    }

    /// The last step: moves to the entry that [`seek`](InternalCursor::seek) or
    /// [`seek_for_prev`](InternalCursor::seek_for_prev) promises.
    ///
    /// # Errors
    /// As for [`narrow`](Self::narrow).
    pub fn arrive(&mut self, target: &[u8], direction: Direction) -> Result<()> {
        let comparator = self.table.comparator();
        match (self.index, direction) {
            (None, Direction::Forward) => Ok(()),
            // Every block ends before the target, so its predecessor is the last entry.
            (None, Direction::Backward) => self.seek_to_last(),
            (Some(_), Direction::Forward) => {
                let found = self.data.seek(comparator, target);
                found.map_err(|damage| self.data_damaged(&damage))?;
                self.skip_forward()
            }
            (Some(_), Direction::Backward) => {
                let found = self.data.seek_for_prev(comparator, target);
                found.map_err(|damage| self.data_damaged(&damage))?;
                self.skip_backward()
            }
        }
    }

    fn seek_towards(&mut self, target: &[u8], direction: Direction) -> Result<()> {
        self.approach(target)?;
        self.narrow(target, direction)?;
        self.arrive(target, direction)
    }

    /// Passes the rows that follow in this block to `visit`, within the bounds of `rows`, until
    /// `visit` returns `false`. Afterwards the cursor is at the last row that was passed, or where
    /// it was if there was none. Returns what `visit` returned last.
    #[inline]
    pub fn run(&mut self, rows: &RowRun<'_>, visit: impl FnMut(&[u8], &[u8]) -> bool) -> bool {
        self.data.run(rows, visit)
    }

    /// Moves back if the entry there is in memory and is [the newest row](Self::is_newest_row) of
    /// its key. Returns whether it did.
    #[inline]
    pub fn prev_row(&mut self, sequence: u64) -> bool {
        self.data.prev_row(sequence)
    }

    /// Moves to the block of this number and loads it, without moving to an entry. Returns `false`
    /// if there is no such block.
    fn move_to_block(&mut self, number: Option<usize>, direction: Direction) -> Result<bool> {
        self.data.leave();
        self.index = None;
        let Some(number) = number else {
            return Ok(false);
        };
        let block = self.table.index().block_at(number);
        self.index = block.map_err(|damage| self.table.index_damaged(&damage))?;
        // One that reads ahead does not wait any more, and goes on until it asks for what is in memory already.
        if self.ahead.goes_on(number) || self.table.waits_for_disk() {
            self.read_ahead(number, direction);
        } else {
            self.prefetch_block(BLOCKS_AHEAD, direction);
        }
        self.load()
    }

    /// Prefetches the block that is `distance` blocks ahead. If its index entry is damaged, the
    /// error is reported when the cursor gets there.
    fn prefetch_block(&self, distance: usize, direction: Direction) {
        let number = self.index.and_then(|block| match direction {
            Direction::Forward => block.number.checked_add(distance),
            Direction::Backward => block.number.checked_sub(distance),
        });
        if let Some(number) = number
            && let Ok(Some(block)) = self.table.index().block_at(number)
        {
            self.table.prefetch_start(block);
            self.table.prefetch_end(block);
        }
    }

    /// Asks the system for blocks ahead. An index entry that is damaged is reported when the cursor gets there.
    fn read_ahead(&mut self, at: usize, direction: Direction) {
        let index = self.table.index();
        let most = self.table.blocks_in(self.ahead.bytes());
        let asked = self.ahead.arrive(at, direction, index.blocks(), most);
        if !asked.is_empty()
            && let (Ok(Some(first)), Ok(Some(last))) =
                (index.block_at(asked.start), index.block_at(asked.end - 1))
            && !disk_waits::reads_during(|| self.table.ask_for(first, last))
        {
            self.ahead.found_all_in_memory();
        }
    }

    /// Loads the data block that the cursor has reached. Returns `false` if there is none.
    fn load(&mut self) -> Result<bool> {
        let Some(block) = self.index else {
            return Ok(false);
        };
        if self.loaded != Some(block) {
            self.loaded = None;
            self.data.set_block(self.table.load_block(block)?);
            self.loaded = Some(block);
        }
        Ok(true)
    }

    fn move_data(
        &mut self,
        step: impl FnOnce(&mut BlockCursor) -> Result<(), Damage>,
    ) -> Result<()> {
        step(&mut self.data).map_err(|damage| self.data_damaged(&damage))
    }

    fn data_damaged(&self, damage: &Damage) -> Error {
        let block = self.loaded.expect("entries come from a block");
        self.table.damaged(block.handle, damage)
    }

    /// Moves to the next block that has entries, if this one is used up.
    fn skip_forward(&mut self) -> Result<()> {
        while let Some(block) = self.used_up() {
            if self.move_to_block(block.number.checked_add(1), Direction::Forward)? {
                self.move_data(BlockCursor::seek_to_first)?;
            }
        }
        Ok(())
    }

    /// Moves back to the previous block that has entries, if this one is used up.
    fn skip_backward(&mut self) -> Result<()> {
        while let Some(block) = self.used_up() {
            if self.move_to_block(block.number.checked_sub(1), Direction::Backward)? {
                self.move_data(BlockCursor::seek_to_last)?;
            }
        }
        Ok(())
    }

    /// The block that the cursor has reached, if the cursor is at none of its entries.
    fn used_up(&self) -> Option<DataBlock> {
        self.index.filter(|_| !self.data.valid())
    }
}

impl InternalCursor for TableCursor {
    #[inline]
    fn valid(&self) -> bool {
        self.data.valid()
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.data.key()
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.data.value()
    }

    fn corruption(&self, what: String) -> Error {
        let offset = self.loaded.map_or(0, |block| block.handle.offset);
        self.table.corruption(offset, what)
    }

    fn seek_to_first(&mut self) -> Result<()> {
        if self.move_to_block(Some(0), Direction::Forward)? {
            self.move_data(BlockCursor::seek_to_first)?;
        }
        self.skip_forward()
    }

    fn seek_to_last(&mut self) -> Result<()> {
        let last = self.table.index().blocks().checked_sub(1);
        if self.move_to_block(last, Direction::Backward)? {
            self.move_data(BlockCursor::seek_to_last)?;
        }
        self.skip_backward()
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.seek_towards(target, Direction::Forward)
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.seek_towards(target, Direction::Backward)
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        self.move_data(BlockCursor::next)?;
        if self.data.valid() {
            Ok(())
        } else {
            self.skip_forward()
        }
    }

    #[inline]
    fn prev(&mut self) -> Result<()> {
        self.move_data(BlockCursor::prev)?;
        if self.data.valid() {
            Ok(())
        } else {
            self.skip_backward()
        }
    }
}
