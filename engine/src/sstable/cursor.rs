//! Walks a table both ways: one cursor over the index, one over the data block it stands on.

use super::block::{Block, BlockCursor, Damage};
use super::index::{DataBlock, IndexCursor};
use super::table::Table;
use crate::cursor::InternalCursor;
use crate::error::{Error, Result};
use crate::vfs::FileSlice;
use std::sync::Arc;

/// A position in a table. Keeps the table open; keeps one data block at hand and reuses its buffers.
///
/// Invariant: when the cursor is valid, the index stands on the block that `data` walks.
#[derive(Debug)]
pub struct TableCursor {
    table: Arc<Table>,
    index: IndexCursor,
    data: BlockCursor,
    /// The block that `data` walks.
    loaded: Option<DataBlock>,
}

impl TableCursor {
    pub(super) fn new(table: Arc<Table>, index: IndexCursor) -> TableCursor {
        TableCursor {
            table,
            index,
            data: BlockCursor::new(Block::empty()),
            loaded: None,
        }
    }

    /// The value under the cursor, held in place for as long as it is needed.
    ///
    /// # Panics
    /// If the cursor stands nowhere.
    pub fn pinned_value(&self) -> FileSlice {
        self.data.block().contents().slice(self.data.value_range())
    }

    /// Moves the index; after an error the cursor stands nowhere.
    fn move_index(
        &mut self,
        step: impl FnOnce(&mut BlockCursor) -> Result<(), Damage>,
    ) -> Result<()> {
        self.data.leave();
        step(self.index.entries()).map_err(|damage| self.table.index_damaged(&damage))
    }

    /// Moves the index to the block that holds the first key >= `target`.
    fn seek_index(&mut self, target: &[u8]) -> Result<()> {
        self.data.leave();
        let found = self.index.entries().seek(self.table.comparator(), target);
        found.map_err(|damage| self.table.index_damaged(&damage))
    }

    /// Takes the data block under the index cursor in hand. `false` if there is none.
    fn load(&mut self) -> Result<bool> {
        let block = self
            .index
            .current()
            .map_err(|damage| self.table.index_damaged(&damage))?;
        let Some(block) = block else {
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
        while !self.data.valid() {
            self.move_index(BlockCursor::next)?;
            if !self.load()? {
                return Ok(());
            }
            self.move_data(BlockCursor::seek_to_first)?;
        }
        Ok(())
    }

    /// Back to the previous block that has entries, if this one is used up.
    fn skip_backward(&mut self) -> Result<()> {
        while !self.data.valid() {
            self.move_index(BlockCursor::prev)?;
            if !self.load()? {
                return Ok(());
            }
            self.move_data(BlockCursor::seek_to_last)?;
        }
        Ok(())
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
        self.move_index(BlockCursor::seek_to_first)?;
        if !self.load()? {
            return Ok(());
        }
        self.move_data(BlockCursor::seek_to_first)?;
        self.skip_forward()
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.move_index(BlockCursor::seek_to_last)?;
        if !self.load()? {
            return Ok(());
        }
        self.move_data(BlockCursor::seek_to_last)?;
        self.skip_backward()
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.seek_index(target)?;
        if !self.load()? {
            return Ok(());
        }
        let found = self.data.seek(self.table.comparator(), target);
        found.map_err(|damage| self.data_damaged(&damage))?;
        self.skip_forward()
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.seek_index(target)?;
        if !self.load()? {
            // Every block ends before the target.
            return self.seek_to_last();
        }
        let found = self.data.seek_for_prev(self.table.comparator(), target);
        found.map_err(|damage| self.data_damaged(&damage))?;
        self.skip_backward()
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
