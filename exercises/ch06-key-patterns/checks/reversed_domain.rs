//! Hosts under reversed domains: every domain, over every set of hosts.

use std::collections::BTreeSet;
use std::sync::Arc;

use kit::{Answer, Cast, Exercise, Judged, PartOf, Show as _, check, show_list};

use crate::{mistakes, solutions, stubs};
use ch06_key_patterns::reversed_domain as learner;

/// The store: keys of hosts.
pub(crate) type Rows = BTreeSet<Vec<u8>>;

type Key = Arc<dyn Fn(&str) -> Vec<u8> + Send + Sync>;
type HostsOf = Arc<dyn Fn(&Rows, &str) -> Vec<String> + Send + Sync>;

/// Somebody's two functions.
#[derive(Clone)]
pub(crate) struct Hosts {
    pub(crate) key: Key,
    pub(crate) hosts_of: HostsOf,
}

impl Hosts {
    pub(crate) fn new(
        key: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
        hosts_of: impl Fn(&Rows, &str) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            key: Arc::new(key),
            hosts_of: Arc::new(hosts_of),
        }
    }
}

/// The hosts, the plainest first.
const HOSTS: [&str; 26] = [
    "example.com",
    "www.example.com",
    "mail.example.com",
    "a.www.example.com",
    "com",
    "example.org",
    "org",
    "example2.com",
    "example-shop.com",
    "www.example-shop.com",
    "badexample.com",
    "exampl.com",
    "com.example",
    "example.com.example.com",
    "localhost",
    "zoo.example.com",
    "0.example.com",
    "x--y.example.com",
    "example.co",
    "example.co.uk",
    "co.uk",
    "a.b.c.d",
    "b.c.d",
    "moc.elpmaxe",
    // The name of an address of 128 bits: 34 labels.
    "b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
    // The greatest label of all, as long as the domain name system lets one be.
    "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz.example.com",
];

/// The hosts of each store, as places in `HOSTS`.
const STORES: [&[usize]; 7] = [
    &[0, 1, 2, 3],
    &[0, 2, 3, 7, 8, 10, 4],
    &[1, 2, 8, 9],
    &[],
    &[0, 4, 5, 6, 11, 12, 13, 14],
    &[15, 16, 17, 0, 7],
    &[
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
        25,
    ],
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Hosts::new(learner::key, learner::hosts_of)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Hosts) -> Exercise<Hosts> {
    let cast = Cast {
        learner,
        stub: Hosts::new(
            stubs::reversed_domain::key,
            stubs::reversed_domain::hosts_of,
        ),
        solution: Hosts::new(
            solutions::reversed_domain::key,
            solutions::reversed_domain::hosts_of,
        ),
    };
    Exercise::new("reversed-domain", "06-key-patterns", cast)
        .part(keys())
        .part(scans())
        .check(check::answers(
            "key",
            "bytes",
            "A key is the labels from the last to the first, each with its dot.",
        ))
        .check(check::answers(
            "hosts_of",
            "domain",
            "The domain itself and all hosts below it, and no others.",
        ))
        .mistakes(mistakes::reversed_domain::all())
}

fn keys() -> PartOf<Hosts> {
    let mut part = PartOf::new("key", "key");
    for host in HOSTS {
        let class = match host.split('.').count() {
            1 => "hosts of one label",
            2 => "hosts of two labels",
            _ => "hosts of more labels",
        };
        part = part.probe(
            format!("key({host:?})"),
            host.show(),
            &[class],
            move |hosts: &Hosts| {
                let key = (hosts.key)(host);
                // As text, because that is what these bytes are to be.
                Answer::text(format!("\"{}\"", key.escape_ascii()))
            },
        );
    }
    part
}

fn scans() -> PartOf<Hosts> {
    let mut part = PartOf::new("hosts_of", "list").after("key");
    for places in STORES {
        let hosts: Vec<String> = places
            .iter()
            .map(|place| HOSTS[*place].to_owned())
            .collect();
        let shown = match hosts.len() {
            ..=8 => hosts.join(", "),
            count => format!("all {count} hosts of the check"),
        };
        for domain in HOSTS {
            part = scan(part, &shown, &hosts, domain);
        }
    }
    // More hosts than a page has.
    let many: Vec<String> = (1000..2100).map(|n| format!("h{n}.example.com")).collect();
    let shown = format!("{} to {}", many[0], many[many.len() - 1]);
    scan(part, &shown, &many, "example.com")
}

fn scan(part: PartOf<Hosts>, shown: &str, hosts: &[String], domain: &'static str) -> PartOf<Hosts> {
    let call = format!("hosts_of({{{shown}}}, {domain:?})");
    let below = format!(".{domain}");
    let itself = hosts.iter().any(|host| host == domain);
    let class = match (itself, hosts.iter().any(|host| host.ends_with(&below))) {
        (true, true) => "domains that are there, with hosts below",
        (true, false) => "domains that are there, with nothing below",
        (false, true) => "domains that are not there themselves, with hosts below",
        (false, false) => "domains without a host",
    };
    let hosts = hosts.to_vec();
    part.probe(
        call.clone(),
        Answer::text(call),
        &[class],
        move |imp: &Hosts| {
            // Rows as the task says, not as the learner's `key` makes them.
            let rows: Rows = hosts
                .iter()
                .map(|host| solutions::reversed_domain::key(host))
                .collect();
            show_list((imp.hosts_of)(&rows, domain))
        },
    )
}
