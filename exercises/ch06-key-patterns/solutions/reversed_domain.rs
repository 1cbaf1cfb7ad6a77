//! Every label has its dot, so the key of a domain is the prefix of all its hosts and of no others.

use std::collections::BTreeSet;

/// The key of a host: its labels from the last to the first, each followed by a dot.
pub fn key(host: &str) -> Vec<u8> {
    let labels = host.rsplit('.').map(|label| format!("{label}."));
    labels.collect::<String>().into_bytes()
}

/// `domain`, if it is there, and the hosts below it.
pub fn hosts_of(rows: &BTreeSet<Vec<u8>>, domain: &str) -> Vec<String> {
    let prefix = key(domain);
    rows.range(prefix.clone()..)
        .take_while(|row| row.starts_with(&prefix))
        .map(|row| host(row))
        .collect()
}

fn host(key: &[u8]) -> String {
    let text = String::from_utf8_lossy(key);
    let labels: Vec<&str> = text.trim_end_matches('.').rsplit('.').collect();
    labels.join(".")
}
