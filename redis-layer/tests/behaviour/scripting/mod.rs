//! Scripts: their answers beside a real server's, their isolation, and their limits.

mod corpus;
mod counts;
mod generate;
mod isolation;
mod limits;

use bytes::Bytes;

use crate::common;
use crate::common::StoreKind;
use crate::common::client::{Client, Command};
use crate::common::servers::{Ours, RealRedis};

/// The same commands to both servers, in both protocols. Every reply must be the same bytes.
fn assert_same(commands: &[Command]) {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let mut differences = Vec::new();
    for protocol in ["2", "3"] {
        let mut clients = [real.address, ours.address].map(Client::connect);
        for client in &mut clients {
            client.call(&["flushall"]);
            client.call(&["script", "flush"]);
            client.call(&["hello", protocol]);
        }
        for command in commands {
            let [of_real, of_ours] = clients
                .each_mut()
                .map(|client| client.pipeline(std::slice::from_ref(command)).remove(0));
            if of_real != of_ours {
                let words = command.iter().map(|word| word.escape_ascii().to_string());
                differences.push(format!(
                    "RESP{protocol} {}\n    Redis {}\n    ours  {}",
                    words.collect::<Vec<_>>().join(" | "),
                    of_real.escape_ascii(),
                    of_ours.escape_ascii()
                ));
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{} replies differ:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

fn eval(script: &[u8]) -> Command {
    vec!["eval".into(), Bytes::copy_from_slice(script), "0".into()]
}

#[test]
fn scripts_answer_as_on_a_real_server() {
    let commands: Vec<Command> = corpus::SCRIPTS
        .iter()
        .map(|script| eval(script.as_bytes()))
        .collect();
    assert_same(&commands);
}

#[test]
fn commands_about_scripts_answer_as_on_a_real_server() {
    let commands = corpus::COMMANDS.iter();
    let commands = commands.map(|words| {
        words
            .iter()
            .map(|word| Bytes::copy_from_slice(word.as_bytes()))
            .collect()
    });
    assert_same(&commands.collect::<Vec<Command>>());
}

/// Values of all kinds through all conversions and libraries.
#[test]
fn generated_scripts_answer_as_on_a_real_server() {
    let count = std::env::var("DIFFERENTIAL_SCRIPTS").ok();
    let count = count.map_or(3000, |count| count.parse().expect("a number"));
    let mut generator = generate::Generator::new(common::random::Random::new(1));
    let commands: Vec<Command> = (0..count).map(|_| eval(&generator.script())).collect();
    assert_same(&commands);
}
