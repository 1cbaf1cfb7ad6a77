//! Keyspace notifications: messages about what happened to keys.
//!
//! `notify-keyspace-events` names the classes of events that are wanted, and one or both of two forms: with `K` the
//! channel names the key and the message names the event, with `E` the channel names the event and the message names
//! the key. Transactions note only events of the wanted classes, so events cost nothing while none are wanted.

use bytes::Bytes;

use crate::commands::config::{Config, OutputClass};
use crate::commands::{Reply, Server};
use crate::types::{Class, Event};

/// The letters of the classes.
const CLASSES: [(char, Class); 9] = [
    ('g', Class::Generic),
    ('$', Class::String),
    ('l', Class::List),
    ('s', Class::Set),
    ('h', Class::Hash),
    ('z', Class::SortedSet),
    ('x', Class::Expired),
    ('m', Class::Miss),
    ('n', Class::New),
];

/// The bits of the classes that the setting names; none if it names neither form.
pub(crate) fn wanted_classes(config: &Config) -> u32 {
    let letters = config.get("notify-keyspace-events");
    if !letters.contains(['K', 'E']) {
        return 0;
    }
    let is_wanted = |letter: char, class: Class| {
        let in_all = !matches!(class, Class::Miss | Class::New);
        letters.contains(letter) || (in_all && letters.contains('A'))
    };
    CLASSES
        .into_iter()
        .filter(|&(letter, class)| is_wanted(letter, class))
        .fold(0, |bits, (_, class)| bits | class.bit())
}

/// Sends the events that a transaction noted, oldest first.
pub(crate) fn send_events(server: &Server, events: &[Event]) {
    if events.is_empty() {
        return;
    }
    let letters = server.config.get("notify-keyspace-events");
    let limit = server.config.live.output_limit(OutputClass::PubSub);
    for Event { name, db, key, .. } in events {
        if letters.contains('K') {
            let channel = [format!("__keyspace@{db}__:").as_bytes(), key].concat();
            let registry = &server.pubsub;
            registry.deliver(&Bytes::from(channel), &Reply::text(name), limit);
        }
        if letters.contains('E') {
            let channel = Bytes::from(format!("__keyevent@{db}__:{name}"));
            let payload = Reply::Bulk(key.clone());
            server.pubsub.deliver(&channel, &payload, limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::commands::{Settings, execute};
    use crate::store::BTreeStore;
    use crate::types::ManualClock;

    fn server(letters: &str) -> Arc<Server> {
        let settings = Settings {
            config: vec![("notify-keyspace-events", letters.to_owned())],
            port: 0,
        };
        let clock = Arc::new(ManualClock::new(0));
        Arc::new(Server::new(Arc::new(BTreeStore::new()), clock, settings))
    }

    #[test]
    fn classes_are_wanted_only_in_one_of_the_forms() {
        let wanted = |letters: &str| {
            let server = server(letters);
            let wanted = CLASSES
                .into_iter()
                .filter(|(_, class)| server.shared.wants(*class));
            wanted.map(|(letter, _)| letter).collect::<String>()
        };
        assert_eq!(wanted(""), "");
        assert_eq!(wanted("A"), "");
        assert_eq!(wanted("K$z"), "$z");
        assert_eq!(wanted("EA"), "g$lshzx");
        assert_eq!(wanted("KEmn"), "mn");
    }

    #[test]
    fn an_event_goes_out_in_the_forms_that_are_asked_for() {
        let shown = |letters: &str| {
            let server = server(letters);
            let mut session = server.connect(String::new(), String::new());
            let words = [&b"psubscribe"[..], b"__key*"].map(Bytes::from_static);
            execute(&mut session, &words);
            let event = Event {
                class: Class::String,
                name: "set",
                db: 3,
                key: Bytes::from_static(b"k"),
            };
            send_events(&server, &[event]);
            let messages = session.peer().outbox.take().into_iter();
            let texts = messages.map(|message| match &*message.reply {
                Reply::Push(parts) => match &parts[2..] {
                    [Reply::Bulk(channel), Reply::Bulk(payload)] => {
                        format!("{} {}", channel.escape_ascii(), payload.escape_ascii())
                    }
                    other => format!("{other:?}"),
                },
                other => format!("{other:?}"),
            });
            texts.collect::<Vec<_>>()
        };
        assert_eq!(
            shown("KE$"),
            ["__keyspace@3__:k set", "__keyevent@3__:set k"]
        );
        assert_eq!(shown("E$"), ["__keyevent@3__:set k"]);
    }
}
