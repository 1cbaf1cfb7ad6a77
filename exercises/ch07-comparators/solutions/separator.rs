//! Propose, then look: the guard of the engine.

pub(crate) use crate::stubs::separator::compare;

/// A key from `a` on, before `b`, shorter than `a`; nothing if no raised cut of `a` is one.
pub fn separator(a: &[u8], b: &[u8]) -> Option<Vec<u8>> {
    let cuts = (1..a.len()).filter_map(|n| {
        let mut cut = a[..n].to_vec();
        let last = cut.last_mut()?;
        *last = last.checked_add(1)?;
        Some(cut)
    });
    let fits = |cut: &Vec<u8>| compare(a, cut).is_le() && compare(cut, b).is_lt();
    cuts.into_iter().find(fits)
}
