//! Clients that people use, against our server: redis-py and ioredis, each with a script of what people do.
//!
//! The scripts are in `tests/clients/`. The packages come from the registries that pip and npm are set up for, into the build
//! directory. Where they cannot be had the test says so and passes; under `CI` it fails. redis-cli and
//! redis-benchmark are in `redis_cli.rs`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::StoreKind;
use crate::common::program::output_of;
use crate::common::servers::{Ours, installed};

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients")
}

/// A folder of the build directory.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a step of an installation. With `CI` set it must succeed.
fn step(command: &mut Command) -> bool {
    let output = command.output().unwrap();
    if output.status.success() {
        return true;
    }
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        std::env::var_os("CI").is_none(),
        "CI needs {command:?}: {text}"
    );
    eprintln!("skipped: {command:?} failed: {text}");
    false
}

/// Runs a script to its end, and shows what it said if it failed.
fn run(command: &mut Command) -> String {
    let output = output_of(command, b"");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}{complaints}");
    said
}

#[test]
fn redis_py_gets_what_it_expects() {
    if !installed("python3") {
        return;
    }
    let environment = folder("redis-py");
    let python = environment.join("bin/python");
    let is_there = python.is_file()
        && Command::new(&python)
            .args(["-c", "import redis"])
            .status()
            .is_ok_and(|status| status.success());
    let is_there = is_there
        || (step(
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(&environment),
        ) && step(
            Command::new(&python)
                .args(["-m", "pip", "install", "--quiet", "--requirement"])
                .arg(scripts().join("requirements.txt")),
        ));
    if !is_there {
        return;
    }
    for kind in StoreKind::ALL {
        for protocol in ["2", "3"] {
            let ours = Ours::start(kind.open());
            let said = run(Command::new(&python)
                .arg(scripts().join("people.py"))
                .args([&ours.address.port().to_string(), protocol]));
            assert_eq!(said.lines().count(), 10, "{said}");
        }
    }
}

#[test]
fn ioredis_gets_what_it_expects() {
    if !installed("node") || !installed("npm") {
        return;
    }
    let modules = folder("ioredis");
    for file in ["package.json", "people.mjs"] {
        std::fs::copy(scripts().join(file), modules.join(file)).unwrap();
    }
    let is_there = modules.join("node_modules/ioredis").is_dir()
        || step(
            Command::new("npm")
                .args(["install", "--silent", "--no-audit", "--no-fund"])
                .current_dir(&modules),
        );
    if !is_there {
        return;
    }
    for kind in StoreKind::ALL {
        let ours = Ours::start(kind.open());
        let said = run(Command::new("node")
            .arg("people.mjs")
            .arg(ours.address.port().to_string())
            .current_dir(&modules));
        assert_eq!(said.lines().count(), 7, "{said}");
    }
}
