//! Walks a table both ways: a place in the index, and a cursor over the data block that stands there.
//!
//! A seek waits for memory three times: for the index entry, the end of the data block, where its heads are, and the
//! entries. So it is cut into three steps, each of which asks for the memory that the next one reads. A merge takes
//! each step for all its tables before the next, and the waits overlap.

use super::block::{Block, BlockCursor, Damage};
use super::index::DataBlock;
use super::table::Table;
use crate::cursor::{Direction, InternalCursor, RowRun};
use crate::error::{Error, Result};
use crate::vfs::FileSlice;
use std::sync::Arc;

/// The memory of so many blocks is asked for before the cursor comes to them. The processor foresees steps within a block;
/// from one block's end to the next one's it does not.
const BLOCKS_AHEAD: usize = 2;

/// A position in a table. Keeps the table open; keeps one data block at hand and reuses its buffers.
///
/// Invariant: when the cursor is valid, `index` is the block that `data` walks.
#[derive(Debug)]
pub struct TableCursor {
    table: Arc<Table>,
    /// Where the cursor stands in the index; `None` before the first block and after the last.
    index: Option<DataBlock>,
    data: BlockCursor,
    /// The block that `data` has in hand.
    loaded: Option<DataBlock>,
    /// Reused by searches of the index in an order that is not the bytewise.
    index_key: Vec<u8>,
}

impl TableCursor {
    pub(super) fn new(table: Arc<Table>) -> TableCursor {
        TableCursor {
            table,
            index: None,
            data: BlockCursor::new(Block::empty()),
            loaded: None,
            index_key: Vec::new(),
        }
    }

    /// The value under the cursor, held in place for as long as it is needed.
    ///
    /// # Panics
    /// If the cursor stands nowhere.
    pub fn pinned_value(&self) -> FileSlice {
        self.data.block().contents().slice(self.data.value_range())
    }

    /// Whether the current entry is a put that a reader of `sequence` sees, and no newer version of its key stands before it;
    /// `false` too if that is not known without a look at another block.
    ///
    /// # Errors
    /// `Corruption` from the block.
    ///
    /// # Panics
    /// If the cursor stands nowhere.
    #[inline]
    pub fn is_newest_row(&mut self, sequence: u64) -> Result<bool> {
        let is_row = self.data.is_newest_row(sequence);
        is_row.map_err(|damage| self.data_damaged(&damage))
    }

    /// The first step of a seek: finds the block that holds the first key >= `target`. The cursor stands nowhere meanwhile.
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
            self.table.prefetch_end(block);
        }
        Ok(())
    }

    /// The second step: takes the block in hand, and finds where in it to begin.
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

    /// The last step: stands on the entry that [`seek`](InternalCursor::seek) or
    /// [`seek_for_prev`](InternalCursor::seek_for_prev) promise.
    ///
    /// # Errors
    /// As for [`narrow`](Self::narrow).
    pub fn arrive(&mut self, target: &[u8], direction: Direction) -> Result<()> {
        let comparator = self.table.comparator();
        match (self.index, direction) {
            (None, Direction::Forward) => Ok(()),
            // Every block ends before the target.
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

    /// Shows the rows that follow in this block, as far as `rows` says, until `visit` answers `false`. Stands on the last one
    /// that was shown, or where it stood. Answers what `visit` said last.
    #[inline]
    pub fn run(&mut self, rows: &RowRun<'_>, visit: impl FnMut(&[u8], &[u8]) -> bool) -> bool {
        self.data.run(rows, visit)
    }

    /// Moves back if the entry there is at hand and [the newest row](Self::is_newest_row) of its key. Says whether it did.
    #[inline]
    pub fn prev_row(&mut self, sequence: u64) -> bool {
        self.data.prev_row(sequence)
    }

    /// Moves to the block of this number and takes it in hand. `false` if there is none. Stands on no entry.
    fn move_to_block(&mut self, number: Option<usize>, direction: Direction) -> Result<bool> {
        self.data.leave();
        self.index = None;
        let Some(number) = number else {
            return Ok(false);
        };
        let block = self.table.index().block_at(number);
        self.index = block.map_err(|damage| self.table.index_damaged(&damage))?;
        self.prefetch_block(BLOCKS_AHEAD, direction);
        self.load()
    }

    /// Asks for the memory of the block so many blocks on. What is wrong with its entry in the index will show when the
    /// cursor comes there.
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

    /// Takes the data block that the cursor came to in hand. `false` if there is none.
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

    /// On to the next block that has entries, if this one is used up.
    fn skip_forward(&mut self) -> Result<()> {
        while let Some(block) = self.used_up() {
            if self.move_to_block(block.number.checked_add(1), Direction::Forward)? {
                self.move_data(BlockCursor::seek_to_first)?;
            }
        }
        Ok(())
    }

    /// Back to the previous block that has entries, if this one is used up.
    fn skip_backward(&mut self) -> Result<()> {
        while let Some(block) = self.used_up() {
            if self.move_to_block(block.number.checked_sub(1), Direction::Backward)? {
                self.move_data(BlockCursor::seek_to_last)?;
            }
        }
        Ok(())
    }

    /// The block that the cursor has come to, if it stands on no entry of it.
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
