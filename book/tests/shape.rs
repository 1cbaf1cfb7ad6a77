//! Every chapter has the shape that the introduction promises, so that a reader always knows where they are.

use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

const SECTIONS: [&str; 10] = [
    "A scan goes wrong",
    "Predict",
    "Look",
    "Invariants",
    "Tasks",
    "Wrong answers and what each breaks",
    "In the wild",
    "Questions",
    "In short",
    "Instructor notes",
];
const EXERCISES_MIN: usize = 3;
const MISTAKES_MIN: usize = 8;
const QUESTIONS: usize = 5;

fn book_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The numbered chapters: `NN-name`, with their text.
fn chapters() -> Vec<(String, String)> {
    let mut chapters = Vec::new();
    for entry in fs::read_dir(book_dir().join("chapters")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().display().to_string();
        if name.starts_with(|first: char| first.is_ascii_digit()) {
            let text = fs::read_to_string(path.join("index.md")).unwrap();
            chapters.push((name, text));
        }
    }
    chapters.sort();
    assert!(chapters.len() >= 10, "Part I has ten chapters");
    chapters
}

fn exercises_of(chapter: &str) -> PathBuf {
    book_dir().join(format!("../exercises/ch{chapter}"))
}

fn files_below(folder: &Path, ending: &str) -> usize {
    WalkDir::new(folder)
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.to_str().is_some_and(|path| path.ends_with(ending)))
        .count()
}

/// What stands under a heading of the second level.
fn section<'t>(text: &'t str, title: &str) -> &'t str {
    let from = text.find(&format!("\n## {title}\n")).unwrap();
    let body = &text[from + 1..];
    body[1..].find("\n## ").map_or(body, |end| &body[..=end])
}

#[test]
fn every_chapter_has_its_sections_in_order() {
    for (chapter, text) in chapters() {
        let titles: Vec<_> = text
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .collect();
        assert_eq!(titles, SECTIONS, "{chapter}");
    }
}

#[test]
fn every_prediction_and_question_has_a_gated_answer() {
    for (chapter, text) in chapters() {
        let predict = section(&text, "Predict");
        assert!(predict.contains("<div class=\"predict\">"), "{chapter}");
        assert!(predict.contains("<details class=\"answer\">"), "{chapter}");

        let questions: Vec<_> = section(&text, "Questions").split("\n**").skip(1).collect();
        assert_eq!(questions.len(), QUESTIONS, "{chapter}");
        for question in questions {
            assert!(
                question.contains("<details class=\"answer\"><summary>Model answer</summary>"),
                "{chapter}: {question}"
            );
            let words: Vec<_> = question.split_whitespace().collect();
            let words = words.join(" ").to_lowercase();
            assert!(
                words.contains("good answer") || words.contains("good one"),
                "{chapter}: the model answer does not say what a good answer contains: {question}"
            );
        }
    }
}

#[test]
fn every_chapter_has_exercises_mistakes_and_a_test_to_write() {
    for (chapter, text) in chapters() {
        let tasks = section(&text, "Tasks");
        let exercises = tasks.matches("<exercise-status ").count();
        assert!(exercises >= EXERCISES_MIN, "{chapter}: {exercises}");
        let golden = exercises_of(&chapter).join("golden");
        let mistakes = files_below(&golden, ".txt");
        assert!(mistakes >= MISTAKES_MIN, "{chapter}: {mistakes}");
        let checks = WalkDir::new(exercises_of(&chapter).join("checks"));
        let has_a_tester = checks.into_iter().any(|entry| {
            let entry = entry.unwrap();
            entry.file_type().is_file()
                && fs::read_to_string(entry.path())
                    .unwrap()
                    .contains(".tester(")
        });
        assert!(has_a_tester, "{chapter} lets nobody write a test");
    }
}

#[test]
fn every_chapter_plans_45_and_90_minutes() {
    for (chapter, text) in chapters() {
        let notes = section(&text, "Instructor notes");
        let mut planned: Vec<usize> = Vec::new();
        for plan in notes.split("<summary>").skip(1) {
            let (summary, plan) = plan.split_once("</summary>").unwrap();
            planned.extend(lengths_of(&chapter, summary, plan));
        }
        planned.sort_unstable();
        assert_eq!(planned, [45, 90], "{chapter}");
    }
}

