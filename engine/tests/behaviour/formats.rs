//! Claim: `docs/formats.md` is true. Here real files are taken apart by the rules of that page, field by field.
//!
//! This is a second reader, written from the page and not from the engine: it uses none of the code
//! that wrote the bytes. `UPDATE_OUTPUTS=1` rewrites the dumps in the page.

use engine::comparator::Comparator;
use engine::internal_key::{self, ValueKind};
use engine::log::{LogReader, LogWriter, RecoveryMode};
use engine::sstable::{TableBuilder, TableOptions};
use engine::vfs::{MemoryVfs, Vfs};
use engine::{Background, Db, FamilyOptions, Options, WriteBatch, WriteOptions};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Takes bytes off a file and writes a line for each field.
struct Dump<'a> {
    bytes: &'a [u8],
    at: usize,
    out: String,
}

const BYTES_A_LINE: usize = 16;
const LINES_A_FIELD_MAX: usize = 5;

impl<'a> Dump<'a> {
    fn new(bytes: &'a [u8]) -> Dump<'a> {
        Dump {
            bytes,
            at: 0,
            out: String::new(),
        }
    }

    fn heading(&mut self, text: &str) {
        writeln!(self.out, "-- {text}").unwrap();
    }

    fn peek(&self, len: usize) -> &'a [u8] {
        &self.bytes[self.at..self.at + len]
    }

    fn field(&mut self, len: usize, meaning: impl AsRef<str>) -> &'a [u8] {
        let bytes = self.peek(len);
        let lines: Vec<&[u8]> = bytes.chunks(BYTES_A_LINE).collect();
        for (number, line) in lines.iter().enumerate() {
            let offset = self.at + number * BYTES_A_LINE;
            if number == LINES_A_FIELD_MAX {
                writeln!(self.out, "      ... {} bytes in all", bytes.len()).unwrap();
                break;
            }
            let hex: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
            let meaning = if number == 0 { meaning.as_ref() } else { "" };
            let line = format!("{offset:5} {:47} {meaning}", hex.join(" "));
            writeln!(self.out, "{}", line.trim_end()).unwrap();
        }
        self.at += len;
        bytes
    }

    fn u16(&mut self, meaning: &str) -> usize {
        let value = u16::from_le_bytes(self.peek(2).try_into().unwrap());
        self.field(2, format!("{meaning} {value}"));
        usize::from(value)
    }

    fn u32(&mut self, meaning: &str) -> usize {
        let value = u32::from_le_bytes(self.peek(4).try_into().unwrap());
        self.field(4, format!("{meaning} {value}"));
        value as usize
    }

    fn u64(&mut self, meaning: &str) -> usize {
        let value = u64::from_le_bytes(self.peek(8).try_into().unwrap());
        self.field(8, format!("{meaning} {value}"));
        value as usize
    }

    fn varint(&mut self, meaning: &str) -> usize {
        let len = self.bytes[self.at..]
            .iter()
            .position(|byte| byte & 0x80 == 0)
            .unwrap()
            + 1;
        let value = self
            .peek(len)
            .iter()
            .rev()
            .fold(0, |value, byte| value << 7 | usize::from(byte & 0x7f));
        self.field(len, format!("{meaning} {value}"));
        value
    }

    /// Compares the stored checksum with that of `covered`.
    fn checksum(&mut self, covered: &[u8], of: &str) {
        let expected = crc32fast::hash(covered).to_le_bytes();
        assert_eq!(self.peek(4), expected, "{of}");
        self.field(4, format!("checksum of {of}"));
    }

    fn finish(self) -> String {
        assert_eq!(self.at, self.bytes.len(), "every byte has a meaning");
        self.out
    }
}

fn dump_log(log: &[u8]) -> String {
    let mut dump = Dump::new(log);
    while dump.at < log.len() {
        let offset = dump.at;
        let left = 512 - offset % 512;
        if left < 11 {
            let zeros = dump.field(left, "zeros: a header does not fit the sector");
            assert!(zeros.iter().all(|byte| *byte == 0));
            continue;
        }
        dump.heading(&format!("fragment at {offset}"));
        let length = usize::from(u16::from_le_bytes(
            log[offset + 4..offset + 6].try_into().unwrap(),
        ));
        let covered = [
            &(offset as u64).to_le_bytes()[..],
            &log[offset + 4..offset + 11 + length],
        ]
        .concat();
        dump.checksum(&covered, &format!("the offset {offset} and the fragment"));
        dump.u16("length");
        let types = ["", "whole", "first", "middle", "last", "mark"];
        let fragment_type = types[usize::from(dump.peek(1)[0])];
        dump.field(1, format!("type: {fragment_type}"));
        dump.u32("log");
        dump.field(length, "payload");
    }
    dump.finish()
}

