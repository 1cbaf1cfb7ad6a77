//! What goes wrong when the hosts of a domain are looked for.

use kit::{Mistake, Quirk, compose};

use crate::mistakes::reversed_domain_key;
use crate::reversed_domain::{Hosts, Rows};
use crate::solutions::reversed_domain::key;

const DOMAINS: &str = "reversed-domains";
const TASK: &str = "reversed-domain";
const WILD: &str = "in-the-wild";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // Which rows belong.
    PrefixWithoutDot,
    RangeWithoutDot,
    SuffixOfLetters,
    Contained,
    BelowOnly,
    ItselfOnly,
    OneLevel,
    ParentToo,
    EndsAtZ,
    EndsAtNextDomain,
    Unreversed,
    StopsWithoutItself,
    EndIgnored,
    // How they are given.
    RowsAsTheyAre,
    LeftReversed,
    DotLeft,
    LastDotKept,
    Sorted,
    Backwards,
}
use Step::{
    Backwards, BelowOnly, Contained, DotLeft, EndIgnored, EndsAtNextDomain, EndsAtZ, ItselfOnly,
    LastDotKept, LeftReversed, OneLevel, ParentToo, PrefixWithoutDot, RangeWithoutDot,
    RowsAsTheyAre, Sorted, StopsWithoutItself, SuffixOfLetters, Unreversed,
};

const GIVEN: [Step; 6] = [
    RowsAsTheyAre,
    LeftReversed,
    DotLeft,
    LastDotKept,
    Sorted,
    Backwards,
];

const fn quirk(
    id: Step,
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
) -> Quirk<Step> {
    Quirk::of(id, name, "domain", says, why, link)
}

const QUIRKS: [Quirk<Step>; 19] = [
    quirk(
        PrefixWithoutDot,
        "prefix_without_the_last_dot",
        "all rows that begin with the domain, its last dot left out",
        "`com.example` is also the beginning of `com.example2.` and of `com.example-shop.`. With its dot it is the \
         beginning of its own hosts alone.",
        DOMAINS,
    ),
    quirk(
        RangeWithoutDot,
        "range_without_the_last_dot",
        "a range from `com.example` to `com.example/`",
        "`/` comes right after the dot, so the end is right. The start is not: a hyphen sorts before the dot, \
         and `com.example-shop.` falls into the range. Start at `com.example.`.",
        DOMAINS,
    ).why_beside("A hyphen sorts before the dot, and `com.example-shop.` falls into the range. Start at `com.example.`."),
    quirk(
        SuffixOfLetters,
        "suffix_of_letters",
        "all hosts that end in the letters of the domain",
        "`badexample.com` ends in `example.com` too. A domain ends where a label ends: compare with the dot in \
         front, or compare keys.",
        WILD,
    ),
    quirk(
        Contained,
        "contained_anywhere",
        "all rows that hold the key of the domain anywhere",
        "`com.example.` may also be in the middle of another key. The domain is the beginning of its \
         hosts' keys: `starts_with`.",
        TASK,
    ),
    quirk(
        BelowOnly,
        "domain_itself_missed",
        "the hosts below the domain without the domain itself",
        "The domain is a host too, and its key is the first of the range. Where keys do not end in a dot, it is \
         lost like this.",
        DOMAINS,
    ),
    quirk(
        ItselfOnly,
        "domain_itself_only",
        "the domain itself and nothing below",
        "That is a lookup. All hosts below have keys that begin with that of the domain.",
        DOMAINS,
    ),
    quirk(
        OneLevel,
        "one_level_only",
        "the domain and the hosts one label below",
        "`a.www.example.com` is a host of `example.com` as well, two labels below it.",
        TASK,
    ),
    quirk(
        ParentToo,
        "parents_too",
        "the hosts of the domain, and the domains above it",
        "A prefix in the other direction: `com.` is the beginning of `com.example.`, and not below it. Ask \
         whether the row begins with the domain.",
        TASK,
    ),
    quirk(
        EndsAtZ,
        "ends_at_z",
        "a range that ends at the domain's key and `z`",
        "`zoo.example.com` comes after that end. The end of a prefix is its successor: the dot plus one.",
        DOMAINS,
    ),
    quirk(
        EndsAtNextDomain,
        "ends_when_the_first_label_changes",
        "all rows after the domain that have the same last label",
        "All of `.com` is too much. The rows stop belonging where their beginning is no longer the whole key of \
         the domain.",
        TASK,
    ),
    quirk(
        Unreversed,
        "domain_not_reversed",
        "a search for the domain as people write it",
        "The rows begin with reversed labels, and what is compared with rows has to be reversed as well: make the \
         prefix with `key`. A domain of one label hides it.",
        WILD,
    ),
    quirk(
        StopsWithoutItself,
        "nothing_unless_the_domain_is_there",
        "an empty list unless the domain itself is in the store",
        "`www.example.com` may be there without `example.com`. A bound need not be a row.",
        TASK,
    ),
    quirk(
        EndIgnored,
        "end_ignored",
        "all rows from the domain to the end of the store",
        "A range has two ends. Stop at the first row that does not begin with the domain's key.",
        TASK,
    ),
    quirk(
        RowsAsTheyAre,
        "rows_as_they_are",
        "the right rows as they are in the store",
        "`com.example.www.` is the key. People write `www.example.com`: cut off the last dot, and turn the labels round.",
        TASK,
    ).says_beside("rows as they are in the store"),
    quirk(
        LeftReversed,
        "left_reversed",
        "the right hosts with their labels still in reverse",
        "People write `www.example.com`. Turn the labels round again.",
        TASK,
    ).says_beside("hosts with their labels still in reverse"),
    quirk(
        DotLeft,
        "dot_left",
        "the right hosts with a dot too many",
        "Where does it come from? In a key the last label has a dot too: cut that one off before you turn the labels round. Between two labels \
         there is one dot, and before the first there is none.",
        TASK,
    ).says_beside("hosts with a dot too many"),
    quirk(
        LastDotKept,
        "dot_after_the_host",
        "the right hosts, each with a dot at its end",
        "In a key every label has its dot. People write a dot between two labels only, and none at the end.",
        TASK,
    ).says_beside("hosts with a dot at their end"),
    quirk(
        Sorted,
        "sorted_as_people_write",
        "the right hosts sorted as people write them",
        "They were asked for in the order of the rows: the domain itself first, then by the label below it.",
        TASK,
    ).says_beside("hosts sorted as people write them"),
    quirk(
        Backwards,
        "backwards",
        "the right hosts from the last to the first",
        "Only the labels are to be turned round, not the list.",
        TASK,
    ).says_beside("the hosts from the last to the first"),
];

