//! Hosts under reversed domains: every domain, over every set of hosts.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use kit::answer::{quoted, quoted_text};
use kit::exercise::Part;
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, Show as _, check, show_list};

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
const HOSTS: [&str; 27] = [
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
    // Digits are labels like any other.
    "10.0.0.1",
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
    let mut part = PartOf::new("key", "key").says(labels_of_a_key);
    let with_their_calls = HOSTS.map(|host| (format!("key({host:?})"), host));
    let long = LONG_LABELS
        .iter()
        .map(|host| (format!("key({})", quoted_text(host)), host.as_str()));
    let deep = ("key(300 labels `a`)".to_owned(), DEEP.as_str());
    for (call, host) in with_their_calls.into_iter().chain(long).chain([deep]) {
        let class = match host.split('.').count() {
            1 => "hosts of one label",
            2 => "hosts of two labels",
            _ => "hosts of more labels",
        };
        part = part.probe(call, host.show(), &[class], move |hosts: &Hosts| {
            let key = (hosts.key)(host);
            // As text, because that is what these bytes are to be.
            Answer::text(quoted(&key))
        });
    }
    part
}

/// More bytes in a label than the real names of hosts have, and than 8 bits count. The task sets no limit.
static LONG_LABELS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let label = |length| format!("{}.example.com", "x".repeat(length));
    [64, 300].map(label).to_vec()
});

/// More labels, and more bytes, than 8 bits count.
static DEEP: LazyLock<String> = LazyLock::new(|| vec!["a"; 300].join("."));

fn scans() -> PartOf<Hosts> {
    let mut part = PartOf::new("hosts_of", "list")
        .after("key")
        .says(first_fault);
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
    let below = format!("www.{}", *DEEP);
    part = scan(
        part,
        "300 labels `a`, and `www` below them",
        &[DEEP.clone(), below],
        &DEEP,
    );
    let shown: Vec<String> = LONG_LABELS.iter().map(|host| quoted_text(host)).collect();
    part = scan(part, &shown.join(", "), &LONG_LABELS, "example.com");
    // More hosts than a large page has.
    let many: Vec<String> = (1000..6100).map(|n| format!("h{n}.example.com")).collect();
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

/// What the smallest wrong answer is beside the right one, each as it is shown.
fn first_wrong<'a>(part: &'a Part, outcomes: &'a [Outcome]) -> Option<(&'a str, &'a str, &'a str)> {
    let asked = part.probes.iter().zip(outcomes);
    asked.into_iter().find_map(|(probe, outcome)| {
        let (right, given) = (probe.expected.as_ref()?, outcome.answer()?);
        (given != right).then_some((&probe.call[..], &right.text[..], &given.text[..]))
    })
}

/// What became of the labels in the smallest wrong key.
fn labels_of_a_key(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let Some((call, right, given)) = first_wrong(part, outcomes) else {
        return Vec::new();
    };
    let (right, given) = (right.trim_matches('"'), given.trim_matches('"'));
    let labels = |key: &str| -> Vec<String> {
        let labels = key.split('.').filter(|label| !label.is_empty());
        labels.map(str::to_owned).collect()
    };
    let sorted = |mut labels: Vec<String>| {
        labels.sort();
        labels
    };
    let turned = |label: &String| label.chars().rev().collect::<String>();
    let (wanted, found) = (labels(right), labels(given));
    let of = format!("Of {call}: ");
    let lacking = wanted.iter().find(|label| !found.contains(label));
    let strange = found.iter().find(|label| !wanted.contains(label));
    let said = if let Some(more) = given.strip_prefix(right) {
        format!("{of}the right key, and `{more}` after it.")
    } else if let Some(more) = given.strip_suffix(right) {
        format!("{of}the right key, and `{more}` in front of it.")
    } else if found == wanted {
        format!("{of}the right labels in the right order. Only the dots are not as they should be.")
    } else if sorted(found.clone()) == sorted(wanted.clone()) {
        let order = found.join(", ");
        format!("{of}the right labels in another order: {order}.")
    } else if !given.contains('.') {
        format!("{of}no dot in it. Each label is followed by one.")
    } else if sorted(found.iter().map(turned).collect()) == sorted(wanted.clone()) {
        format!("{of}the letters of each label are turned round too. A label stays as it is.")
    } else if let (Some(label), None) = (lacking, strange) {
        format!("{of}the label `{label}` is missing.")
    } else if let Some(label) = strange {
        format!("{of}`{label}` is none of the labels.")
    } else {
        format!(
            "{of}the right labels, and not as often as in the host: {}.",
            found.join(", ")
        )
    };
    vec![said]
}

/// Of the smallest wrong list: a host that does not belong into it, or one that is missing.
fn first_fault(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let fault = first_wrong(part, outcomes).and_then(|(call, right, given)| {
        let domain = call.rsplit('"').nth(1)?;
        let (right, given) = (listed(right), listed(given));
        let strange = given.iter().find(|host| !right.contains(host));
        let missed = right.iter().find(|host| !given.contains(host));
        Some(match (strange, missed) {
            (Some(strange), _) => stranger(strange, domain),
            (None, Some(missed)) if *missed == domain => {
                format!("`{domain}` itself is missing. It is there, so it belongs into the list.")
            }
            (None, Some(missed)) => {
                let below = missed.split('.').count() - domain.split('.').count();
                let labels = if below == 1 { "label" } else { "labels" };
                format!("`{missed}` is missing. It lies {below} {labels} below `{domain}`.")
            }
            (None, None) => return None,
        })
    });
    fault.into_iter().collect()
}

/// The hosts of a list as the answer shows it.
fn listed(list: &str) -> Vec<&str> {
    list.split('"').skip(1).step_by(2).collect()
}

/// Why this one is no host of the domain.
fn stranger(host: &str, domain: &str) -> String {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|front| front.ends_with('.'))
    };
    let there = HOSTS.contains(&host) || host.ends_with(".example.com") && host.starts_with('h');
    if host.is_empty() {
        return "An empty text is in your list.".to_owned();
    }
    let why = if !there {
        return format!("`{host}` is in your list, and is none of the hosts as people write them.");
    } else if host == domain || ends(host, domain) {
        "is not among the rows".to_owned()
    } else if ends(domain, host) {
        format!("lies above `{domain}`, not below")
    } else if host.ends_with(domain) {
        format!("ends in the letters of `{domain}`, and no label ends there")
    } else if host.contains(domain) {
        format!("holds the letters of `{domain}`, and does not end in them")
    } else {
        let labels = host.rsplit('.').zip(domain.rsplit('.'));
        let shared = labels.take_while(|(a, b)| a == b).count();
        match shared {
            0 => format!("shares no label with `{domain}`, counted from the end"),
            1 => format!("shares only the last label with `{domain}`"),
            _ => format!("shares only the last {shared} labels with `{domain}`"),
        }
    };
    format!("`{host}` is in your list, and {why}.")
}