/// The lengths that a plan's columns are for, each of them filled. A column's title says its length, "45 min", or
/// is "minutes": then the summary says it.
fn lengths_of(chapter: &str, summary: &str, plan: &str) -> Vec<usize> {
    let rows: Vec<Vec<&str>> = plan
        .lines()
        .filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let (titles, rows) = rows.split_first().unwrap();
    let mut lengths = Vec::new();
    for (column, title) in titles.iter().enumerate() {
        let title = if *title == "minutes" { summary } else { title };
        let number = title.split_whitespace().next().unwrap_or_default();
        let Ok(length) = number.parse::<usize>() else {
            continue;
        };
        let parts = rows
            .iter()
            .filter_map(|row| row[column].parse::<usize>().ok());
        assert_eq!(parts.sum::<usize>(), length, "{chapter}: {title}");
        lengths.push(length);
    }
    lengths
}

// How fast one reads is an assumption, not a measurement. The introduction says it in words.
const WORDS_OF_TEXT_A_MINUTE: usize = 200;
const WORDS_OF_CODE_A_MINUTE: usize = 100;
/// For the prediction, and for what a widget or a figure shows.
const MINUTES_TO_LOOK: usize = 10;

/// The minutes that a chapter takes to read, without hints and the instructor's notes, and without writing answers.
fn reading_minutes(chapter: &str, text: &str) -> usize {
    let (read, _) = text.split_once("\n## Instructor notes\n").unwrap();
    let read = without_hints(read);
    let (mut prose, mut code) = (0, 0);
    for line in read.lines() {
        match line.strip_prefix("{{#include ") {
            Some(include) => code += words_included(chapter, include.trim_end_matches("}}")),
            None => prose += line.split_whitespace().count(),
        }
    }
    prose / WORDS_OF_TEXT_A_MINUTE + code / WORDS_OF_CODE_A_MINUTE + MINUTES_TO_LOOK
}

fn without_hints(text: &str) -> String {
    let mut parts = text.split("<details class=\"hints\">");
    let first = parts.next();
    let others = parts.map(|part| part.split_once("</details>").unwrap().1);
    first.into_iter().chain(others).collect()
}

/// The words of an included file, or of the part between its anchors. Figures have none.
fn words_included(chapter: &str, include: &str) -> usize {
    let (file, anchor) = include.split_once(':').unwrap_or((include, ""));
    let path = book_dir().join("chapters").join(chapter).join(file);
    let text = fs::read_to_string(&path).unwrap();
    let part = match anchor {
        "" if file.ends_with(".svg") => String::new(),
        "" => text,
        _ => book::sources::anchored(&text, anchor).unwrap(),
    };
    part.split_whitespace().count()
}

/// The minutes of a chapter's exercises, as its manifest states them, in steps of five, and how many exercises these are.
fn exercise_minutes(chapter: &str) -> (usize, usize) {
    let manifest = fs::read_to_string(exercises_of(chapter).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let exercises = manifest["package"]["metadata"]["workbook"]["exercises"]
        .as_array()
        .unwrap();
    let minutes = exercises
        .iter()
        .map(|exercise| exercise["minutes"].as_integer().unwrap());
    let minutes = usize::try_from(minutes.sum::<i64>()).unwrap();
    (minutes.next_multiple_of(5), exercises.len())
}

#[test]
fn the_introduction_says_how_long_each_chapter_takes() {
    let row = |name: &str, reading: usize, exercises: usize, solving: usize| {
        format!("| {name} | {reading} | {exercises} | {solving} |\n")
    };
    let mut table = [
        "| chapter | minutes to read | exercises | minutes to solve them |\n",
        "|---|--:|--:|--:|\n",
    ]
    .concat();
    let (mut reading, mut exercises, mut solving) = (0, 0, 0);
    for (chapter, text) in chapters() {
        let title = text.lines().next().unwrap().trim_start_matches("# ");
        let minutes = reading_minutes(&chapter, &text).next_multiple_of(5);
        let (to_solve, count) = exercise_minutes(&chapter);
        table += &row(
            &format!("[{title}]({chapter}/index.md)"),
            minutes,
            count,
            to_solve,
        );
        reading += minutes;
        exercises += count;
        solving += to_solve;
    }
    table += &row("all", reading, exercises, solving);
    let hours = (reading + solving + 30) / 60;
    table += &format!("\nTogether about {hours} hours.\n");
    book::output::check("outputs/times.md", &table);
}

#[test]
fn a_plan_for_180_minutes_adds_90_to_the_one_for_90() {
    let mut plans = 0;
    for (chapter, text) in chapters() {
        let notes = section(&text, "Instructor notes");
        let Some((_, behind)) = notes.split_once("With 180 minutes, go on after the 90:\n\n")
        else {
            continue;
        };
        let items = behind.lines().map_while(|line| line.strip_prefix("- **"));
        let minutes = items.map(|item| item.split_once("**").unwrap().0.parse::<usize>().unwrap());
        assert_eq!(minutes.sum::<usize>(), 90, "{chapter}");
        plans += 1;
    }
    assert!(plans >= 5, "chapters 6 to 10 plan 180 minutes");
}
