//! How long a `GET` and a `SET` wait while another client sends a command that takes long: the client of
//! `benches/redis/waits`.
//!
//! ```text
//! cargo run --release -p redis-layer --example waits -- ROUNDS DIVISOR NAME PORT [NAME PORT]
//! ```
//!
//! Prints a table with a row for each command and server. `DIVISOR` makes all collections smaller, for a quick look; the
//! names of the commands are right for 1. Everything that the servers hold is removed.
//!
//! One client sends `GET`s of a key that nothing else touches, one at a time with a short pause between them, and another
//! one `SET`s of a second key. What counts are those that end after the long command was sent, until a tenth of a second
//! after its answer: some commands leave work behind.

use std::io::{BufRead, BufReader, Read, Write, copy, sink};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// Between two commands of a client that waits. So both servers have time left for the long command.
const PAUSE: Duration = Duration::from_micros(200);
/// From the end of the preparation to the long command.
const BEFORE: Duration = Duration::from_millis(500);
/// How long is measured after its answer.
const AFTER: Duration = Duration::from_millis(100);
/// How many elements one command of the preparation adds.
const AT_ONCE: usize = 1000;
const MEGABYTE: usize = 1 << 20;

/// A command that takes long.
struct Long {
    name: &'static str,
    /// Fills what it works on.
    prepare: fn(&mut Client, Sizes) -> Result<()>,
    words: fn(Sizes) -> Vec<String>,
}

const LONG: &[Long] = &[
    Long {
        name: "`DEL` of 10 sets of 100,000",
        prepare: |client, sizes| {
            (0..10).try_for_each(|n| client.set(&format!("s{n}"), 0, sizes.of(100_000)))
        },
        words: |_| words("DEL s0 s1 s2 s3 s4 s5 s6 s7 s8 s9"),
    },
    Long {
        name: "`DEL` of 200,000 keys",
        prepare: |client, sizes| client.strings(sizes.of(200_000)),
        words: |sizes| named("DEL", "key", sizes.of(200_000)),
    },
    Long {
        name: "`FLUSHALL` of 1,000,000 keys",
        prepare: |client, sizes| client.strings(sizes.of(1_000_000)),
        words: |_| words("FLUSHALL"),
    },
    Long {
        name: "`KEYS` of 1,000,000 keys",
        prepare: |client, sizes| client.strings(sizes.of(1_000_000)),
        words: |_| words("KEYS *"),
    },
    Long {
        name: "`SMEMBERS` of 1,000,000",
        prepare: |client, sizes| client.set("s", 0, sizes.of(1_000_000)),
        words: |_| words("SMEMBERS s"),
    },
    Long {
        name: "`SPOP` of 100,000 of 1,000,000",
        prepare: |client, sizes| client.set("s", 0, sizes.of(1_000_000)),
        words: |sizes| words(&format!("SPOP s {}", sizes.of(100_000))),
    },
    Long {
        name: "`SUNIONSTORE` into 600,000",
        prepare: two_sets,
        words: |_| words("SUNIONSTORE d a b"),
    },
    Long {
        name: "`COPY` of a set of 600,000",
        prepare: |client, sizes| client.set("s", 0, sizes.of(600_000)),
        words: |_| words("COPY s d"),
    },
    Long {
        name: "`ZUNIONSTORE` into 600,000",
        prepare: two_sets,
        words: |_| words("ZUNIONSTORE d 2 a b"),
    },
    Long {
        name: "`ZREMRANGEBYRANK` of 299,000 of 300,000",
        prepare: |client, sizes| client.sorted_set(sizes.of(300_000)),
        words: |sizes| words(&format!("ZREMRANGEBYRANK z 0 {}", sizes.of(299_000) - 1)),
    },
    Long {
        name: "`LTRIM` of 1,000,000 to 10",
        prepare: |client, sizes| client.list(sizes.of(1_000_000)),
        words: |_| words("LTRIM l 0 9"),
    },
    Long {
        name: "`SORT` of 500,000 with `STORE`",
        prepare: |client, sizes| client.list(sizes.of(500_000)),
        words: |_| words("SORT l STORE d"),
    },
    Long {
        name: "`SET` of 64 MB",
        prepare: |_, _| Ok(()),
        words: |sizes| with_text("SET text", sizes.of(64 * MEGABYTE)),
    },
    Long {
        name: "`APPEND` of 64 MB to 64 MB",
        prepare: |client, sizes| {
            client.call(&with_text("SET text", sizes.of(64 * MEGABYTE)))?;
            Ok(())
        },
        words: |sizes| with_text("APPEND text", sizes.of(64 * MEGABYTE)),
    },
    Long {
        name: "`BITOP` of 64 MB",
        prepare: |client, sizes| {
            client.call(&with_text("SET text", sizes.of(64 * MEGABYTE)))?;
            Ok(())
        },
        words: |_| words("BITOP NOT d text"),
    },
    Long {
        name: "`EVAL` of 1,000,000 times `GET`",
        prepare: |_, _| Ok(()),
        words: |sizes| {
            eval(
                "for n = 1, ARGV[1] do redis.call('GET', KEYS[1]) end",
                sizes.of(1_000_000),
            )
        },
    },
    Long {
        name: "`EVAL` of 50,000,000 additions",
        prepare: |_, _| Ok(()),
        words: |sizes| {
            eval(
                "local sum = 0 for n = 1, ARGV[1] do sum = sum + n end",
                sizes.of(50_000_000),
            )
        },
    },
    // Redis looks at all keys that a client watches for each one that it adds: of more of them `WATCH` would take minutes.
    Long {
        name: "`UNWATCH` of 50,000 keys",
        prepare: |client, sizes| client.watch(sizes.of(50_000)),
        words: |_| words("UNWATCH"),
    },
    Long {
        name: "`EXEC` after `WATCH` of 50,000 keys",
        prepare: |client, sizes| {
            client.watch(sizes.of(50_000))?;
            client.call(&words("MULTI"))?;
            client.call(&words("SET new 1"))
        },
        words: |_| words("EXEC"),
    },
];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |name: &'static str| arguments.next().context(name);
    let rounds: usize = next("a number of rounds")?.parse()?;
    let divisor: usize = next("a divisor of all sizes")?.parse()?;
    ensure!(
        rounds > 0 && divisor > 0,
        "rounds and divisor are at least 1"
    );
    let sizes = Sizes { divisor };
    let mut servers = Vec::new();
    while let Ok(name) = next("a name") {
        servers.push((name, next("a port")?.parse::<u16>()?));
    }
    println!(
        "| command | server | itself, ms | slowest `GET`, ms | 99.9 % | slowest `SET`, ms | 99.9 % |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|");
    for long in LONG {
        let mut measured: Vec<_> = servers.iter().map(|_| Measured::default()).collect();
        for round in 1..=rounds {
            for ((name, port), measured) in servers.iter().zip(&mut measured) {
                eprintln!("{}, {name}, round {round}", long.name);
                measure(long, *port, sizes, measured)
                    .with_context(|| format!("{} at {name}", long.name))?;
            }
        }
        for ((name, _), measured) in servers.iter().zip(measured) {
            println!("| {} | {name} | {} |", long.name, measured.cells());
        }
    }
    Ok(())
}

