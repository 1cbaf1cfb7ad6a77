//! More than a flipped byte: a run of bytes, a lost page, a cut, parts that changed places. What `explain` says about
//! each must be true: it names the first unit that is wrong, and everything before that is intact.

#[expect(dead_code, reason = "this test takes what it needs")]
mod support;

use std::ops::Range;
use std::path::{Path, PathBuf};

use engine::inspect::{self, ExplainOptions, FileName, Note, Wrong};
use engine::vfs::{MemoryVfs, Vfs};
use support::{database, files, lsm};

const ALL: ExplainOptions = ExplainOptions {
    block: None,
    limit: usize::MAX,
};

/// The files of the small database, in memory.
struct Files {
    vfs: MemoryVfs,
    paths: Vec<PathBuf>,
    _dir: tempfile::TempDir,
}

impl Files {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        database(dir.path());
        let vfs = MemoryVfs::new();
        let mut paths = Vec::new();
        for file in files(dir.path()) {
            let path = PathBuf::from(file.file_name().unwrap());
            let mut copy = vfs.create(&path).unwrap();
            copy.append(&std::fs::read(&file).unwrap()).unwrap();
            paths.push(path);
        }
        Self {
            vfs,
            paths,
            _dir: dir,
        }
    }

    /// What is wrong with the file `path` if it holds `bytes`.
    fn explained(&self, path: &Path, bytes: &[u8]) -> Option<Wrong> {
        let whole = self.vfs.read(path).unwrap();
        self.vfs.damage(path, bytes.to_vec()).unwrap();
        let wrong = inspect::explain(&self.vfs, path, ALL, &mut |_| ()).unwrap();
        self.vfs.damage(path, whole).unwrap();
        wrong
    }

    /// Where each unit of an intact file is: what one checksum covers, with the padding before it.
    fn units(&self, path: &Path) -> Vec<Range<usize>> {
        let mut begins = Vec::new();
        let mut is_padded = false;
        let mut listener = |note: Note<'_>| {
            if let Note::Part { at, title } = note
                && !title.contains("offsets count from")
            {
                if !is_padded {
                    begins.push(at as usize);
                }
                is_padded = title.starts_with("zeros,") || title.starts_with("the end of a sector");
            }
        };
        inspect::explain(&self.vfs, path, ALL, &mut listener).unwrap();
        begins.push(self.vfs.len(path).unwrap() as usize);
        let pairs = begins.windows(2);
        pairs.map(|pair| pair[0]..pair[1]).collect()
    }

    fn ends_a_unit(&self, path: &Path, at: usize) -> bool {
        self.units(path).iter().any(|unit| unit.end == at)
    }

    /// The unit that holds byte `at`, or the end of the file.
    fn unit_of(&self, path: &Path, at: usize) -> Range<usize> {
        let units = self.units(path);
        let end = units.last().unwrap().end;
        let of_byte = units.into_iter().find(|unit| unit.contains(&at));
        of_byte.unwrap_or(end..end)
    }
}

/// Checks what is said about a file whose first changed byte is `first`.
fn assert_true(files: &Files, path: &Path, wrong: &Wrong, first: usize, context: &str) {
    let unit = files.unit_of(path, first);
    let (from, sound) = (wrong.range.start as usize, wrong.sound as usize);
    assert!(
        unit.contains(&from) || from == unit.start,
        "{context}: byte {first} in {unit:?} was the first, and it says {wrong:?}"
    );
    assert!(sound <= first && sound <= from, "{context}: {wrong:?}");
    assert!(!wrong.what.ends_with('.'), "{context}: {wrong:?}");
    if let Some((byte, _)) = wrong.byte {
        assert!(wrong.range.contains(&byte), "{context}: {wrong:?}");
    }
}

fn is_log(path: &Path) -> bool {
    let kind = FileName::parse(path.as_os_str());
    matches!(kind, Some(FileName::Log(_) | FileName::Manifest(_)))
}

fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    let differs = a.iter().zip(b).position(|(a, b)| a != b);
    differs.or((a.len() != b.len()).then_some(a.len().min(b.len())))
}

#[test]
fn of_a_run_of_damaged_bytes_the_first_unit_is_named() {
    let files = Files::new();
    let mut runs = 0;
    for path in &files.paths {
        let whole = files.vfs.read(path).unwrap();
        for len in [2, 7, 40, 200, whole.len()] {
            for at in 0..whole.len() {
                for fill in [0, b'x', 0xff] {
                    let mut bytes = whole.clone();
                    let end = whole.len().min(at + len);
                    bytes[at..end].fill(fill);
                    let Some(first) = first_difference(&whole, &bytes) else {
                        continue;
                    };
                    let context = format!("bytes {at} to {end} of {path:?} are {fill}");
                    let Some(wrong) = files.explained(path, &bytes) else {
                        // A log that ends in zeros after a record is one with space for more.
                        let is_blank = is_log(path) && bytes[first..].iter().all(|byte| *byte == 0);
                        assert!(
                            is_blank && (first == 0 || files.ends_a_unit(path, first)),
                            "{context}, and nothing is wrong"
                        );
                        continue;
                    };
                    assert_true(&files, path, &wrong, first, &context);
                    runs += 1;
                }
            }
        }
    }
    assert!(runs > 10_000, "{runs}");
}

#[test]
fn of_a_file_that_was_cut_the_end_is_named() {
    let files = Files::new();
    for path in &files.paths {
        let whole = files.vfs.read(path).unwrap();
        for len in 0..whole.len() {
            let context = format!("{path:?} is cut to {len}");
            let Some(wrong) = files.explained(path, &whole[..len]) else {
                // A log may end after any record, and nobody can tell that there were more.
                assert!(
                    is_log(path) && (len == 0 || files.ends_a_unit(path, len)),
                    "{context}, and nothing is wrong"
                );
                continue;
            };
            assert_true(&files, path, &wrong, len, &context);
            assert!(wrong.range.end <= len as u64, "{context}: {wrong:?}");
            let words = [
                "cut",
                "ends",
                "holds",
                "empty",
                "begins with",
                "has no whole edit",
                "in all",
            ];
            assert!(
                words.iter().any(|word| wrong.what.contains(word)),
                "{context}: {wrong:?}"
            );
            assert_eq!(wrong.byte, None, "{context}: no byte is to blame");
        }
    }
}

#[test]
fn of_parts_that_changed_places_the_first_is_named() {
    let files = Files::new();
    let mut exchanges = 0;
    for path in &files.paths {
        let whole = files.vfs.read(path).unwrap();
        let units = files.units(path);
        for (number, a) in units.iter().enumerate() {
            for b in &units[number + 1..] {
                let bytes = [
                    &whole[..a.start],
                    &whole[b.clone()],
                    &whole[a.end..b.start],
                    &whole[a.clone()],
                    &whole[b.end..],
                ]
                .concat();
                let context = format!("{a:?} and {b:?} of {path:?} are exchanged");
                let wrong = files.explained(path, &bytes);
                let wrong = wrong.unwrap_or_else(|| panic!("{context}, and nothing is wrong"));
                let first = first_difference(&whole, &bytes).unwrap();
                assert_true(&files, path, &wrong, first, &context);
                exchanges += 1;
            }
        }
    }
    assert!(exchanges > 50, "{exchanges}");
}

/// What `explain` says of the file whose name contains `part`, if it is changed so.
fn said(files: &Files, part: &str, change: impl FnOnce(&mut Vec<u8>, &[Range<usize>])) -> Wrong {
    let mut paths = files.paths.iter();
    let path = paths.find(|path| path.to_string_lossy().contains(part));
    let path = path.unwrap();
    let mut bytes = files.vfs.read(path).unwrap();
    change(&mut bytes, &files.units(path));
    files.explained(path, &bytes).unwrap()
}