fn describe_key(key: &[u8]) -> String {
    let (user_key, trailer) = key.split_at(key.len() - 8);
    let packed = !u64::from_be_bytes(trailer.try_into().unwrap());
    let kind = match packed & 0xff {
        0 => "delete",
        1 => "put",
        _ => panic!("no key of a table has the kind {}", packed & 0xff),
    };
    format!("\"{}\" at {}, {kind}", user_key.escape_ascii(), packed >> 8)
}

/// Dumps a block that ends with its trailer; returns user keys and values.
fn dump_block(dump: &mut Dump<'_>, length: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let start = dump.at;
    let contents = &dump.bytes[start..start + length];
    let n = u32::from_le_bytes(contents[length - 4..].try_into().unwrap()) as usize;
    let entries_end = start + length - 8 - 12 * n;
    let mut entries: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    while dump.at < entries_end {
        let shared = dump.varint("shared");
        let unshared = dump.varint("unshared");
        let value_len = dump.varint("value_len");
        let version = decode_varint(&mut &dump.bytes[dump.at..]);
        let kind = ["delete", "put", "delete a range"][version & 3];
        dump.varint(&format!("at {}, {kind}: version", version >> 2));
        let mut key = entries
            .last()
            .map_or(Vec::new(), |(key, _)| key[..shared].to_vec());
        key.extend_from_slice(dump.peek(unshared));
        dump.field(unshared, format!("key tail: \"{}\"", key.escape_ascii()));
        let value = dump.field(value_len, "value");
        entries.push((key, value.to_vec()));
    }
    for _ in 0..n {
        let head = dump.peek(8).escape_ascii().to_string();
        dump.field(8, format!("head: \"{head}\""));
    }
    for _ in 0..n {
        dump.u32("restart at");
    }
    dump.u32("skip:");
    dump.u32("restarts:");
    dump_trailer(dump, start, length);
    entries
}

fn dump_trailer(dump: &mut Dump<'_>, start: usize, length: usize) {
    assert_eq!(dump.at, start + length);
    assert_eq!(dump.peek(1), [0]);
    dump.field(1, "compression: none");
    let covered = &dump.bytes[start..start + length + 1];
    let covered = [&(start as u64).to_le_bytes()[..], covered].concat();
    dump.checksum(&covered, "offset, contents and compression");
}

fn decode_varint(bytes: &mut &[u8]) -> usize {
    let mut dump = Dump::new(bytes);
    let value = dump.varint("");
    *bytes = &bytes[dump.at..];
    value
}

fn dump_table(table: &[u8]) -> String {
    let footer_at = table.len() - 64;
    let handle = |at: usize| {
        let number = |at: usize| u64::from_le_bytes(table[at..at + 8].try_into().unwrap()) as usize;
        (number(footer_at + at), number(footer_at + at + 8))
    };
    let (index, filter, properties) = (handle(0), handle(16), handle(32));
    // The index says where the data blocks are, but comes after them, so it is read once in advance.
    let mut ahead = Dump {
        bytes: table,
        at: index.0,
        out: String::new(),
    };
    let blocks = dump_block(&mut ahead, index.1);

    let mut dump = Dump::new(table);
    let mut keys = Vec::new();
    for (number, (index_key, value)) in blocks.iter().enumerate() {
        dump.heading(&format!("data block {number}"));
        let mut value = &value[..];
        let (offset, length) = (decode_varint(&mut value), decode_varint(&mut value));
        assert_eq!(dump.at, offset);
        let entries = dump_block(&mut dump, length);
        assert!(entries.last().unwrap().0 <= *index_key);
        keys.extend(entries.into_iter().map(|(key, _)| key));
    }
    let padding = filter.0 - dump.at;
    dump.field(padding, "zeros");
    assert_eq!(dump.at % 64, 0);
    dump.heading("filter");
    let line = dump.field(64, "line 0");
    let probes = dump.field(1, "probes")[0];
    check_filter(line, probes, keys.iter().map(Vec::as_slice));
    dump_trailer(&mut dump, filter.0, filter.1);
    dump.heading("properties");
    dump_properties(&mut dump, properties.1);
    dump_trailer(&mut dump, properties.0, properties.1);
    dump.heading("index");
    dump_block(&mut dump, index.1);
    dump.heading("footer");
    for part in ["index", "filter", "properties"] {
        dump.u64(&format!("{part} offset"));
        dump.u64(&format!("{part} length"));
    }
    dump.u32("version");
    dump.checksum(&table[footer_at..footer_at + 52], "the footer so far");
    assert_eq!(dump.peek(8), b"KeysTbl\n");
    dump.field(8, "magic");
    dump.finish()
}

