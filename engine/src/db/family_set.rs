//! The set of families changes: one is created or dropped while the database is open.
//!
//! Both hold the lead of the writers, so no batch is on its way to a family that comes or goes. A flush or
//! compaction of a dropped family may be under way: `install` leaves out what it would record.

use std::sync::Arc;

use crate::batch::FamilyId;
use crate::db::DEFAULT_FAMILY;
use crate::db::core::Core;
use crate::db::family::{FamilyCore, View};
use crate::db::options::{FamilyOptions, check_family_name};
use crate::error::{Error, Result};
use crate::memtable::MemtableWriter;
use crate::version::{FamilyRecord, VersionEdit};

impl Core {
    /// Creates a family while the database is open.
    pub(super) fn create_family(
        &self,
        name: &str,
        options: FamilyOptions,
    ) -> Result<Arc<FamilyCore>> {
        check_family_name(name)?;
        options.check(name)?;
        let mut writer = self.writer.lock();
        self.check_writable()?;
        let families = self.families.load_full();
        if families.iter().any(|family| family.name == name) {
            return Err(Error::invalid(format!(
                "there already is a column family {name:?}"
            )));
        }
        let next_family = self.manifest.lock().state.next_family;
        let id = FamilyId(next_family);
        let fresh = MemtableWriter::new(options.comparator.clone(), options.write_buffer_bytes);
        let view = View {
            memtable: fresh.reader(),
            frozen: Vec::new(),
            version: Arc::default(),
        };
        let family = Arc::new(FamilyCore::new(id, name, options, view));
        let record = FamilyRecord {
            id,
            name: name.to_owned(),
            comparator: family.comparator().name().to_owned(),
        };
        let edit = VersionEdit {
            families_added: vec![record],
            next_family: Some(next_family + 1),
            ..VersionEdit::default()
        };
        self.install(edit, Some(&family), |_| {
            let all = families.iter().chain([&family]).cloned().collect();
            self.families.store(Arc::new(all));
        })?;
        writer.add_family(id, fresh);
        Ok(family)
    }

    /// Drops a family and lets its files go.
    pub(super) fn drop_family(&self, name: &str) -> Result<()> {
        if name == DEFAULT_FAMILY {
            return Err(Error::invalid(
                "the column family \"default\" cannot be dropped",
            ));
        }
        let mut writer = self.writer.lock();
        self.check_writable()?;
        let families = self.families.load_full();
        let family = families.iter().find(|family| family.name == name);
        let id = family
            .ok_or_else(|| Error::invalid(format!("there is no column family {name:?}")))?
            .id;
        let edit = VersionEdit {
            families_dropped: vec![id],
            ..VersionEdit::default()
        };
        self.install(edit, None, |_| {
            let rest = families
                .iter()
                .filter(|family| family.id != id)
                .cloned()
                .collect();
            self.families.store(Arc::new(rest));
        })?;
        writer.remove_family(id);
        Ok(())
    }
}
