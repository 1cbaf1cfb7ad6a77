//! A directory whose `CURRENT` or manifest is damaged or missing: each command ends with the same exit code, and says
//! what to do. So with a directory that is another program's.

#[expect(dead_code, reason = "no output is stored")]
mod support;

use std::fs;
use std::path::Path;

use support::{database, files, lsm};

/// Copies the files of one directory into another.
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// What each command that takes a directory says about a copy of `dir`.
fn outcomes(dir: &Path) -> Vec<(&'static str, u8, String)> {
    let home = tempfile::tempdir().unwrap();
    ["stats", "dump", "verify", "checkpoint", "repair"]
        .into_iter()
        .map(|command| {
            let own = home.path().join(command);
            copy(dir, &own);
            let target = home.path().join("target");
            let mut args = vec![command, own.to_str().unwrap()];
            args.extend((command == "checkpoint").then(|| target.to_str().unwrap()));
            let (code, text) = lsm(&args);
            (command, code, text)
        })
        .collect()
}

#[test]
fn a_damaged_pointer_is_damage_to_every_command() {
    let home = tempfile::tempdir().unwrap();
    let sound = home.path().join("sound");
    database(&sound);
    let names: Vec<_> = files(&sound)
        .into_iter()
        .map(|file| file.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    let manifest = names.iter().find(|name| name.starts_with("MANIFEST"));
    let manifest = manifest.unwrap();
    let cut = &fs::read(sound.join(manifest)).unwrap()[..50];
    // The file, and what it holds, or nothing if it is missing.
    let cases: [(&str, Option<&[u8]>); 8] = [
        ("CURRENT", None),
        ("CURRENT", Some(b"")),
        ("CURRENT", Some(b"MANIBEST-000002\n")),
        ("CURRENT", Some(b"MANIFEST-000999\n")),
        (manifest, None),
        (manifest, Some(b"")),
        (manifest, Some(&[0; 300])),
        (manifest, Some(cut)),
    ];
    for (case, (name, contents)) in cases.into_iter().enumerate() {
        let dir = home.path().join(case.to_string());
        copy(&sound, &dir);
        let path = dir.join(name);
        match contents {
            Some(contents) => fs::write(&path, contents).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        for (command, code, text) in outcomes(&dir) {
            assert_eq!(code, 1, "{name} is {contents:?}, {command}: {text}");
            // A repair has done what there is to do.
            let advises = text.contains("lsm repair") || text.contains("lsm verify");
            assert!(
                advises || (command == "repair" && text.contains("it opens again")),
                "{name} is {contents:?}, {command}: {text}"
            );
            assert!(!text.contains("is not a database"), "{command}: {text}");
        }
        if contents.is_some() {
            let (code, text) = lsm(&["explain", path.to_str().unwrap()]);
            assert_eq!(code, 1, "{name} is {contents:?}: {text}");
            assert!(text.contains("lsm verify"), "{text}");
        }
        if name == manifest && contents.is_none() {
            let (code, text) = lsm(&["explain", dir.join("CURRENT").to_str().unwrap()]);
            assert!(
                code == 1
                    && text.contains("which is not here")
                    && text.contains("no other manifest"),
                "{text}"
            );
        }
    }
}

/// A power cut may have torn the last edit, and nothing is wrong then. But whoever looks is told.
#[test]
fn a_manifest_that_ends_too_early_is_not_shown_as_if_that_were_all() {
    let dir = tempfile::tempdir().unwrap();
    database(dir.path());
    let mut manifest = files(dir.path());
    manifest.retain(|file| file.to_string_lossy().contains("MANIFEST"));
    let manifest = &manifest[0];
    let bytes = fs::read(manifest).unwrap();
    fs::write(manifest, &bytes[..bytes.len() - 3]).unwrap();
    for args in [&["stats"][..], &["stats", "--json"], &["verify"], &["dump"]] {
        let (_, text) = lsm(&[args, &[dir.path().to_str().unwrap()]].concat());
        assert!(text.contains("torn"), "{args:?}: {text}");
    }
}

/// As LevelDB has it: the names are the same.
#[test]
fn another_programs_directory_is_left_alone_by_every_command() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("level");
    fs::create_dir(&dir).unwrap();
    let manifest = b"\x56\xf9\xb8\xf8\x1c\x00\x01\x01\x1aleveldb.BytewiseComparator\x02\x00";
    // The first record has the sequence number 3, where ours has the number of the log.
    let log = b"\x10\x20\x30\x40\x19\x00\x01\x03\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01\x03key\x05value";
    for (name, contents) in [
        ("CURRENT", &b"MANIFEST-000002\n"[..]),
        ("MANIFEST-000002", manifest),
        ("000003.log", log),
        (
            "000005.sst",
            b"a table in another format, which ends in another way",
        ),
    ] {
        fs::write(dir.join(name), contents).unwrap();
    }
    for (command, code, text) in outcomes(&dir) {
        assert_eq!(code, 2, "{command}: {text}");
        assert!(
            text.contains("is not a database of this engine"),
            "{command}: {text}"
        );
    }
    // None of them has moved anything, not even the repair.
    let own = home.path().join("own");
    copy(&dir, &own);
    assert_eq!(lsm(&["repair", own.to_str().unwrap()]).0, 2);
    let names = |dir: &Path| {
        let mut names: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|file| file.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(&own), names(&dir));
}