fn belongs(steps: &[Step], row: &[u8], domain: &str) -> bool {
    let has = |step| steps.contains(&step);
    let prefix = key(domain);
    let bare = &prefix[..prefix.len() - 1];
    let contains = |part: &[u8]| row.windows(part.len()).any(|window| window == part);
    let dots = |key: &[u8]| key.iter().filter(|byte| **byte == b'.').count();
    if has(PrefixWithoutDot) {
        row.starts_with(bare)
    } else if has(RangeWithoutDot) {
        row >= bare && row < &[bare, b"/"].concat()[..]
    } else if has(SuffixOfLetters) {
        host(row).ends_with(domain)
    } else if has(Contained) {
        contains(&prefix)
    } else if has(BelowOnly) {
        row.starts_with(&prefix) && row != prefix
    } else if has(ItselfOnly) {
        row == prefix
    } else if has(OneLevel) {
        row.starts_with(&prefix) && dots(row) <= dots(&prefix) + 1
    } else if has(ParentToo) {
        row.starts_with(&prefix) || prefix.starts_with(row)
    } else if has(EndsAtZ) {
        row >= &prefix[..] && row < &[&prefix[..], b"z"].concat()[..]
    } else if has(EndsAtNextDomain) {
        let label = |key: &[u8]| key.split(|byte| *byte == b'.').next().map(<[u8]>::to_vec);
        row >= &prefix[..] && label(row) == label(&prefix)
    } else if has(Unreversed) {
        row.starts_with(format!("{domain}.").as_bytes())
    } else if has(EndIgnored) {
        row >= &prefix[..]
    } else {
        row.starts_with(&prefix)
    }
}

fn host(row: &[u8]) -> String {
    let text = String::from_utf8_lossy(row);
    let labels: Vec<&str> = text.trim_end_matches('.').rsplit('.').collect();
    labels.join(".")
}

fn answer(steps: &[Step], rows: &Rows, domain: &str) -> Vec<String> {
    let has = |step| steps.contains(&step);
    if has(StopsWithoutItself) && !rows.contains(&key(domain)) {
        return Vec::new();
    }
    let found = rows.iter().filter(|row| belongs(steps, row, domain));
    let mut hosts: Vec<String> = found
        .map(|row| {
            if has(RowsAsTheyAre) {
                String::from_utf8_lossy(row).into_owned()
            } else if has(LeftReversed) {
                String::from_utf8_lossy(row)
                    .trim_end_matches('.')
                    .to_owned()
            } else if has(DotLeft) {
                String::from_utf8_lossy(row)
                    .rsplit('.')
                    .collect::<Vec<_>>()
                    .join(".")
            } else if has(LastDotKept) {
                host(row) + "."
            } else {
                host(row)
            }
        })
        .collect();
    if has(Sorted) {
        hosts.sort();
    }
    if has(Backwards) {
        hosts.reverse();
    }
    hosts
}

