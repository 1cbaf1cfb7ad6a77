//! What is said of hosts and domains.

use kit::unseen::observed;

use crate::newest_first::Rows;
use crate::{hosts, solutions};

#[test]
fn domains_that_nobody_foresaw() {
    use solutions::reversed_domain::{hosts_of, key};
    let capitals = |host: &str| key(&host.to_uppercase());
    observed(
        &hosts(capitals, hosts_of),
        "bytes",
        &["must be \"com.example.\", but it is \"COM.EXAMPLE.\""],
    );
    let colons = |host: &str| {
        let labels: Vec<&str> = host.rsplit('.').collect();
        (labels.join(":") + ":").into_bytes()
    };
    observed(&hosts(colons, hosts_of), "bytes", &["`hosts_of` is right."]);
    let two_at_most = |rows: &Rows, domain: &str| {
        let mut found = hosts_of(rows, domain);
        found.truncate(2);
        found
    };
    observed(
        &hosts(key, two_at_most),
        "domain",
        &["`key` is right.", "all domains without a host."],
    );
    let without_hyphens = |rows: &Rows, domain: &str| {
        let mut found = hosts_of(rows, domain);
        found.retain(|host| !host.contains('-'));
        found
    };
    observed(
        &hosts(key, without_hyphens),
        "domain",
        &["\"com\") must be", "example-shop.com"],
    );
}

#[test]
fn labels_are_told_by_what_became_of_them() {
    use solutions::reversed_domain::{hosts_of, key};
    let told = |change: fn(Vec<&str>) -> Vec<u8>, says: &str| {
        let key = move |host: &str| change(host.rsplit('.').collect());
        observed(&hosts(key, hosts_of), "bytes", &[says]);
    };
    told(
        |labels| (labels.join("\0") + "\0").into_bytes(),
        "no dot in it. Each label is followed by one.",
    );
    told(
        |labels| (labels.join(".") + "..").into_bytes(),
        "the right key, and `.` after it.",
    );
    told(
        |labels| (".".to_owned() + &labels.join(".") + ".").into_bytes(),
        "the right key, and `.` in front of it.",
    );
    told(
        |labels| (labels.join("..") + ".").into_bytes(),
        "Only the dots are not as they should be.",
    );
    told(
        |mut labels| {
            labels.sort_unstable();
            (labels.join(".") + ".").into_bytes()
        },
        "Of key(\"a.www.example.com\"): the right labels in another order: a, com, example, www.",
    );
    told(
        |labels| (labels[..labels.len().min(3)].join(".") + ".").into_bytes(),
        "Of key(\"a.www.example.com\"): the label `a` is missing.",
    );
    let letters = |host: &str| {
        // The labels stay in their places.
        let turned = host
            .split('.')
            .map(|label| label.chars().rev().chain(['.']));
        turned.flatten().collect::<String>().into_bytes()
    };
    let says = "the letters of each label are turned round too.";
    observed(&hosts(letters, hosts_of), "bytes", &[says]);
    let hyphens = |host: &str| {
        let labels = host.rsplit(['.', '-']).map(|label| format!("{label}."));
        labels.collect::<String>().into_bytes()
    };
    let says = "Of key(\"example-shop.com\"): `shop` is none of the labels.";
    observed(&hosts(hyphens, hosts_of), "bytes", &[says]);
    told(
        |mut labels| {
            labels.dedup();
            (labels.join(".") + ".").into_bytes()
        },
        "the right labels, and not as often as in the host: arpa, ip6,",
    );

    // Hosts that do not belong into the list, and hosts that are missing.
    let found = |keep: fn(&str, &str) -> bool, says: &str| {
        let walk = move |rows: &Rows, domain: &str| -> Vec<String> {
            let all = rows.iter().map(|row| {
                let text = str::from_utf8(row).unwrap().trim_end_matches('.');
                text.rsplit('.').collect::<Vec<_>>().join(".")
            });
            all.filter(|host| keep(host, domain)).collect()
        };
        observed(&hosts(key, walk), "domain", &[says]);
    };
    found(
        |host, domain| host.rsplit('.').next() == domain.rsplit('.').next(),
        "`example.com` is in your list, and lies above `www.example.com`, not below.",
    );
    found(
        |host, domain| host.contains(&format!(".{domain}")) || host == domain,
        "`mail.example.com` is in your list, and holds the letters of `example.co`, and does not end in them.",
    );
    found(
        |host, domain| host.ends_with(&format!(".{domain}")) && host.split('.').count() == 3,
        "`example.com` itself is missing. It is there, so it belongs into the list.",
    );
    found(
        |host, domain| {
            let below = host.ends_with(&format!(".{domain}")) || host == domain;
            below && host.split('.').count() < 4
        },
        "`a.www.example.com` is missing. It lies 2 labels below `example.com`.",
    );
    let changed = |change: fn(&str, &str) -> String, says: &str| {
        let walk = move |rows: &Rows, domain: &str| -> Vec<String> {
            let whole = hosts_of(rows, domain);
            whole.iter().map(|host| change(host, domain)).collect()
        };
        observed(&hosts(key, walk), "domain", &[says]);
    };
    changed(
        |host, domain| host.replace(domain, ""),
        "An empty text is in your list.",
    );
    changed(
        |host, _| host.replace(".com", ""),
        "`example` is in your list, and is none of the hosts as people write them.",
    );
}

#[test]
fn digits_are_labels_like_any_other() {
    let addresses_as_they_are = |host: &str| {
        if host.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            format!("{host}.").into_bytes()
        } else {
            solutions::reversed_domain::key(host)
        }
    };
    let verdict = hosts(addresses_as_they_are, solutions::reversed_domain::hosts_of);
    observed(&verdict, "bytes", &["key(\"10.0.0.1\")"]);
}
