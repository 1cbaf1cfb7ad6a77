//! A reply as a tree, in either protocol.

use super::client::Client;

/// A reply, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Node {
    Leaf(String),
    /// The sign of its form (`*`, `%` or `~`), and its parts. Those of a map are names and values by turns.
    Branch(char, Vec<Node>),
}

impl Node {
    /// Asks, and reads the reply.
    pub(crate) fn of(client: &mut Client, words: &[&str]) -> Self {
        let command = words.iter().map(|word| super::unescape(word)).collect();
        let reply = client.pipeline(&[command]).remove(0);
        let text = String::from_utf8(reply).unwrap();
        Self::read(&mut text.split("\r\n"))
    }

    /// Reads a tree from the lines of a reply. No text in it has lines of its own.
    fn read<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Self {
        let line = lines.next().unwrap();
        let sign = line.chars().next().unwrap();
        match sign {
            '*' | '%' | '~' => {
                let count = line[1..].parse::<usize>().unwrap();
                let parts = if sign == '%' { count * 2 } else { count };
                Self::Branch(sign, (0..parts).map(|_| Self::read(lines)).collect())
            }
            '$' => Self::Leaf(lines.next().unwrap().to_owned()),
            _ => Self::Leaf(line.to_owned()),
        }
    }

    pub(crate) fn nodes(self) -> Vec<Self> {
        match self {
            Self::Branch(_, nodes) => nodes,
            Self::Leaf(text) => panic!("{text} is no array"),
        }
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Leaf(text) => text,
            Self::Branch(..) => panic!("{self:?} is no text"),
        }
    }

    pub(crate) fn is(&self, expected: &str) -> bool {
        matches!(self, Self::Leaf(text) if text == expected)
    }

    /// Every leaf, with the way to it: names of fields, numbers of elements, signs of forms.
    pub(crate) fn facts(&self) -> Vec<String> {
        let mut facts = Vec::new();
        self.collect("", &mut facts);
        facts
    }

    fn collect(&self, way: &str, facts: &mut Vec<String>) {
        match self {
            Self::Leaf(text) => facts.push(format!("{way} = {text}")),
            Self::Branch('%', parts) => {
                for pair in parts.chunks(2) {
                    pair[1].collect(&format!("{way}/{}", pair[0].text()), facts);
                }
            }
            Self::Branch(sign, parts) => {
                facts.push(format!("{way} = {sign}{}", parts.len()));
                for (number, part) in parts.iter().enumerate() {
                    part.collect(&format!("{way}/{number}"), facts);
                }
            }
        }
    }
}