fn with(steps: &[Step]) -> Option<Hosts> {
    let given = steps.iter().filter(|step| GIVEN.contains(step)).count();
    if given > 1 || steps.len() - given > 1 {
        return None;
    }
    let steps = steps.to_vec();
    Some(Hosts::new(key, move |rows, domain| {
        answer(&steps, rows, domain)
    }))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Hosts>> {
    let mut mistakes = reversed_domain_key::all();
    mistakes.push(
        Mistake::new(
            "nothing_found",
            "hosts_of",
            "domain",
            Hosts::new(key, |_, _| Vec::new()),
        )
        .says("an empty list for every domain")
        .why(
            "If you meant to find something: print the first row and your prefix, and compare their bytes.",
        )
        .link(TASK),
    );
    mistakes.push(
        Mistake::new(
            "domain_always_there",
            "hosts_of",
            "domain",
            Hosts::new(key, |rows, domain| {
                let prefix = key(domain);
                let below = rows.iter().filter(|row| row.starts_with(&prefix) && **row != prefix);
                let hosts = below.map(|row| host(row));
                std::iter::once(domain.to_owned()).chain(hosts).collect()
            }),
        )
        .says("the domain itself, whether it is there or not, and all hosts below it")
        .why(
            "`www.example.com` may be in the store without `example.com`. Return what is in the rows: where the domain is there, its key is the first of the \
             range.",
        )
        .link(TASK),
    );
    mistakes.push(
        Mistake::new(
            "first_domain_alone",
            "hosts_of",
            "domain",
            Hosts::new(key, |rows, domain| {
                let prefix = key(domain);
                let first = rows.iter().take_while(|row| row.starts_with(&prefix));
                first.map(|row| host(row)).collect()
            }),
        )
        .says("a walk that begins at the first row and stops at the first host of another domain")
        .why(
            "Only the domain that sorts first of all has any hosts then. Begin where its rows begin: `range(key(domain)..)` goes \
             there in one step.",
        )
        .link(TASK),
    );
    mistakes.push(
        Mistake::new(
            "labels_below_left_reversed",
            "hosts_of",
            "domain",
            Hosts::new(key, |rows, domain| {
                let prefix = key(domain);
                let below = rows.iter().filter_map(|row| row.strip_prefix(&prefix[..]));
                let host = |rest: &[u8]| format!("{}{domain}", String::from_utf8_lossy(rest));
                below.map(host).collect()
            }),
        )
        .says("the right hosts, with the labels below the domain left in the order of the key")
        .why(
            "For one label below the domain that is the same. `a.www.example.com` has two, and its key goes on with `www.a.`. All labels change places, \
             from the last to the first.",
        )
        .link(TASK),
    );
    mistakes.push(
        Mistake::new(
            "letters_turned_back",
            "hosts_of",
            "domain",
            Hosts::new(key, |rows, domain| {
                let found = rows.iter().filter(|row| row.starts_with(&key(domain)));
                let letters = |row: &Vec<u8>| String::from_utf8_lossy(row).into_owned();
                let turned = |text: String| text.trim_end_matches('.').chars().rev().collect();
                found.map(letters).map(turned).collect()
            }),
        )
        .says("the right hosts, with their letters turned round and not their labels")
        .why("`com.example` becomes `elpmaxe.moc` like that. Labels change places and stay as they are: `split('.').rev()`.")
        .link(TASK),
    );
    mistakes.push(
        Mistake::new(
            "domain_as_written_without_a_dot",
            "hosts_of",
            "domain",
            Hosts::new(key, |rows, domain| {
                let found = rows.iter().filter(|row| row.starts_with(domain.as_bytes()));
                found.map(|row| host(row)).collect()
            }),
        )
        .says("the rows that begin with the domain as people write it, without a dot after it")
        .why(
            "Rows are keys, and a bound is compared with keys: `example.com` is the beginning of no row. Make it by `key(domain)`, which turns the labels \
             round and ends in a dot.",
        )
        .link(DOMAINS),
    );
    mistakes.push(
        Mistake::new(
            "letters_anywhere",
            "hosts_of",
            "domain",
            Hosts::new(key, |rows, domain| {
                let hosts = rows.iter().map(|row| host(row));
                hosts.filter(|host| host.contains(domain)).collect()
            }),
        )
        .says("all hosts that hold the letters of the domain anywhere")
        .why(
            "`badexample.com` and `example.com.org` hold them too, and lie in other domains. The key of a domain is the beginning \
             of its hosts' keys: `starts_with`.",
        )
        .link(DOMAINS),
    );
    mistakes.push(
        Mistake::new(
            "ends_at_the_next_letter",
            "hosts_of",
            "domain",
            Hosts::new(key, |rows, domain| {
                let start = key(domain);
                let mut end = start[..start.len() - 1].to_vec();
                if let Some(letter) = end.last_mut() {
                    *letter += 1;
                }
                rows.range(start..end).map(|row| host(row)).collect()
            }),
        )
        .says("a range up to the domain with its last letter raised by one")
        .why(
            "Between `com.example.` and `com.examplf` lies `com.example2.` too. The end of a prefix is its successor, and the \
             last byte of this prefix is its dot: raise that.",
        )
        .link(DOMAINS),
    );
    mistakes.extend(compose("hosts_of", &QUIRKS, with));
    mistakes
}
