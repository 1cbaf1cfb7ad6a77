//! `lsm dump`: what a file says, without its bytes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::batch::BatchView;
use engine::cursor::InternalCursor;
use engine::inspect::{self, FileKind, FileName};
use engine::internal_key::{self, ParsedKey, ValueKind};
use engine::log::{LogEnd, LogReader, RecoveryMode};
use engine::range_tombstone::Fragment;
use engine::sstable::Table;
use engine::version::VersionEdit;
use engine::vfs::{StdVfs, Vfs};
use engine::{Error, Options, overview};
use serde_json::{Value, json};

use crate::args::{DumpArgs, Keys};
use crate::{DAMAGED, FINE, Failure, Outcome, file_name, shown_name, style, told};

pub(crate) fn run(args: &DumpArgs, out: &mut dyn Write) -> Outcome {
    let mut dump = Dump { args, out };
    match args.path.is_dir() {
        true => dump.directory(&args.path),
        false => dump.file(&args.path).map(|()| FINE),
    }
}

/// The engine's files in a directory.
fn files(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let names = StdVfs.list(dir)?;
    let known = |name: &std::ffi::OsString| {
        FileName::parse(name)
            .is_some_and(|file| file != FileName::Lock && file != FileName::CurrentTemporary)
    };
    let files: Vec<PathBuf> = names
        .into_iter()
        .filter(known)
        .map(|name| dir.join(name))
        .collect();
    if files.is_empty() {
        return Err(Failure::Engine(Error::NotADatabase {
            path: dir.to_path_buf(),
            found: "it holds no file of the engine".to_owned(),
        }));
    }
    Ok(files)
}

struct Dump<'d> {
    args: &'d DumpArgs,
    out: &'d mut dyn Write,
}