/// How large the collections are.
#[derive(Clone, Copy)]
struct Sizes {
    divisor: usize,
}

impl Sizes {
    fn of(self, size: usize) -> usize {
        (size / self.divisor).max(20)
    }
}

/// The times of all rounds.
#[derive(Default)]
struct Measured {
    long: Vec<Duration>,
    get: Vec<Duration>,
    set: Vec<Duration>,
}

impl Measured {
    /// The median of the long command; of the others the greatest, and what 99.9 % of them do not exceed.
    fn cells(mut self) -> String {
        for times in [&mut self.long, &mut self.get, &mut self.set] {
            times.sort();
        }
        let Self { long, get, set } = &self;
        let at = |times: &[Duration], place: usize| times[place].as_secs_f64() * 1e3;
        let long = at(long, long.len() / 2);
        let [get, set] = [get, set].map(|times| {
            let last = times.len() - 1;
            let most = times.len() * 999 / 1000;
            format!("{:.1} | {:.1}", at(times, last), at(times, most.min(last)))
        });
        format!("{long:.1} | {get} | {set}")
    }
}

/// One round of one command at one server.
fn measure(long: &Long, port: u16, sizes: Sizes, measured: &mut Measured) -> Result<()> {
    let mut client = Client::connect(port)?;
    client.call(&words("FLUSHALL"))?;
    (long.prepare)(&mut client, sizes)?;
    let words_of_long = (long.words)(sizes);
    let (counts, ends) = (AtomicBool::new(false), AtomicBool::new(false));
    let (counts, ends) = (&counts, &ends);
    thread::scope(|scope| {
        let beside = |line: &'static str| {
            scope.spawn(move || -> Result<Vec<Duration>> {
                let mut client = Client::connect(port)?;
                let (command, mut times) = (words(line), Vec::new());
                while !ends.load(Ordering::SeqCst) {
                    let begin = Instant::now();
                    client.call(&command)?;
                    if counts.load(Ordering::SeqCst) {
                        times.push(begin.elapsed());
                    }
                    thread::sleep(PAUSE);
                }
                Ok(times)
            })
        };
        let (get, set) = (beside("GET waits:get"), beside("SET waits:set value"));
        thread::sleep(BEFORE);
        counts.store(true, Ordering::SeqCst);
        let begin = Instant::now();
        let answer = client.call(&words_of_long);
        measured.long.push(begin.elapsed());
        thread::sleep(AFTER);
        ends.store(true, Ordering::SeqCst);
        for (all, beside) in [(&mut measured.get, get), (&mut measured.set, set)] {
            let times = beside.join().expect("it does not panic")?;
            ensure!(!times.is_empty(), "nothing was answered beside it");
            all.extend(times);
        }
        answer
    })
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

