//! `lsm dump`: what a file says, without its bytes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::batch::BatchView;
use engine::comparator::NumericSuffix;
use engine::inspect::{self, FileName};
use engine::internal_key::{self, ValueKind};
use engine::log::{LogEnd, LogReader, RecoveryMode};
use engine::sstable::Table;
use engine::version::VersionEdit;
use engine::vfs::{StdVfs, Vfs};
use engine::{Comparator, Error};
use serde_json::{Value, json};

use crate::args::{DumpArgs, Keys};
use crate::{FINE, Failure, Outcome, file_name, style};

pub(crate) fn run(args: &DumpArgs, out: &mut dyn Write) -> Outcome {
    let mut dump = Dump { args, out };
    for path in files(&args.path)? {
        dump.file(&path)?;
    }
    Ok(FINE)
}

/// The file itself, or the engine's files in a directory.
fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let names = StdVfs.list(path)?;
    let known = |name: &std::ffi::OsString| {
        FileName::parse(name)
            .is_some_and(|file| file != FileName::Lock && file != FileName::CurrentTemporary)
    };
    let files: Vec<PathBuf> = names
        .into_iter()
        .filter(known)
        .map(|name| path.join(name))
        .collect();
    if files.is_empty() {
        return Err(Failure::Engine(Error::NotADatabase {
            path: path.to_path_buf(),
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
    fn file(&mut self, path: &Path) -> Result<(), Failure> {
        match inspect::kind_of(&StdVfs, path)? {
            FileName::Table(_) => self.table(path),
            FileName::Log(number) => self.log(path, number, "write-ahead log", Dump::batch),
            FileName::Manifest(number) => self.log(path, number, "manifest", Dump::edit),
            FileName::Current | FileName::CurrentTemporary => {
                let contents = StdVfs.read(path)?;
                let named = String::from_utf8_lossy(&contents).trim_end().to_owned();
                self.heading(
                    path,
                    &format!("the manifest in force is {named}"),
                    &json!({"current": named}),
                )
            }
            FileName::Lock => self.heading(
                path,
                "the lock file, which holds nothing",
                &json!({"lock": true}),
            ),
        }
    }

    fn heading(&mut self, path: &Path, what: &str, value: &Value) -> Result<(), Failure> {
        let name = file_name(path);
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
            properties.comparator,
            style::count(properties.entries, "entry"),
        );
        let fields = json!({
            "family": properties.family, "family_name": properties.family_name,
            "comparator": properties.comparator, "entries": properties.entries,
        });
        self.heading(path, &what, &fields)?;
        // A walk from the first entry to the last compares no keys, so under a name that is not known any order will do.
        let order = Comparator::built_in(&properties.comparator)
            .unwrap_or_else(|| Comparator::custom(Named(properties.comparator.clone())));
        let table = Arc::new(Table::open(file, order)?);
        let mut cursor = table.cursor();
        engine::cursor::InternalCursor::seek_to_first(&mut cursor)?;
        let mut shown = 0;
        while engine::cursor::InternalCursor::valid(&cursor) && shown < self.args.limit {
            let key = engine::cursor::InternalCursor::key(&cursor);
            let value = engine::cursor::InternalCursor::value(&cursor);
            self.entry(path, key, value)?;
            shown += 1;
            engine::cursor::InternalCursor::next(&mut cursor)?;
        }
        self.more(properties.entries.saturating_sub(shown as u64))
    }

    fn entry(&mut self, path: &Path, key: &[u8], value: &[u8]) -> Result<(), Failure> {
        let parsed = internal_key::parse(key).map_err(|what| Error::corruption(path, 0, what))?;
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
            _ => format!(" = {}", self.bytes(value)),
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
        if let Some(LogEnd::Torn { at }) = reader.end()
            && !self.args.json
        {
            let text = format!("the record at byte {at} is torn, and left out at opening");
            writeln!(self.out, "{}", style::note(&text))?;
        }
        Ok(())
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
        for (sequence, record) in (batch.sequence..).zip(batch.records()) {
            let record = record.map_err(wrong)?;
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
                family.id.0, family.name, family.comparator
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

/// Bears the name of an order that is not known here, so that a table opens to be walked.
struct Named(String);

impl engine::Compare for Named {
    fn name(&self) -> &str {
        &self.0
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        NumericSuffix.compare(a, b)
    }
}