impl Dump<'_> {
    fn directory(&mut self, dir: &Path) -> Outcome {
        let (files, current) = (files(dir)?, dir.join("CURRENT"));
        let has_current = files.contains(&current);
        if has_current
            && let Err(error @ Error::NotADatabase { .. }) = overview(dir, &Options::default())
        {
            return Err(Failure::Engine(error));
        }
        let mut code = FINE;
        let written = self.files(files, &mut code);
        let written = written.and_then(|()| {
            if has_current {
                return Ok(());
            }
            code = DAMAGED;
            let what = "CURRENT: it is missing here. Of a database that is damage, and `lsm verify` says more";
            self.damaged(&current, what)
        });
        told(code, written)
    }

    /// Dumps one file after another. If one is damaged, `code` says so from then on.
    fn files(&mut self, files: Vec<PathBuf>, code: &mut u8) -> Result<(), Failure> {
        for path in files {
            match self.file(&path) {
                // The other files may be intact.
                Err(Failure::Engine(
                    error @ (Error::Corruption { .. } | Error::UnknownFile { .. }),
                )) => {
                    *code = DAMAGED;
                    self.damaged(&path, &error.to_string())?;
                }
                dumped => dumped?,
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) -> Result<(), Failure> {
        let kind = inspect::kind_of(&StdVfs, path)?;
        if kind != FileKind::Table
            && let Some(what) = inspect::mistaken(kind, &StdVfs.read(path)?)
        {
            return Err(Failure::Engine(Error::corruption(path, 0, what)));
        }
        match kind {
            FileKind::Table => self.table(path),
            FileKind::Log { number } => {
                self.log(path, kind, number, "write-ahead log", Dump::batch)
            }
            FileKind::Manifest { number } => self.log(path, kind, number, "manifest", Dump::edit),
            FileKind::Current | FileKind::CurrentTemporary => {
                let contents = StdVfs.read(path)?;
                if kind == FileKind::Current
                    && let Some(what) = inspect::dangling(&StdVfs, path, &contents)
                {
                    return Err(Failure::Engine(Error::corruption(path, 0, what)));
                }
                let named = String::from_utf8_lossy(&contents).trim_end().to_owned();
                let shown = style::name(&named);
                self.heading(
                    path,
                    &format!("the manifest in force is {shown}"),
                    &json!({"current": named}),
                )
            }
            FileKind::Lock => self.heading(
                path,
                "the lock file, which holds nothing",
                &json!({"lock": true}),
            ),
        }
    }

    fn heading(&mut self, path: &Path, what: &str, value: &Value) -> Result<(), Failure> {
        let name = shown_name(path);
        match self.args.json {
            true => self.json(path, value),
            false => Ok(writeln!(
                self.out,
                "{} {what}",
                style::title(&format!("{name}:"))
            )?),
        }
    }

    fn json(&mut self, path: &Path, value: &Value) -> Result<(), Failure> {
        let mut object = json!({ "file": file_name(path) });
        if let (Some(object), Some(fields)) = (object.as_object_mut(), value.as_object()) {
            object.extend(fields.clone());
        }
        Ok(writeln!(self.out, "{object}")?)
    }

    fn damaged(&mut self, path: &Path, text: &str) -> Result<(), Failure> {
        match self.args.json {
            true => self.json(path, &json!({ "error": text })),
            false => Ok(writeln!(self.out, "{}", style::wrong(text))?),
        }
    }

    fn bytes(&self, bytes: &[u8]) -> String {
        style::bytes(bytes, self.args.keys)
    }

    fn json_bytes(&self, bytes: &[u8]) -> Value {
        match (self.args.keys, std::str::from_utf8(bytes)) {
            (Keys::Auto, Ok(text)) => json!(text),
            (Keys::Text, _) => json!(bytes.escape_ascii().to_string()),
            (Keys::Auto | Keys::Hex, _) => json!(style::hex(bytes)),
        }
    }

    fn table(&mut self, path: &Path) -> Result<(), Failure> {
        let file = StdVfs.open_random(path)?;
        let properties = inspect::read_properties(&*file)?;
        let what = format!(
            "table of family {} {:?} in {} order, {}",
            properties.family,
            properties.family_name,
            style::name(&properties.comparator),
            match properties.range_deletes {
                0 => style::count(properties.entries, "entry"),
                ranges => format!(
                    "{} and {}",
                    style::count(properties.entries, "entry"),
                    style::count(ranges, "range tombstone")
                ),
            },
        );
        let fields = json!({
            "family": properties.family, "family_name": properties.family_name,
            "comparator": properties.comparator, "entries": properties.entries,
        });
        self.heading(path, &what, &fields)?;
        let table = Arc::new(Table::open_to_walk(Arc::clone(&file))?);
        let mut cursor = table.cursor();
        cursor.seek_to_first()?;
        let mut shown = 0;
        while cursor.valid() && shown < self.args.limit {
            let entry = internal_key::parse(cursor.key());
            let entry = entry.map_err(|what| Error::corruption(path, 0, what))?;
            self.entry(path, entry, cursor.value())?;
            shown += 1;
            cursor.next()?;
        }
        self.more(properties.entries.saturating_sub(shown as u64))?;
        self.range_tombstones(path, &inspect::read_range_tombstones(&*file)?)
    }

    fn range_tombstones(&mut self, path: &Path, fragments: &[Fragment]) -> Result<(), Failure> {
        let tombstones = fragments.iter().flat_map(|fragment| {
            let newest_first = fragment.sequences.iter().rev();
            newest_first.map(move |sequence| (fragment, *sequence))
        });
        let count = tombstones.clone().count();
        for (fragment, sequence) in tombstones.take(self.args.limit) {
            let start = ParsedKey {
                user_key: &fragment.start,
                sequence,
                kind: ValueKind::RangeDelete,
            };
            self.entry(path, start, &fragment.end)?;
        }
        self.more(count.saturating_sub(self.args.limit) as u64)
    }

    fn entry(&mut self, path: &Path, parsed: ParsedKey<'_>, value: &[u8]) -> Result<(), Failure> {
        let (kind, sequence) = (kind_name(parsed.kind), parsed.sequence);
        if self.args.json {
            let key = self.json_bytes(parsed.user_key);
            let value = self.json_bytes(value);
            return self.json(
                path,
                &json!({"sequence": sequence, "kind": kind, "key": key, "value": value}),
            );
        }
        let key = self.bytes(parsed.user_key);
        let value = match parsed.kind {
            ValueKind::Delete => String::new(),
            ValueKind::Put => format!(" = {}", self.bytes(value)),
            ValueKind::RangeDelete => format!(" up to {}", self.bytes(value)),
        };
        writeln!(
            self.out,
            "{} {kind:6} {key}{value}",
            style::dim(&format!("{sequence:>9}"))
        )?;
        Ok(())
    }

    fn more(&mut self, left: u64) -> Result<(), Failure> {
        if left > 0 && !self.args.json {
            writeln!(
                self.out,
                "{}",
                style::dim(&format!("          and {left} more"))
            )?;
        }
        Ok(())
    }

    fn log(
        &mut self,
        path: &Path,
        kind: FileKind,
        number: u64,
        name: &str,
        record: fn(&mut Self, &Path, &[u8], u64) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let contents = StdVfs.read(path)?;
        self.heading(path, name, &json!({"kind": name, "bytes": contents.len()}))?;
        let mut reader = LogReader::new(&contents, path, number, RecoveryMode::PointInTime);
        let mut records = 0;
        while let Some(bytes) = reader.next_record()? {
            let bytes = bytes.to_vec();
            if records < self.args.limit {
                record(self, path, &bytes, reader.record_at())?;
            }
            records += 1;
        }
        self.more(records.saturating_sub(self.args.limit) as u64)?;
        let torn = match reader.end() {
            Some(LogEnd::Torn { at }) => Some(at),
            _ => None,
        };
        match inspect::blank(&StdVfs, path, kind, &contents) {
            Some(blank) if blank.is_damage => {
                Err(Failure::Engine(Error::corruption(path, 0, blank.what)))
            }
            Some(blank) => self.note(path, &blank.what),
            None => torn.map_or(Ok(()), |at| {
                let text = format!("the record at byte {at} is torn, and left out at opening");
                self.note(path, &text)
            }),
        }
    }

    fn note(&mut self, path: &Path, text: &str) -> Result<(), Failure> {
        match self.args.json {
            true => self.json(path, &json!({ "note": text })),
            false => Ok(writeln!(self.out, "{}", style::note(text))?),
        }
    }

    fn batch(&mut self, path: &Path, bytes: &[u8], at: u64) -> Result<(), Failure> {
        let wrong = |what: String| Error::corruption(path, at, what);
        let batch = BatchView::decode(bytes).map_err(wrong)?;
        if !self.args.json {
            let text = format!(
                "batch at byte {at}, {}",
                style::count(u64::from(batch.count), "record")
            );
            writeln!(self.out, "  {}", style::title(&text))?;
        }
        for (at_record, record) in (0..).zip(batch.records()) {
            let record = record.map_err(wrong)?;
            // A damaged batch may begin with any number.
            let sequence = batch.sequence.saturating_add(at_record);
            let (kind, family) = (kind_name(record.kind), record.family.0);
            if self.args.json {
                let (key, value) = (self.json_bytes(record.key), self.json_bytes(record.value));
                let fields = json!({
                    "at": at, "sequence": sequence, "kind": kind, "family": family, "key": key, "value": value,
                });
                self.json(path, &fields)?;
                continue;
            }
            let value = match record.kind {
                ValueKind::Delete => String::new(),
                ValueKind::Put => format!(" = {}", self.bytes(record.value)),
                ValueKind::RangeDelete => format!(" up to {}", self.bytes(record.value)),
            };
            let key = self.bytes(record.key);
            writeln!(
                self.out,
                "{} {kind:6} {} {key}{value}",
                style::dim(&format!("{sequence:>9}")),
                style::dim(&format!("family {family}")),
            )?;
        }
        Ok(())
    }

    fn edit(&mut self, path: &Path, bytes: &[u8], at: u64) -> Result<(), Failure> {
        let edit = VersionEdit::decode(bytes).map_err(|what| Error::corruption(path, at, what))?;
        let lines = self.edit_lines(&edit);
        if self.args.json {
            return self.json(path, &json!({"at": at, "edit": lines}));
        }
        writeln!(
            self.out,
            "  {}",
            style::title(&format!("edit at byte {at}"))
        )?;
        for line in lines {
            writeln!(self.out, "    {line}")?;
        }
        Ok(())
    }

    fn edit_lines(&self, edit: &VersionEdit) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(edit.format.map(|format| format!("format {format}")));
        for family in &edit.families_added {
            lines.push(format!(
                "+ family {} {:?} in {} order",
                family.id.0,
                family.name,
                style::name(&family.comparator)
            ));
        }
        lines.extend(
            edit.families_dropped
                .iter()
                .map(|id| format!("- family {}", id.0)),
        );
        let counters = [
            ("next file", edit.next_file),
            ("oldest log", edit.oldest_log),
            ("last sequence in tables", edit.last_sequence),
            ("last durable sequence", edit.durable_sequence),
            ("next family", edit.next_family.map(u64::from)),
        ];
        for (name, number) in counters {
            lines.extend(number.map(|number| format!("{name} {number}")));
        }
        for (family, level, number) in &edit.files_removed {
            lines.push(format!(
                "- table {number} from level {level} of family {}",
                family.0
            ));
        }
        for (family, level, file) in &edit.files_added {
            lines.push(format!(
                "+ table {} to level {level} of family {}: {}, {}, {} to {}",
                file.number,
                family.0,
                style::size(file.bytes),
                style::count(file.entries, "entry"),
                self.bytes(internal_key::user_key(&file.smallest)),
                self.bytes(internal_key::user_key(&file.largest)),
            ));
        }
        lines
    }
}

fn kind_name(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Put => "put",
        ValueKind::Delete => "delete",
        ValueKind::RangeDelete => "delete range",
    }
}