fn named(command: &str, name: &str, count: usize) -> Vec<String> {
    let names = (0..count).map(|n| format!("{name}:{n}"));
    [command.to_owned()].into_iter().chain(names).collect()
}

fn with_text(line: &str, bytes: usize) -> Vec<String> {
    let mut words = words(line);
    words.push("x".repeat(bytes));
    words
}

fn eval(script: &str, times: usize) -> Vec<String> {
    ["EVAL", script, "1", "key", &times.to_string()]
        .map(str::to_owned)
        .to_vec()
}

/// Half of the members of the second one are in the first one too.
fn two_sets(client: &mut Client, sizes: Sizes) -> Result<()> {
    client.set("a", 0, sizes.of(400_000))?;
    client.set("b", sizes.of(200_000), sizes.of(600_000))
}

struct Client {
    stream: TcpStream,
    answers: BufReader<TcpStream>,
}

impl Client {
    fn connect(port: u16) -> Result<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nodelay(true)?;
        let answers = BufReader::with_capacity(MEGABYTE, stream.try_clone()?);
        Ok(Self { stream, answers })
    }

    /// Sends a command and reads its answer to the end.
    fn call(&mut self, words: &[impl AsRef<str>]) -> Result<()> {
        let mut request = format!("*{}\r\n", words.len());
        for word in words {
            let word = word.as_ref();
            request += &format!("${}\r\n", word.len());
            request += word;
            request += "\r\n";
        }
        self.stream.write_all(request.as_bytes())?;
        let mut left: u64 = 1;
        let mut line = String::new();
        while left > 0 {
            line.clear();
            self.answers.read_line(&mut line)?;
            let (kind, rest) = line.trim_end().split_at_checked(1).context("no answer")?;
            // A length of -1 means that there is nothing.
            let length = || Ok::<_, anyhow::Error>(rest.parse::<i64>()?.max(0).unsigned_abs());
            left -= 1;
            match kind {
                "+" | ":" => {}
                "*" => left += length()?,
                "$" if rest == "-1" => {}
                "$" => {
                    let mut text = (&mut self.answers).take(length()? + 2);
                    copy(&mut text, &mut sink())?;
                }
                _ => bail!("it answered {line:?}"),
            }
        }
        Ok(())
    }

    /// Sends commands that begin with these words, each with what belongs to some of the numbers.
    fn fill(
        &mut self,
        begin: &str,
        numbers: std::ops::Range<usize>,
        of: impl Fn(usize, &mut Vec<String>),
    ) -> Result<()> {
        for from in numbers.clone().step_by(AT_ONCE) {
            let mut command = words(begin);
            (from..numbers.end.min(from + AT_ONCE)).for_each(|n| of(n, &mut command));
            self.call(&command)?;
        }
        Ok(())
    }

    fn set(&mut self, key: &str, from: usize, end: usize) -> Result<()> {
        let member = |n, words: &mut Vec<String>| words.push(format!("member:{n}"));
        self.fill(&format!("SADD {key}"), from..end, member)
    }

    /// Scores in no order.
    fn sorted_set(&mut self, count: usize) -> Result<()> {
        self.fill("ZADD z", 0..count, |n, words| {
            words.push((n * 7919 % count).to_string());
            words.push(format!("member:{n}"));
        })
    }

    /// Numbers in no order.
    fn list(&mut self, count: usize) -> Result<()> {
        let element =
            |n: usize, words: &mut Vec<String>| words.push((n * 7919 % count).to_string());
        self.fill("RPUSH l", 0..count, element)
    }

    fn strings(&mut self, count: usize) -> Result<()> {
        self.fill("MSET", 0..count, |n, words| {
            words.push(format!("key:{n}"));
            words.push("value".to_owned());
        })
    }

    fn watch(&mut self, count: usize) -> Result<()> {
        let key = |n, words: &mut Vec<String>| words.push(format!("key:{n}"));
        self.fill("WATCH", 0..count, key)
    }
}
