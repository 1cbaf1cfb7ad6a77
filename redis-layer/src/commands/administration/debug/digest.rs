//! `DEBUG DIGEST`: a number that is equal exactly if keys and values are equal.
//!
//! Each key is hashed alone and the hashes are combined by exclusive or, so neither the order of the walk nor the
//! version of a collection matters. The elements of a list are hashed in their order, those of other collections each
//! alone.

use std::fmt::Write as _;

use crate::commands::{Args, DATABASES, Outcome, Reply, Session};
use crate::store::{Direction, Space};
use crate::types::rows::{RowPrefix, decode_metadata_key, metadata_rows};
use crate::types::strings::Text;
use crate::types::{Content, Metadata, Result, Txn, list};

/// As many bytes as Redis's digests have.
type Digest = [u8; 20];

/// The digest of all keys of all databases.
pub(super) fn of_everything(session: &Session) -> Outcome {
    let mut txn = session.server.begin(0)?;
    let mut all = Digest::default();
    for db in 0..DATABASES {
        txn.set_db(db);
        let rows = metadata_rows(txn.db());
        let mut cursor = txn.scan(Space::Metadata, &rows, Direction::Forward)?;
        while let Some((row, _)) = cursor.row() {
            let (_, key) = decode_metadata_key(row)?;
            if let Some(metadata) = txn.peek(&key)? {
                let value = of_value(&txn, &key, &metadata)?;
                let expires = u8::from(metadata.expires_ms.is_some());
                let parts = [&db.to_le_bytes()[..], &key, &value, &[expires]];
                combine(&mut all, &hash(&parts));
            }
            cursor.advance()?;
        }
    }
    Ok(Reply::Line(hexadecimal(&all).into()))
}

/// The digest of each key's value, 0 for a key that does not exist.
pub(super) fn of_values(session: &Session, args: Args<'_>) -> Outcome {
    let txn = session.server.begin(session.db)?;
    let mut digests = Vec::new();
    for key in args.from(2) {
        let digest = match txn.peek(key)? {
            None => Digest::default(),
            Some(metadata) => {
                let value = of_value(&txn, key, &metadata)?;
                hash(&[&value, &[u8::from(metadata.expires_ms.is_some())]])
            }
        };
        digests.push(Reply::Line(hexadecimal(&digest).into()));
    }
    Ok(Reply::Array(digests))
}

fn of_value(txn: &Txn<'_>, key: &[u8], metadata: &Metadata) -> Result<Digest> {
    let (collection, ends) = match &metadata.content {
        Content::String(_) | Content::Pieces(_) => {
            let text = Text::stored(txn, key, metadata.clone());
            let text = text.map(|text| text.whole(txn)).transpose()?;
            return Ok(hash(&[b"string", &text.unwrap_or_default()]));
        }
        Content::List(collection, ends) => (collection, Some(ends)),
        Content::Hash(collection)
        | Content::Set(collection)
        | Content::SortedSet(collection, _) => (collection, None),
    };
    let prefix = RowPrefix::new(txn.db(), metadata.home_of(key), collection.version);
    let mut digest = hash(&[&[metadata.content.kind() as u8]]);
    if let Some(ends) = ends {
        // Neither the positions nor the rows are part of the value: they only keep the order.
        list::each_stored(txn, &prefix, ends, |element| {
            digest = hash(&[&digest, element]);
        })?;
        return Ok(digest);
    }
    let mut cursor = txn.scan(Space::Data, &prefix.rows(), Direction::Forward)?;
    while let Some((row, value)) = cursor.row() {
        combine(&mut digest, &hash(&[prefix.data_member(row)?, value]));
        cursor.advance()?;
    }
    Ok(digest)
}

fn combine(all: &mut Digest, one: &Digest) {
    for (byte, other) in all.iter_mut().zip(one) {
        *byte ^= other;
    }
}

/// Hashes parts with their lengths, so that `ab` and `c` differ from `a` and `bc`.
fn hash(parts: &[&[u8]]) -> Digest {
    let mut digest = Digest::default();
    for (seed, bytes) in digest.chunks_mut(8).enumerate() {
        let mut hasher = xxhash_rust::xxh3::Xxh3::with_seed(seed as u64);
        for part in parts {
            hasher.update(&part.len().to_le_bytes());
            hasher.update(part);
        }
        bytes.copy_from_slice(&hasher.digest().to_le_bytes()[..bytes.len()]);
    }
    digest
}

fn hexadecimal(digest: &Digest) -> String {
    digest.iter().fold(String::new(), |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
