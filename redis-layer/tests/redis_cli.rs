//! The real redis-cli against our server, if it is installed.

mod common;

use std::io::Write;
use std::process::{Command, Stdio};

use common::StoreKind;
use common::servers::{Ours, installed};

fn redis_cli(ours: &Ours, args: &[&str], input: &[u8]) -> String {
    let mut process = Command::new("redis-cli")
        .args(["-h", "127.0.0.1", "-p", &ours.address.port().to_string()])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    process.stdin.take().unwrap().write_all(input).unwrap();
    let output = process.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).unwrap()
}

#[test]
fn people_and_pipes_get_their_answers() {
    if !installed("redis-cli") {
        return;
    }
    for kind in StoreKind::ALL {
        let ours = Ours::start(kind.open());
        let ask = |args: &[&str]| redis_cli(&ours, args, b"");
        assert_eq!(ask(&["zadd", "board", "200", "ann", "100", "bob"]), "2\n");
        assert_eq!(
            ask(&["zrange", "board", "0", "-1", "withscores"]),
            "bob\n100\nann\n200\n"
        );
        assert_eq!(ask(&["-3", "zscore", "board", "ann"]), "200\n");
        assert_eq!(
            ask(&["nope"]),
            "ERR unknown command 'nope', with args beginning with: \n\n"
        );
        let script = b"set greeting \"hello world\"\nget greeting\nselect 1\nget greeting\n";
        assert_eq!(redis_cli(&ours, &[], script), "OK\nhello world\nOK\n\n");
        let mut bulk = Vec::new();
        for n in 0..1000 {
            bulk.extend_from_slice(format!("ZADD bulk {n} m{n}\r\n").as_bytes());
        }
        let summary = redis_cli(&ours, &["--pipe"], &bulk);
        assert!(summary.contains("errors: 0, replies: 1000"), "{summary}");
        assert_eq!(ask(&["zcard", "bulk"]), "1000\n");
        assert!(ask(&["command", "docs", "zadd"]).contains("sorted-set"));
        // It asks the server for COMMAND DOCS, and ends if it cannot read them.
        let calls = || {
            let statistics = ask(&["info", "commandstats"]);
            let of_docs = statistics.split("cmdstat_command|docs:calls=").nth(1);
            let calls = of_docs.and_then(|text| text.split(',').next());
            calls.unwrap().parse::<u64>().unwrap()
        };
        let before = calls();
        let help = ask(&["help", "zadd"]);
        assert!(help.contains("key [NX|XX] [GT|LT]"), "{help}");
        assert_eq!(calls(), before + 1);
        assert!(ask(&["info", "server"]).contains("redis_version:7.0"));
    }
}

#[test]
fn redis_benchmark_finds_what_it_asks_for() {
    if !installed("redis-benchmark") {
        return;
    }
    let ours = Ours::start(StoreKind::BTree.open());
    let output = Command::new("redis-benchmark")
        .args(["-h", "127.0.0.1", "-p", &ours.address.port().to_string()])
        .args([
            "-t",
            "set,get,zadd,zpopmin",
            "-n",
            "500",
            "-c",
            "5",
            "-P",
            "4",
            "--csv",
        ])
        .output()
        .unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.success(), "{text}");
    for test in ["SET", "GET", "ZADD", "ZPOPMIN"] {
        assert!(text.contains(&format!("\"{test}")), "{text}");
    }
    assert!(!text.to_lowercase().contains("error"), "{text}");
}
