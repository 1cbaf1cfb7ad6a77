//! Random walks of a cursor, compared with the rows that it should show.

use engine::{Comparator, Cursor};

use super::{Dice, Pair};

/// A cursor, and the rows that it must show for as long as it lives.
pub(crate) struct Walker {
    cursor: Cursor,
    order: Comparator,
    /// In the family's order.
    rows: Vec<Pair>,
    at: Option<usize>,
}

impl Walker {
    /// Takes a cursor that is not on a row yet.
    pub(crate) fn new(cursor: Cursor, order: Comparator, rows: Vec<Pair>) -> Self {
        Self {
            cursor,
            order,
            rows,
            at: None,
        }
    }

    /// A random step: to an end, to `target`, to a neighbour, or a run of at most `run_max` rows.
    /// What it shows, and where it then is, must match the rows.
    pub(crate) fn walk(&mut self, dice: &mut Dice, target: &[u8], run_max: u64, context: &str) {
        let Self {
            cursor,
            order,
            rows,
            at,
        } = self;
        *at = match (dice.below(12), *at) {
            (0, _) => {
                cursor.seek_to_first().unwrap();
                (!rows.is_empty()).then_some(0)
            }
            (1, _) => {
                cursor.seek_to_last().unwrap();
                rows.len().checked_sub(1)
            }
            (2, _) => {
                cursor.seek(target).unwrap();
                rows.iter()
                    .position(|(key, _)| order.compare(key, target).is_ge())
            }
            (3, _) => {
                cursor.seek_for_prev(target).unwrap();
                rows.iter()
                    .rposition(|(key, _)| order.compare(key, target).is_le())
            }
            (4 | 5, Some(at)) => {
                cursor.next().unwrap();
                (at + 1 < rows.len()).then_some(at + 1)
            }
            (6 | 7, Some(at)) => {
                cursor.prev().unwrap();
                at.checked_sub(1)
            }
            (8.., Some(at)) => {
                let most = 1 + dice.below(run_max) as usize;
                let shown = visited(cursor, most);
                let end = rows.len().min(at + most);
                let expected = &rows[at..end];
                assert!(
                    shown == expected,
                    "{context}: a run: {shown:?} is not {expected:?}"
                );
                (at + most <= rows.len()).then_some(end - 1)
            }
            (_, None) => {
                assert_eq!(visited(cursor, 1), [], "{context}: it was on no entry");
                None
            }
        };
        let found = cursor.valid().then(|| (cursor.key(), cursor.value()));
        let expected = at.map(|at| (&rows[at].0[..], &rows[at].1[..]));
        assert_eq!(found, expected, "{context}");
    }
}

/// At most `most` rows that a cursor shows, from its current one on.
pub(crate) fn visited(cursor: &mut Cursor, most: usize) -> Vec<Pair> {
    let mut rows = Vec::new();
    let shown = cursor.visit(|key, value| {
        rows.push((key.to_vec(), value.to_vec()));
        rows.len() < most
    });
    shown.unwrap();
    rows
}
