//! The set of families: listed from the files, and changed while the database is open.
//!
//! Creating and dropping hold the lead of the writers, so no batch is being written to a family that is created
//! or dropped. A flush or compaction of a dropped family may still be running: `install` ignores its result.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::batch::FamilyId;
use crate::db::DEFAULT_FAMILY;
use crate::db::core::Core;
use crate::db::events::Event;
use crate::db::family::{FamilyCore, View};
use crate::db::options::{FamilyOptions, check_family_name};
use crate::error::{Error, Result};
use crate::version::{FamilyRecord, VersionEdit, read_in_force, read_manifest};
use crate::vfs::Vfs;

/// A family as the files of a database list it, whether it is open or not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedFamily {
    /// Its name.
    pub name: String,
    /// The name of its comparator.
    pub comparator: String,
}

/// The families of the database in `dir`, in the order of their creation. See
/// [`Db::list_families`](super::Db::list_families).
pub(super) fn list_families(dir: &Path, vfs: &dyn Vfs) -> Result<Vec<ListedFamily>> {
    let (_, edits) = read_in_force(vfs, dir, |number| read_manifest(vfs, dir, number))?;
    // A family that is created later has a greater number.
    let mut families: BTreeMap<FamilyId, FamilyRecord> = BTreeMap::new();
    for (_, edit) in edits {
        families.extend(
            edit.families_added
                .into_iter()
                .map(|added| (added.id, added)),
        );
        for id in &edit.families_dropped {
            families.remove(id);
        }
    }
    let listed = families.into_values().map(|family| ListedFamily {
        name: family.name,
        comparator: family.comparator,
    });
    Ok(listed.collect())
}

impl Core {
    /// Creates a family while the database is open.
    pub(super) fn create_family(
        &self,
        name: &str,
        options: FamilyOptions,
    ) -> Result<Arc<FamilyCore>> {
        check_family_name(name)?;
        options.check(name)?;
        let mut writer = self.take_lead()?;
        let options = options.within(writer.memtables.total_bytes());
        let families = self.families.load_full();
        if families.iter().any(|family| family.name == name) {
            return Err(Error::invalid(format!(
                "there already is a column family {name:?}"
            )));
        }
        let next_family = self.manifest.lock().state.next_family;
        let id = FamilyId(next_family);
        let fresh = options.new_memtable(&options.comparator);
        let view = View {
            memtable: fresh.reader(),
            frozen: Vec::new(),
            version: Arc::default(),
        };
        let family = FamilyCore::new(id, name, options, view).asking(self.asks());
        let family = Arc::new(family);
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
        writer.memtables.add(id, fresh);
        self.note(|| Event::FamilyCreated {
            family: name.to_owned(),
        });
        drop(writer);
        self.deliver_events();
        Ok(family)
    }

    /// Drops a family and releases its files.
    pub(super) fn drop_family(&self, name: &str) -> Result<()> {
        if name == DEFAULT_FAMILY {
            return Err(Error::invalid(
                "the column family \"default\" cannot be dropped",
            ));
        }
        let mut writer = self.take_lead()?;
        let families = self.families.load_full();
        let family = families.iter().find(|family| family.name == name);
        let family =
            family.ok_or_else(|| Error::invalid(format!("there is no column family {name:?}")))?;
        let id = family.id;
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
        writer.memtables.remove(id);
        family.dropped.store(true, Ordering::Relaxed);
        self.note(|| Event::FamilyDropped {
            family: name.to_owned(),
        });
        drop(writer);
        self.deliver_events();
        Ok(())
    }
}