/// Sets the bits of all keys in an empty line, and compares the result.
fn check_filter<'k>(line: &[u8], probes: u8, user_keys: impl Iterator<Item = &'k [u8]>) {
    let mut expected = [0u8; 64];
    for user_key in user_keys {
        let mut state = xxhash_rust::xxh3::xxh3_64(user_key) as u32;
        for _ in 0..probes {
            let bit = (state >> 23) as usize;
            expected[bit / 8] |= 1 << (bit % 8);
            state = state.wrapping_mul(0x9e37_79b9);
        }
    }
    assert_eq!(line, expected);
}

fn dump_properties(dump: &mut Dump<'_>, length: usize) {
    let end = dump.at + length;
    let names = [
        "comparator",
        "entries",
        "deletes",
        "smallest key",
        "largest key",
        "smallest sequence",
        "largest sequence",
        "key bytes",
        "value bytes",
        "data blocks",
        "writer",
        "origin",
        "family",
        "family name",
        "inputs",
    ];
    while dump.at < end {
        let name = names[usize::from(dump.peek(1)[0]) - 1];
        dump.field(1, format!("tag: {name}"));
        let length = dump.varint("length");
        let meaning = match name {
            "comparator" | "writer" | "origin" | "family name" => {
                format!("\"{}\"", dump.peek(length).escape_ascii())
            }
            "smallest key" | "largest key" => describe_key(dump.peek(length)),
            "inputs" => {
                let (mut rest, mut runs, mut last) = (dump.peek(length), Vec::new(), 0);
                while !rest.is_empty() {
                    let first = last + decode_varint(&mut rest);
                    last = first + decode_varint(&mut rest);
                    runs.push(format!("{first} to {last}"));
                }
                format!("tables {}", runs.join(", "))
            }
            _ => format!("{}", decode_varint(&mut dump.peek(length))),
        };
        dump.field(length, meaning);
    }
}

/// A property that only the code knows of would be bytes without a meaning here.
#[test]
fn the_page_lists_the_properties_of_a_table_as_the_module_does() {
    let of = |file: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file));
    let module = of("src/sstable/properties.rs").unwrap();
    let rows: Vec<&str> = module
        .lines()
        .filter_map(|line| line.strip_prefix("//! "))
        .filter(|line| line.starts_with('|'))
        .collect();
    assert!(rows.len() > 17, "{rows:?}");
    let page = of("docs/formats.md").unwrap();
    assert!(page.contains(&rows.join("\n")), "{rows:#?}");
}

/// Compares `dump` with the one called `name` in the page, or writes it there.
fn check_page(name: &str, dump: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/formats.md");
    let page = fs::read_to_string(&path).unwrap();
    let begin = format!("<!-- dump: {name} -->\n```text\n");
    let start = page
        .find(&begin)
        .unwrap_or_else(|| panic!("the page has no dump {name}"))
        + begin.len();
    let end = start + page[start..].find("```\n<!-- end -->").unwrap();
    if std::env::var_os("UPDATE_OUTPUTS").is_some() {
        fs::write(&path, format!("{}{dump}{}", &page[..start], &page[end..])).unwrap();
        return;
    }
    assert_eq!(
        &page[start..end],
        dump,
        "docs/formats.md shows another {name}; if the change is meant, run this test with UPDATE_OUTPUTS=1"
    );
}

fn records(log: &[u8], number: u64) -> Vec<Vec<u8>> {
    let mut reader = LogReader::new(log, "log", number, RecoveryMode::Absolute);
    let mut records = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        records.push(record.to_vec());
    }
    records
}

/// The payload of the record at `offset` in a log, if it is one fragment.
fn payload(log: &[u8], offset: usize) -> &[u8] {
    let length = usize::from(u16::from_le_bytes(
        log[offset + 4..offset + 6].try_into().unwrap(),
    ));
    assert_eq!(log[offset + 6], 1, "a whole record");
    &log[offset + 11..offset + 11 + length]
}

fn dump_batch(batch: &[u8]) -> String {
    let mut dump = Dump::new(batch);
    dump.u64("sequence");
    let count = dump.u32("count");
    for number in 1..=count {
        dump.heading(&format!("record {number}"));
        let put = dump.peek(1)[0] == 1;
        dump.field(1, if put { "kind: put" } else { "kind: delete" });
        dump.varint("family");
        let length = dump.varint("key length");
        dump.field(length, "key");
        if put {
            let length = dump.varint("value length");
            dump.field(length, "value");
        }
    }
    dump.finish()
}

