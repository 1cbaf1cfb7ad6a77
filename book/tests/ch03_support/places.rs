//! Where a scan returns each value: what the explorers of chapters 3 and 4 show without scripts.

/// The place of each value, counted from 1, when all are sorted by their keys. Equal keys share
/// the first of their places.
pub(crate) fn places<S: Copy, K: Ord>(values: &[S], encode: fn(S) -> K) -> Vec<usize> {
    let before = |value| {
        let key = encode(value);
        values.iter().filter(|&&other| encode(other) < key).count()
    };
    values.iter().map(|&value| 1 + before(value)).collect()
}

/// The cells of line `n` of a Markdown table: its place under each encoding.
pub(crate) fn cells(columns: &[Vec<usize>], n: usize) -> String {
    columns
        .iter()
        .map(|places| format!(" {} |", places[n]))
        .collect()
}
