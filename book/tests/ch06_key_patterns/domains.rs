//! Reversed domains: where a label ends.

use book::output;

use crate::store::Store;

const HOSTS: [&str; 7] = [
    "example.com",
    "www.example.com",
    "mail.example.com",
    "a.www.example.com",
    "example2.com",
    "example-shop.com",
    "example.org",
];

/// The labels from the last to the first.
fn reversed(host: &str) -> String {
    host.rsplit('.').collect::<Vec<_>>().join(".")
}

/// The same, and every label has its dot.
fn ended(host: &str) -> String {
    reversed(host) + "."
}

fn hosts(key: fn(&str) -> String) -> Store {
    let store = Store::new();
    for host in HOSTS {
        store.put(key(host), host);
    }
    store
}

// ANCHOR: plain_hosts
#[test]
fn plain_hosts_scatter_a_domain() {
    let store = hosts(str::to_owned);
    let all = store.all();
    output::check("06-key-patterns/outputs/plain-hosts.txt", &all.join("\n"));
    let places: Vec<usize> = (0..all.len())
        .filter(|&place| all[place].ends_with("example.com"))
        .collect();
    assert_eq!(places, [0, 2, 5, 6]);
}
// ANCHOR_END: plain_hosts

// ANCHOR: domain_scans
#[test]
fn a_domain_is_one_prefix_when_every_label_has_its_dot() {
    let domain = [
        "example.com",
        "mail.example.com",
        "www.example.com",
        "a.www.example.com",
    ];
    let unended = hosts(reversed);
    let tries = [
        ("prefix com.example", unended.prefix("com.example")),
        ("prefix com.example.", unended.prefix("com.example.")),
        (
            "com.example .. com.example/",
            unended.range("com.example".."com.example/"),
        ),
        (
            "prefix com.example. of ended keys",
            hosts(ended).prefix("com.example."),
        ),
    ];
    let mut table = String::new();
    for (name, found) in &tries {
        let extra: Vec<&str> = found
            .iter()
            .map(String::as_str)
            .filter(|h| !domain.contains(h))
            .collect();
        let missing: Vec<&str> = domain
            .into_iter()
            .filter(|h| !found.iter().any(|f| f == h))
            .collect();
        let say = |what: &str, hosts: &[&str]| match hosts {
            [] => String::new(),
            hosts => format!("{what} {}", hosts.join(", ")),
        };
        let parts = [say("wrong:", &extra), say("missing:", &missing)];
        let verdict = parts.join(" ").trim().to_owned();
        let verdict = if verdict.is_empty() {
            "right".to_owned()
        } else {
            verdict
        };
        table += &format!("{name:<35}{verdict}\n");
    }
    output::check("06-key-patterns/outputs/domains.txt", &table);
    assert_eq!(tries[3].1, domain);
    let wrong = tries.iter().filter(|(_, found)| *found != domain);
    assert_eq!(wrong.count(), 3);
}
// ANCHOR_END: domain_scans

// ANCHOR: ended_hosts
#[test]
fn ended_keys_in_order() {
    output::check(
        "06-key-patterns/outputs/ended-hosts.txt",
        &hosts(ended).shown(),
    );
    // Why unended keys have no range of their own: a hyphen sorts before a dot.
    assert!("com.example" < "com.example-shop");
    assert!("com.example-shop" < "com.example.www");
}
// ANCHOR_END: ended_hosts
