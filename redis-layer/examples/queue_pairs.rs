//! What the first and the last ten thousand pairs of `ZADD` and `ZPOPMIN` on one key take: the client of `benches/redis/queue`.
//!
//! ```text
//! cargo run --release -p redis-layer --example queue_pairs -- PORT PAIRS
//! ```
//!
//! Prints two cells for the first ten thousand and two for the last: milliseconds for all of them, and the median of
//! what one takes, in microseconds. Those are sent one by one, so each takes a round trip; all between are sent in hundreds.
//! As many on another key go before, so that the first ones find the server warm. Every answer is checked.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::ops::Range;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// How many pairs are timed at each end.
const TIMED: usize = 10_000;
/// How many members wait behind, so that the queue is never empty.
const WAITING: usize = 100;
/// How many pairs that are not timed are sent at once.
const AT_ONCE: usize = 100;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |name| -> Result<usize> {
        let argument = arguments.next().context(name)?;
        argument
            .parse()
            .with_context(|| format!("{name}: {argument}"))
    };
    let port = u16::try_from(number("a port")?)?;
    let pairs = number("a number of pairs")?;
    ensure!(pairs >= 2 * TIMED, "at least {} pairs", 2 * TIMED);
    let mut client = Client::connect(port)?;
    client.fill("warm")?;
    client.fill("q")?;
    client.timed("warm", 0..TIMED)?;
    let first = client.timed("q", 0..TIMED)?;
    let last = pairs - TIMED;
    for from in (TIMED..last).step_by(AT_ONCE) {
        client.pairs("q", from..last.min(from + AT_ONCE))?;
    }
    let last = client.timed("q", last..pairs)?;
    println!("{} {}", cells(first), cells(last));
    Ok(())
}

/// The sum, and the median.
fn cells(mut times: Vec<Duration>) -> String {
    times.sort();
    let all: Duration = times.iter().sum();
    let median = times[times.len() / 2];
    format!(
        "{:.1} {:.1}",
        all.as_secs_f64() * 1e3,
        median.as_secs_f64() * 1e6
    )
}

struct Client {
    stream: TcpStream,
    answers: BufReader<TcpStream>,
    line: String,
}

impl Client {
    fn connect(port: u16) -> Result<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            answers: BufReader::new(stream.try_clone()?),
            stream,
            line: String::new(),
        })
    }

    fn expect(&mut self, line: &str) -> Result<()> {
        self.line.clear();
        self.answers.read_line(&mut self.line)?;
        let line_read = self.line.trim_end();
        ensure!(line_read == line, "{line_read:?} instead of {line:?}");
        Ok(())
    }

    fn fill(&mut self, key: &str) -> Result<()> {
        let members: String = (0..WAITING).map(|n| format!(" 1e12 waits:{n}")).collect();
        self.stream
            .write_all(format!("ZADD {key}{members}\r\n").as_bytes())?;
        self.expect(&format!(":{WAITING}"))
    }

    fn timed(&mut self, key: &str, numbers: Range<usize>) -> Result<Vec<Duration>> {
        let time = |number| {
            let begin = Instant::now();
            self.pairs(key, number..number + 1)?;
            Ok(begin.elapsed())
        };
        numbers.map(time).collect()
    }

    /// Each pair adds a member that is the first one then, and takes it.
    fn pairs(&mut self, key: &str, numbers: Range<usize>) -> Result<()> {
        let pairs = numbers
            .clone()
            .map(|n| format!("ZADD {key} {n} job:{n}\r\nZPOPMIN {key}\r\n"));
        self.stream
            .write_all(pairs.collect::<String>().as_bytes())?;
        for n in numbers {
            let (member, score) = (format!("job:{n}"), n.to_string());
            self.expect(":1")?;
            self.expect("*2")?;
            for text in [member, score] {
                self.expect(&format!("${}", text.len()))?;
                self.expect(&text)?;
            }
        }
        Ok(())
    }
}
