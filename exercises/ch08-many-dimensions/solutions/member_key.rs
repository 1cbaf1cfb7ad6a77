//! Everything of fixed width first, the name last, so that the name is found by its place.

const DIGITS: usize = 13;
const LATEST: u64 = 9_999_999_999_999;

/// The member of a player.
pub fn member(paid: bool, at_ms: u64, name: &str) -> Option<String> {
    let back = LATEST.checked_sub(at_ms)?;
    Some(format!("{}-{back:0DIGITS$}-{name}", u8::from(paid)))
}

/// The name of the player whose member this is.
pub fn name(member: &str) -> Option<String> {
    let (flag, rest) = member.split_once('-')?;
    let (digits, name) = rest.split_at_checked(DIGITS)?;
    let right = (flag == "0" || flag == "1") && digits.bytes().all(|b| b.is_ascii_digit());
    let name = name.strip_prefix('-').filter(|_| right)?;
    Some(name.to_owned())
}
