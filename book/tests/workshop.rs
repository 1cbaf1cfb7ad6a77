//! The page for who runs a workshop: its plans add up, give each part the minutes of the chapter's own notes, and the reports
//! that it shows are what the command prints.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn book_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn chapter(folder: &str) -> String {
    let path = book_dir().join("chapters").join(folder).join("index.md");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The cells of a table's row.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(str::trim).collect())
}

/// A row of a plan.
struct Slot {
    /// Minutes since the beginning.
    at: usize,
    minutes: usize,
    part: String,
}

/// A plan: the minutes that its heading names, and its rows.
struct Plan {
    heading: String,
    length: usize,
    slots: Vec<Slot>,
}

fn plans() -> Vec<Plan> {
    let page = chapter("workshop");
    let mut heading = "";
    let mut plans = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.starts_with('#') {
            heading = line;
        }
        if !line.starts_with("| at | min | part |") {
            continue;
        }
        let length = heading
            .split(|c: char| !c.is_ascii_digit())
            .find(|word| !word.is_empty());
        let length = length.unwrap_or_else(|| panic!("{heading} names no minutes"));
        let rows = lines.by_ref().skip(1).map_while(cells);
        let slots = rows.map(|row| {
            let (hours, minutes) = row[0].split_once(':').unwrap();
            Slot {
                at: hours.parse::<usize>().unwrap() * 60 + minutes.parse::<usize>().unwrap(),
                minutes: row[1]
                    .parse()
                    .unwrap_or_else(|_| panic!("{heading}: {row:?}")),
                part: row[2].to_owned(),
            }
        });
        plans.push(Plan {
            heading: heading.to_owned(),
            length: length.parse().unwrap(),
            slots: slots.collect(),
        });
    }
    plans
}

#[test]
fn every_plan_takes_the_minutes_that_its_heading_names() {
    let plans = plans();
    let lengths: Vec<usize> = plans.iter().map(|plan| plan.length).collect();
    assert_eq!(lengths, [45, 90, 180, 480, 480]);
    for Plan {
        heading,
        length,
        slots,
    } in &plans
    {
        let mut now = 0;
        for Slot { at, minutes, part } in slots {
            assert_eq!(*at, now, "{heading}: {part} begins at another minute");
            now += minutes;
        }
        assert_eq!(now, *length, "{heading}");
    }
}

/// The folder and the part, of `[1](../01-sorted-map/index.md), Predict, look`.
fn part_of_a_chapter(part: &str) -> Option<(&str, &str)> {
    let (_, rest) = part.strip_prefix('[')?.split_once("](../")?;
    rest.split_once("/index.md), ")
}

/// The minutes that a chapter's notes give to a part, in 45 minutes and in 90.
fn noted(folder: &str, part: &str) -> Vec<usize> {
    let text = chapter(folder);
    let (_, notes) = text.split_once("\n## Instructor notes\n").unwrap();
    let row = notes.lines().filter_map(cells).find(|row| row[0] == part);
    let row = row.unwrap_or_else(|| panic!("the notes of {folder} have no part {part:?}"));
    row[1..]
        .iter()
        .filter_map(|cell| cell.parse().ok())
        .collect()
}

#[test]
fn every_part_has_the_minutes_of_its_chapters_notes() {
    let mut seen = 0;
    for plan in plans() {
        for Slot { minutes, part, .. } in &plan.slots {
            let Some((folder, part)) = part_of_a_chapter(part) else {
                continue;
            };
            let allowed = if part == "all of it" {
                assert!(chapter(folder).contains("## Instructor notes"), "{folder}");
                vec![90]
            } else {
                noted(folder, part)
            };
            let heading = &plan.heading;
            assert!(
                allowed.contains(minutes),
                "{heading}: {folder}, {part} has {minutes} minutes, and in its notes {allowed:?}"
            );
            seen += 1;
        }
    }
    assert!(seen >= 30, "only {seen} parts of chapters were read");
}

#[test]
fn a_laptop_that_is_ready_lists_all_exercises() {
    let times = fs::read_to_string(book_dir().join("chapters/outputs/times.md")).unwrap();
    let all = times.lines().find(|line| line.starts_with("| all |"));
    let exercises = cells(all.unwrap()).unwrap()[2];
    let listed = format!("`0 passed, 0 failing, {exercises} not started`");
    assert!(chapter("workshop").contains(&listed), "{listed}");
}

#[test]
fn no_exercise_has_fewer_minutes_than_its_manifest_states() {
    let mut seen = 0;
    for plan in plans() {
        for Slot { minutes, part, .. } in &plan.slots {
            let Some((folder, part)) = part_of_a_chapter(part) else {
                continue;
            };
            let Some(name) = part
                .strip_prefix('`')
                .and_then(|name| name.strip_suffix('`'))
            else {
                continue;
            };
            let manifest = book_dir().join(format!("../exercises/ch{folder}/Cargo.toml"));
            let manifest: toml::Table = fs::read_to_string(manifest).unwrap().parse().unwrap();
            let exercises = manifest["package"]["metadata"]["workbook"]["exercises"].as_array();
            let stated = exercises
                .unwrap()
                .iter()
                .find(|exercise| exercise["name"].as_str() == Some(name))
                .and_then(|exercise| exercise["minutes"].as_integer());
            let stated = stated.unwrap_or_else(|| panic!("{folder} has no exercise {name}"));
            assert!(
                *minutes >= usize::try_from(stated).unwrap(),
                "{}: {name} takes {stated} minutes, the plan has {minutes}",
                plan.heading
            );
            seen += 1;
        }
    }
    assert!(seen >= 6, "only {seen} exercises were read");
}

