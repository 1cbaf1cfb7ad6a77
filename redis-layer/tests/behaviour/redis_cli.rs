//! The real redis-cli against our server, if it is installed.

use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::common::client::Client;
use crate::common::program::output_of;
use crate::common::servers::{Ours, installed};
use crate::common::{StoreKind, scope_in_time};

fn redis_cli(ours: &Ours, args: &[&str], input: &[u8]) -> String {
    let mut command = Command::new("redis-cli");
    let command = command
        .args(["-h", "127.0.0.1", "-p", &ours.address.port().to_string()])
        .args(args);
    let output = output_of(command, input);
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).unwrap()
}

/// What it prints that listens to a channel until the server ends its connection.
fn heard_by_redis_cli(ours: &Ours) -> String {
    scope_in_time(|scope| {
        let listener = scope.spawn(|| redis_cli(ours, &["subscribe", "news"], b""));
        let mut speaker = Client::connect(ours.address);
        while speaker.call(&["publish", "news", "hello"]) == ":0\\r\\n" {
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(
            speaker.call(&["client", "kill", "type", "pubsub"]),
            ":1\\r\\n"
        );
        listener.join().unwrap()
    })
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
        // A transaction and scripts, as they are typed.
        let typed = b"multi\nincr visits\nincrby visits 4\nexec\neval \"return redis.call('get', KEYS[1])\" 1 visits\n";
        assert_eq!(
            redis_cli(&ours, &[], typed),
            "OK\nQUEUED\nQUEUED\n1\n5\n5\n"
        );
        assert_eq!(ask(&["--scan", "--pattern", "vis*"]), "visits\n");
        let pops = b"rpush jobs one two\nblpop jobs other 1\nblpop jobs 1\nblpop jobs 0.01\n";
        assert_eq!(redis_cli(&ours, &[], pops), "2\njobs\none\njobs\ntwo\n\n");
        let heard = heard_by_redis_cli(&ours);
        assert!(
            heard.starts_with("subscribe\nnews\n1\nmessage\nnews\nhello\n"),
            "{heard}"
        );
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

/// Everything that redis-benchmark asks by itself, with the command that it asks for and how many times the requests of a
/// test it does.
const ASKED: [(&str, &str, u64); 20] = [
    ("PING_INLINE", "ping", 2),
    ("PING_MBULK", "ping", 2),
    ("SET", "set", 1),
    ("GET", "get", 1),
    ("INCR", "incr", 1),
    // The second time for the list of which ranges are asked.
    ("LPUSH", "lpush", 2),
    ("RPUSH", "rpush", 1),
    ("LPOP", "lpop", 1),
    ("RPOP", "rpop", 1),
    ("SADD", "sadd", 1),
    ("HSET", "hset", 1),
    ("SPOP", "spop", 1),
    ("ZADD", "zadd", 1),
    ("ZPOPMIN", "zpopmin", 1),
    ("LPUSH (needed to benchmark LRANGE)", "lpush", 2),
    ("LRANGE_100 (first 100 elements)", "lrange", 4),
    ("LRANGE_300 (first 300 elements)", "lrange", 4),
    ("LRANGE_500 (first 500 elements)", "lrange", 4),
    ("LRANGE_600 (first 600 elements)", "lrange", 4),
    ("MSET (10 keys)", "mset", 1),
];

#[test]
fn redis_benchmark_finds_what_it_asks_for() {
    if !installed("redis-benchmark") {
        return;
    }
    const REQUESTS: u64 = 1000;
    for kind in StoreKind::ALL {
        let ours = Ours::start(kind.open());
        let mut benchmark = Command::new("redis-benchmark");
        let requests = REQUESTS.to_string();
        let benchmark = benchmark
            .args(["-h", "127.0.0.1", "-p", &ours.address.port().to_string()])
            .args(["-n", &requests, "-c", "5", "-P", "4", "-r", "700", "--csv"]);
        // It ends at the first error.
        let output = output_of(benchmark, b"");
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(output.status.success(), "{text}");
        assert!(!text.to_lowercase().contains("err"), "{text}");
        let counts = Client::connect(ours.address).counts();
        for (test, command, times) in ASKED {
            assert!(text.contains(&format!("\"{test}\"")), "{test}: {text}");
            let calls = format!("cmdstat_{command}:calls={},", REQUESTS * times);
            let line = counts.iter().find(|line| line.starts_with(&calls));
            let line = line.unwrap_or_else(|| panic!("{calls} {counts:?}"));
            assert!(line.ends_with("rejected_calls=0,failed_calls=0"), "{line}");
        }
        assert!(
            counts.contains(&"total_error_replies:0".to_owned()),
            "{counts:?}"
        );
    }
}