#[test]
fn the_sentences_are_true() {
    let files = Files::new();
    let says = |wrong: &Wrong, at: usize, words: &str| {
        assert!(wrong.what.contains(words), "{words:?} is not in {wrong:?}");
        assert_eq!(wrong.range.start, at as u64, "{wrong:?}");
        wrong.clone()
    };
    // A table: where it was cut, whatever that cut through.
    let mut second = 0;
    let wrong = said(&files, "000006.sst", |bytes, units| {
        second = units[1].start;
        bytes.truncate(second + 70);
    });
    says(&wrong, second, "the file was cut off here or later");
    let wrong = said(&files, "000006.sst", |bytes, units| {
        second = units.last().unwrap().start;
        bytes.truncate(second + 20);
    });
    says(
        &wrong,
        second,
        "the file ends after 20 bytes: it was cut off",
    );
    // The index, and a block that it leads to.
    let wrong = said(&files, "000006.sst", |bytes, units| {
        second = units[1].start;
        bytes[second + 3] ^= 1;
        let index = units[units.len() - 2].clone();
        bytes[index].fill(0);
    });
    says(&wrong, second, "what leads to the parts, at byte");
    assert_eq!(wrong.sound, second as u64, "what is before was found");

    // A log: where the file ends within a fragment, and what an opening makes of it.
    let wrong = said(&files, ".log", |bytes, units| {
        second = units[1].start;
        bytes.truncate(second + 30);
    });
    says(
        &wrong,
        second,
        "a fragment states 40 bytes, and the file ends after 19",
    );
    says(&wrong, second, "leaves out everything from byte 45 on");
    assert!(!wrong.what.contains("unless"), "{wrong:?}");
    files.vfs.create(Path::new("000099.log")).unwrap();
    let wrong = said(&files, "000008.log", |bytes, units| {
        bytes.truncate(units[1].start + 30);
    });
    says(
        &wrong,
        second,
        "on, unless a later log says that it was durable",
    );
    let wrong = said(&files, "000008.log", |bytes, units| {
        bytes[units[0].clone()].fill(0);
    });
    says(&wrong, 0, "here are zeros up to byte 45");

    // A manifest without a whole edit is refused, where a log would be read.
    let wrong = said(&files, "MANIFEST", |bytes, _| bytes.truncate(60));
    says(&wrong, 0, "the file ends after 49");
    says(&wrong, 0, "So it has no whole edit, and CURRENT names it");
    assert!(!wrong.what.contains("Opening takes it"), "{wrong:?}");

    // A mark that is none because its length is wrong, or its type.
    let wrong = said(&files, "MANIFEST", |bytes, _| bytes[6] = 5);
    says(&wrong, 4, "a mark of 85 bytes is not");
    assert_eq!(wrong.range, 4..7);

    let wrong = said(&files, "CURRENT", |bytes, _| bytes.truncate(9));
    says(&wrong, 9, "it begins with \"MANIFEST-\"");
    let wrong = said(&files, "CURRENT", |bytes, _| bytes.fill(0));
    says(&wrong, 0, "it is 16 zeros");
}

/// The tool says how far the file was looked at.
#[test]
fn the_tool_vouches_for_no_more_than_was_read() {
    let dir = tempfile::tempdir().unwrap();
    database(dir.path());
    let table = dir.path().join("000007.sst");
    let path = table.to_str().unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    let second = Files::new().units(Path::new("000007.sst"))[1].start;
    bytes[second + 10] ^= 1;
    std::fs::write(path, bytes).unwrap();
    let (_, text) = lsm(&["explain", path]);
    assert!(
        text.contains("Everything before it is as the engine reads it"),
        "{text}"
    );
    let (code, text) = lsm(&["explain", path, "--block", "1"]);
    assert!(
        code == 1 && text.contains("The rest of the file was not looked at"),
        "{text}"
    );
    assert!(!text.contains("Everything before"), "{text}");
}