#[test]
fn the_appendix_plans_45_minutes_and_45_more() {
    let text = chapter("how-we-know");
    let (_, notes) = text
        .split_once("<summary>45 and 90 minutes</summary>")
        .unwrap();
    let mut sums = Vec::new();
    for row in notes.lines().filter_map(cells) {
        match row[0].parse::<usize>() {
            Ok(minutes) => *sums.last_mut().unwrap() += minutes,
            Err(_) if row[0] == "minutes" => sums.push(0),
            Err(_) => {}
        }
    }
    assert_eq!(sums, [45, 45]);
}

/// A class of seven at the end of the lesson on chapter 2: whose answer lies in which file.
const CLASS: [(&str, &str, &str); 9] = [
    (
        "ann",
        BYTES,
        "pub fn encode(value: u32) -> [u8; 4] { value.to_be_bytes() }\n\
        pub fn decode(key: [u8; 4]) -> u32 { u32::from_be_bytes(key) }\n",
    ),
    ("ann", WIDTH, "OWN_WIDTH"),
    (
        "bob",
        BYTES,
        "pub fn encode(value: u32) -> [u8; 4] { value.to_le_bytes() }\n\
        pub fn decode(key: [u8; 4]) -> u32 { u32::from_le_bytes(key) }\n",
    ),
    (
        "cid",
        BYTES,
        "pub fn encode(value: u32) -> [u8; 4] {\n    \
        [value as u8, (value >> 8) as u8, (value >> 16) as u8, (value >> 24) as u8]\n}\n\
        pub fn decode(key: [u8; 4]) -> u32 { todo!(\"{key:?}\") }\n",
    ),
    (
        "dee",
        BYTES,
        "pub fn encode(value: u32) -> [u8; 4] { [value as u8; 4] }\n\
        pub fn decode(key: [u8; 4]) -> u32 { todo!(\"{key:?}\") }\n",
    ),
    (
        "eve",
        BYTES,
        "pub fn encode(value: u32) -> [u8; 4] { value.to_be_bytes() \n",
    ),
    (
        "fay",
        BYTES,
        "pub fn encode(value: u32) -> [u8; 4] { value.to_be_bytes() }\n\
        pub fn decode(key: [u8; 4]) -> u32 { u32::from_be_bytes(key) }\n",
    ),
    ("gil", BYTES, "STUB"),
    ("fay", WIDTH, "OWN_WIDTH"),
];
const BYTES: &str = "big_endian_u32.rs";
const WIDTH: &str = "width_matters.rs";
/// Each number in as many bytes as its type has.
const OWN_WIDTH: &str = "pub fn encode(number: Number) -> Vec<u8> {
    match number {
        Number::U8(value) => value.to_be_bytes().to_vec(),
        Number::U16(value) => value.to_be_bytes().to_vec(),
        Number::U32(value) => value.to_be_bytes().to_vec(),
    }
}
";

/// Lays the class down: each learner a folder, with the answers in their places.
fn hand_in(class: &Path) {
    let stubs = book_dir().join("../exercises/ch02-endianness/stubs");
    for (learner, file, answer) in CLASS {
        let stub = fs::read_to_string(stubs.join(file)).unwrap();
        let answer = match answer {
            "STUB" => stub,
            "OWN_WIDTH" => {
                let (given, _) = stub.split_once("/// The key of `number`.").unwrap();
                format!("{given}{OWN_WIDTH}")
            }
            answer => answer.to_owned(),
        };
        let folder = class.join(learner).join("exercises/ch02-endianness/src");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(file), answer).unwrap();
    }
}

/// What `cargo workbook report` prints of a class.
fn report(class: &Path, more: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "workbook", "--", "report"])
        .arg(class)
        .args(["--only", "ch02-endianness"])
        .args(more)
        .current_dir(book_dir().join(".."))
        .env_remove("CLICOLOR_FORCE")
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_reports_on_a_class() {
    let class = tempfile::tempdir().unwrap();
    hand_in(class.path());
    book::output::check("workshop/outputs/report.txt", &report(class.path(), &[]));
    book::output::check(
        "workshop/outputs/room.txt",
        &report(class.path(), &["--room"]),
    );
}

/// What a learner hands in by the page's command: the sources of the exercises, and none of what lies beside them.
#[cfg(unix)]
#[test]
fn the_command_that_hands_in_copies_the_answers_alone() {
    let page = chapter("workshop");
    let (_, block) = page
        .split_once("```sh\nmkdir -p /path/to/class/ann\n")
        .unwrap();
    let (command, _) = block.split_once("```").unwrap();
    let class = tempfile::tempdir().unwrap();
    let ann = class.path().join("ann");
    fs::create_dir(&ann).unwrap();
    let command = command.replace("/path/to/class", class.path().to_str().unwrap());
    let run = Command::new("sh")
        .args(["-ec", &command])
        .current_dir(book_dir().join(".."))
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");

    let mut files = 0;
    for chapter in fs::read_dir(ann.join("exercises")).unwrap() {
        let chapter = chapter.unwrap();
        let inside: Vec<_> = fs::read_dir(chapter.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(inside, ["src"], "{:?}", chapter.path());
        files += fs::read_dir(chapter.path().join("src")).unwrap().count();
    }
    assert!((50..80).contains(&files), "some sixty files, not {files}");
}
