//! A field that may be empty: two ways that lose rows, and a byte that says it.

use std::collections::BTreeSet;

use book::output;
use engine::keys::{Desc, OrderedKey as _, Raw, hex};

/// A discount in per cent, if there is one, and a name.
type Customer = (Option<u8>, &'static str);

const CUSTOMERS: [Customer; 4] = [
    (None, "ANA"),
    (Some(0), "ANA"),
    (None, "LANA"),
    (Some(76), "ANA"),
];

// ANCHOR: empty
fn zero_for_nothing((discount, name): Customer) -> Vec<u8> {
    (discount.unwrap_or(0), Raw(name)).to_key()
}

fn left_out((discount, name): Customer) -> Vec<u8> {
    match discount {
        None => Raw(name).to_key(),
        Some(discount) => (discount, Raw(name)).to_key(),
    }
}

fn a_byte_in_front((discount, name): Customer) -> Vec<u8> {
    match discount {
        None => (0_u8, Raw(name)).to_key(),
        Some(discount) => (1_u8, discount, Raw(name)).to_key(),
    }
}
// ANCHOR_END: empty

#[test]
fn nothing_needs_a_byte_of_its_own() {
    let ways = [zero_for_nothing, left_out, a_byte_in_front];
    let line = |discount: &str, name: &str, cells: [String; 3]| {
        let [a, b, c] = cells;
        format!("{discount:<10}{name:<6}{a:<12}{b:<10}{c}\n")
    };
    let titles = ["0 for none", "left out", "in front"];
    let mut table = line("discount", "name", titles.map(str::to_owned));
    for customer in CUSTOMERS {
        let discount = customer
            .0
            .map_or("none".to_owned(), |number| number.to_string());
        table += &line(&discount, customer.1, ways.map(|way| hex(&way(customer))));
    }
    let found = ways.map(|way| BTreeSet::from(CUSTOMERS.map(way)).len());
    table += &line("rows", "", found.map(|rows| rows.to_string()));
    output::check("05-strings-and-tuples/outputs/empty.txt", &table);

    assert_eq!(
        zero_for_nothing(CUSTOMERS[0]),
        zero_for_nothing(CUSTOMERS[1])
    );
    assert_eq!(left_out(CUSTOMERS[2]), left_out(CUSTOMERS[3]));
    assert_eq!(found, [3, 3, 4]);
    // Nothing comes first, then the discounts as numbers: the order of Rust's `Option`.
    let mut sorted = CUSTOMERS;
    sorted.sort_by_key(|&customer| a_byte_in_front(customer));
    assert!(sorted.is_sorted());
}

#[test]
fn nothing_stays_where_it_is_when_the_value_is_turned_round() {
    let nothing = 2_u8.to_key();
    let value = |discount: u8| (1_u8, Desc(discount)).to_key();
    assert!(value(10) < value(5) && value(0) < nothing);
    // Turned round with the value, it changes its side.
    let turned = |key: &[u8]| key.iter().map(|byte| !byte).collect::<Vec<_>>();
    assert!(turned(&nothing) < turned(&(1_u8, 5_u8).to_key()));
}
