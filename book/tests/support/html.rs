//! Just enough of a reader of HTML to see what a page links to and loads.

use std::collections::BTreeMap;

/// One opening tag: its name and its attributes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) attributes: BTreeMap<String, String>,
}

impl Tag {
    pub(crate) fn get(&self, attribute: &str) -> Option<&str> {
        self.attributes.get(attribute).map(String::as_str)
    }
}

/// The opening tags of a page, in order; not those inside scripts, styles and comments.
pub(crate) fn tags(html: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        let (tag, after) = tag(rest);
        rest = after;
        if matches!(tag.name.as_str(), "script" | "style") {
            let end = format!("</{}", tag.name);
            rest = rest.split_once(&end).map_or("", |(_, after)| after);
        }
        tags.push(tag);
    }
    tags
}

/// Reads one tag after its `<`; gives what follows its `>`.
fn tag(text: &str) -> (Tag, &str) {
    let is_end = |c: char| c.is_whitespace() || c == '>' || c == '/';
    let (name, mut rest) = text.split_at(text.find(is_end).unwrap_or(text.len()));
    let mut attributes = BTreeMap::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if rest.is_empty() || rest.starts_with('>') {
            let tag = Tag {
                name: name.to_ascii_lowercase(),
                attributes,
            };
            return (tag, rest.strip_prefix('>').unwrap_or(rest));
        }
        let end = rest
            .find(|c: char| is_end(c) || c == '=')
            .unwrap_or(rest.len())
            .max(1);
        let (attribute, after) = rest.split_at(end);
        let value;
        (value, rest) = attribute_value(after);
        attributes.insert(attribute.to_ascii_lowercase(), value.replace("&amp;", "&"));
    }
}

fn attribute_value(text: &str) -> (&str, &str) {
    let Some(text) = text.strip_prefix('=') else {
        return ("", text);
    };
    for quote in ['"', '\''] {
        if let Some(text) = text.strip_prefix(quote) {
            return text.split_once(quote).unwrap_or((text, ""));
        }
    }
    text.split_at(
        text.find(|c: char| c.is_whitespace() || c == '>')
            .unwrap_or(text.len()),
    )
}
