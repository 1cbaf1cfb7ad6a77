//! `LOLWUT`: a picture of numbers as keys.

use crate::commands::{Args, CommandError, Outcome, REDIS_VERSION, Reply, Session};
use crate::types::number::parse_integer;

/// The default width and height of the picture of `LOLWUT`.
const PICTURE: (i64, i64) = (64, 8);

/// `LOLWUT [VERSION version] [width [height]]`: numbers as keys. Each column is a number, from the
/// least on the left to the greatest on the right, and each row a bit of its key, the first bit on
/// top. From left to right the keys count upwards: that is why every key sorts.
pub(crate) fn lolwut(_session: &mut Session, args: Args<'_>) -> Outcome {
    let version = format!("Redis ver. {REDIS_VERSION}\n");
    if args.len() == 2 && args.is(1, "VERSION") {
        return Ok(Reply::Text(version));
    }
    let (mut numbers, mut must_be_numbers) = (args.from(1), false);
    if args.len() > 2 && args.is(1, "VERSION") {
        // The pictures of these versions have sizes. Other versions of Redis take no notice of what follows.
        must_be_numbers = [5, 6].contains(&args.integer(2)?);
        numbers = args.from(3);
    }
    let number = |at: usize, otherwise: i64, most: i64| {
        let Some(word) = numbers.get(at) else {
            return Ok(otherwise);
        };
        match parse_integer(word) {
            Some(number) => Ok(number.clamp(1, most)),
            None if must_be_numbers => Err(CommandError::NOT_AN_INTEGER),
            None => Ok(otherwise),
        }
    };
    let (width, height) = (number(0, PICTURE.0, 160)?, number(1, PICTURE.1, 16)?);
    let mut picture = String::new();
    for bit in (0..height).rev() {
        for column in 0..width {
            // The columns are numbers from negative to positive, with the sign bit flipped: the keys of the book.
            let key = (column << height) / width;
            picture.push(if key >> bit & 1 == 1 { '#' } else { '.' });
        }
        picture.push('\n');
    }
    picture.push_str("\nKeys in order: every column is a key, and every key sorts. ");
    picture.push_str(&version);
    Ok(Reply::Text(picture))
}
