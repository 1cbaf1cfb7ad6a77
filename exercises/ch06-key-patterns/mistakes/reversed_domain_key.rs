//! What goes wrong when a host becomes a key.

use kit::Mistake;

use crate::reversed_domain::Hosts;
use crate::solutions::reversed_domain::hosts_of;

const DOMAINS: &str = "reversed-domains";
const TASK: &str = "reversed-domain";

fn labels(host: &str) -> Vec<&str> {
    host.rsplit('.').collect()
}

/// All mistakes in `key`.
pub(crate) fn all() -> Vec<Mistake<Hosts>> {
    let mistake = |name, key: fn(&str) -> Vec<u8>| {
        Mistake::<Hosts>::new(name, "key", "bytes", Hosts::new(key, hosts_of))
    };
    vec![
        mistake("host_as_it_is", |host| host.as_bytes().to_vec())
            .says("the host as it is")
            .why(
                "Text sorts by its first letters, and the first letters of a host say least about where it belongs. \
                 Put the last label first.",
            )
            .link(DOMAINS),
        mistake("host_with_a_dot", |host| format!("{host}.").into_bytes())
            .says("the host as it is, with a dot after it")
            .why("The dot is right. But the labels are in the order of the host: put the last one first.")
            .link(DOMAINS),
        mistake("without_the_last_dot", |host| {
            labels(host).join(".").into_bytes()
        })
        .says("the labels in reverse with dots between them alone")
        .why(
            "The last label has no dot. Then `com.example` is a prefix of `com.example2` too, and `com.example-shop` \
             comes between `com.example` and `com.example.www`.",
        )
        .link(DOMAINS),
        mistake("one_label_without_a_dot", |host| {
            let dot = if host.contains('.') { "." } else { "" };
            format!("{}{dot}", labels(host).join(".")).into_bytes()
        })
        .says("the right key, and no dot after a host of one label")
        .why(
            "A host of one label is a domain as well. Without its dot, `com` is the beginning of `community.` too. Each label has its dot, also where it is the only one.",
        )
        .link(DOMAINS),
        mistake("letters_reversed", |host| {
            host.chars().rev().collect::<String>().into_bytes()
        })
        .says("the letters from the last to the first")
        .why(
            "It keeps a domain together as well. But nobody can read `moc.elpmaxe`, and it has no end: \
             `elpmaxe` is the beginning of `elpmaxedab`. Reverse the labels, not the letters.",
        )
        .link(DOMAINS),
        mistake("letters_reversed_with_a_dot", |host| {
            format!("{}.", host.chars().rev().collect::<String>()).into_bytes()
        })
        .says("the letters from the last to the first, and a dot")
        .why(
            "It keeps a domain together and ends it. But nobody can read `moc.elpmaxe.`, and the hosts of a domain \
             sort by their last letters. Reverse the labels, not the letters.",
        )
        .link(DOMAINS),
        mistake("dot_in_front", |host| {
            labels(host)
                .iter()
                .map(|label| format!(".{label}"))
                .collect::<String>()
                .into_bytes()
        })
        .says("a dot in front of every label")
        .why(
            "As many dots, in the wrong place: nothing ends the last label, and `.com.example` is a prefix of \
             `.com.example2`.",
        )
        .link(DOMAINS),
        mistake("first_label_moved", |host| {
            let (first, rest) = host.split_once('.').unwrap_or((host, ""));
            let dot = if rest.is_empty() { "" } else { "." };
            format!("{rest}{dot}{first}.").into_bytes()
        })
        .says("the first label moved to the end")
        .why(
            "For two labels this is the reverse. `www.example.com` has three, and becomes `example.com.www.`. All \
             labels change places, from the last to the first.",
        )
        .link(TASK),
        mistake("last_label_moved", |host| match host.rsplit_once('.') {
            Some((rest, last)) => format!("{last}.{rest}.").into_bytes(),
            None => format!("{host}.").into_bytes(),
        })
        .says("the last label moved to the front")
        .why(
            "For two labels this is the reverse. `www.example.com` has three, and becomes `com.www.example.`. All \
             labels change places, from the last to the first.",
        )
        .link(TASK),
        mistake("ends_exchanged", |host| {
            let mut labels: Vec<&str> = host.split('.').collect();
            let last = labels.len() - 1;
            labels.swap(0, last);
            format!("{}.", labels.join(".")).into_bytes()
        })
        .says("the first and the last label exchanged")
        .why("Up to three labels that is the reverse. With four, the two in the middle change places as well.")
        .link(TASK),
        Mistake::<Hosts>::new(
            "one_label_panics",
            "key",
            "returns",
            Hosts::new(
                |host| {
                    assert!(host.contains('.'), "called `Option::unwrap()` on a `None` value");
                    format!("{}.", labels(host).join(".")).into_bytes()
                },
                hosts_of,
            ),
        )
        .says("a panic for a host of one label")
        .why("A host may have one label and no dot: `com`, `localhost`. `split('.')` gives that label; `rsplit_once('.')` gives `None`.")
        .link(TASK),
        mistake("www_dropped", |host| {
            let host = host.strip_prefix("www.").unwrap_or(host);
            format!("{}.", labels(host).join(".")).into_bytes()
        })
        .says("the right key without a `www` in front")
        .why("`www.example.com` and `example.com` are two hosts. With one key, the second overwrites the first.")
        .link(TASK),
        mistake("cut_to_the_lengths_of_real_names", |host| {
            let cut: Vec<&str> = labels(host).into_iter().map(|label| &label[..label.len().min(63)]).collect();
            format!("{}.", cut.join(".")).into_bytes()
        })
        .or(Hosts::new(
            |host: &str| format!("{}.", labels(&host[..host.len().min(253)]).join(".")).into_bytes(),
            hosts_of,
        ))
        .or(Hosts::new(
            |host: &str| format!("{}.", labels(&host[..host.len().min(255)]).join(".")).into_bytes(),
            hosts_of,
        ))
        .says("labels of at most 63 letters, or hosts of at most 253 or 255")
        .why("Real names are no longer, but this task sets no limit. And a key that is cut is shared: what does not fit is to be refused, not to be cut.")
        .link(TASK),
        mistake("two_labels_only", |host| {
            let labels: Vec<&str> = host.rsplit('.').take(2).collect();
            format!("{}.", labels.join(".")).into_bytes()
        })
        .says("the last two labels alone")
        .why("All hosts of a domain get one key then, and each overwrites the one before.")
        .link(TASK),
    ]
}