fn dump_edits(edits: &[&[u8]]) -> String {
    let mut out = String::new();
    for (number, edit) in (1..).zip(edits) {
        writeln!(out, "== record {number}").unwrap();
        let mut dump = Dump::new(edit);
        while dump.at < edit.len() {
            dump_edit_field(&mut dump);
        }
        out.push_str(&dump.finish());
    }
    out
}

fn dump_edit_field(dump: &mut Dump<'_>) {
    let text = |dump: &mut Dump<'_>, what: &str| {
        let length = dump.varint(&format!("length of the {what}"));
        let bytes = dump.peek(length);
        let key = what.ends_with("key");
        let meaning = if key {
            describe_key(bytes)
        } else {
            format!("\"{}\"", bytes.escape_ascii())
        };
        dump.field(length, meaning);
    };
    let numbers = |dump: &mut Dump<'_>, names: &[&str]| {
        for name in names {
            dump.varint(name);
        }
    };
    let meanings = [
        "",
        "the magic",
        "a family was created",
        "a family was dropped",
        "next file",
        "oldest log",
        "last sequence in tables",
        "next family",
        "a table was added",
        "a table was removed",
    ];
    let tag = dump.peek(1)[0];
    dump.field(1, format!("tag: {}", meanings[usize::from(tag)]));
    match tag {
        1 => {
            text(dump, "magic");
            dump.varint("format");
        }
        2 => {
            dump.varint("family");
            text(dump, "name");
            text(dump, "comparator");
        }
        3 => numbers(dump, &["family"]),
        8 => {
            numbers(dump, &["family", "level", "file", "bytes", "entries"]);
            numbers(dump, &["range tombstones"]);
            text(dump, "smallest key");
            text(dump, "largest key");
        }
        9 => numbers(dump, &["family", "level", "file"]),
        _ => numbers(dump, &["number"]),
    }
}

/// A database with a second family, one batch and one flush: its log before the flush, and its
/// manifest after it.
fn write_database() -> (Vec<u8>, Vec<u8>) {
    let vfs = MemoryVfs::new();
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        background: Background::Manual,
        ..Options::default()
    };
    let db = Db::open("db", options.family("score", FamilyOptions::default())).unwrap();
    let mut batch = WriteBatch::new();
    batch.put(&db.default_family(), "apple", "red");
    batch.put(&db.family("score").unwrap(), "7:apple", "");
    batch.delete(&db.family("score").unwrap(), "3:apple");
    db.write(batch, WriteOptions::default()).unwrap();
    let log = vfs.read(Path::new("db/000001.log")).unwrap();
    db.flush().unwrap();
    (log, vfs.read(Path::new("db/MANIFEST-000002")).unwrap())
}

/// A single test, because all dumps are in one file.
#[test]
fn the_dumps_in_the_page_are_those_of_real_files() {
    let vfs = MemoryVfs::new();
    let path = Path::new("000007.log");
    let mut log = LogWriter::new(vfs.create(path).unwrap(), 7);
    log.add_group([&b"one"[..], b"", &vec![b'z'; 32_740]])
        .unwrap();
    log.sync().unwrap();
    check_page("log", &dump_log(&vfs.read(path).unwrap()));

    let path = Path::new("000008.sst");
    let options = TableOptions {
        block_bytes: 40,
        origin: "compaction to level 1".to_owned(),
        family: 1,
        family_name: "score".to_owned(),
        inputs: [4, 5, 6, 300].into_iter().collect(),
        ..TableOptions::new(Comparator::Bytewise)
    };
    let mut table = TableBuilder::new(vfs.create(path).unwrap(), options).unwrap();
    let entries = [
        ("apple", 3, ValueKind::Put, "red"),
        ("apply", 1, ValueKind::Put, "x"),
        ("bridge", 2, ValueKind::Delete, ""),
    ];
    for (user_key, sequence, kind, value) in entries {
        table
            .add(
                &internal_key::encode(user_key.as_bytes(), sequence, kind),
                value.as_bytes(),
            )
            .unwrap();
    }
    table.finish().unwrap();
    check_page("table", &dump_table(&vfs.read(path).unwrap()));

    let (log, manifest) = write_database();
    check_page("batch", &dump_batch(payload(&log, 0)));
    let edits = records(&manifest, 2);
    let [first, second] = [&edits[0][..], &edits[1]];
    check_page("manifest", &dump_edits(&[first, second]));
}
