//! What goes wrong with finding the name in a member.

use kit::Mistake;

use crate::member_key::Members;
use crate::mistakes::member_key::{RULES, TEXT};
use crate::solutions::member_key::{member, name as right};

fn mistake(
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
    function: fn(&str) -> Option<String>,
) -> Mistake<Members> {
    Mistake::new(name, "name", "round-trip", Members::new(member, function))
        .says(says)
        .why(why)
        .link(link)
}

fn owned(name: Option<&str>) -> Option<String> {
    name.map(str::to_owned)
}

/// The mistakes of `name`.
pub(crate) fn all() -> Vec<Mistake<Members>> {
    vec![
        mistake(
            "name_after_the_last_hyphen",
            "what comes after the last `-`",
            "A name may hold a `-`: of `a-b` that leaves `b`. The fields in front have fixed widths, so the name \
             begins at a place that you know.",
            TEXT,
            |text| right(text).and_then(|_| owned(text.rsplit('-').next())),
        ),
        mistake(
            "name_as_the_third_part",
            "the third part between hyphens",
            "A name may hold a `-`: of `a-b` that leaves `a`. `splitn(3, '-')` stops after the second one.",
            TEXT,
            |text| right(text).and_then(|_| owned(text.split('-').nth(2))),
        ),
        mistake(
            "third_part_unchecked",
            "the third part between hyphens, whatever the text is",
            "A name may hold a `-`: of `a-b` the third part is `a`. And other texts have a third part too: look at the flag and the \
             digits. `splitn(3, '-')` stops after the second `-`.",
            TEXT,
            |text| owned(text.split('-').nth(2)),
        ),
        mistake(
            "name_in_front",
            "what comes before the first `-`",
            "That is where the published form has the name. Here the flag is there.",
            TEXT,
            |text| right(text).and_then(|_| owned(text.split('-').next())),
        ),
        mistake(
            "name_with_its_hyphen",
            "the name with the `-` before it",
            "The flag has one character, the digits thirteen, and each has a `-` after it: the name begins at 16.",
            TEXT,
            |text| right(text).map(|_| text[15..].to_owned()),
        ),
        mistake(
            "name_cut_by_one",
            "the name without its first character",
            "The flag has one character, the digits thirteen, and each has a `-` after it: the name begins at 16.",
            TEXT,
            |text| right(text).map(|name| name.chars().skip(1).collect()),
        ),
        mistake(
            "empty_name_refused",
            "`None` for an empty name",
            "An empty text is a name here, and `member` makes a member for it.",
            RULES,
            |text| right(text).filter(|name| !name.is_empty()),
        ),
        mistake(
            "empty_name_for_what_is_no_member",
            "the empty name for characters that no call of `member` makes",
            "An empty text is a name here, and has members. Who reads it out of other characters cannot know that they were no member: the answer is `None`. \
             If you wrote `unwrap_or_default()`: `?` hands a `None` on.",
            RULES,
            |text| Some(right(text).unwrap_or_default()),
        ),
        mistake(
            "names_with_hyphens_refused",
            "`None` for names with a `-`",
            "A name is any text. The member has at least two `-`, not exactly two.",
            TEXT,
            |text| right(text).filter(|name| !name.contains('-')),
        ),
        mistake(
            "name_of_three_parts",
            "the last of exactly three parts between hyphens, whatever the other two are",
            "A name is any text, so the member has at least two `-` and may have more. And the flag and the digits have to be looked at: \
             `E-1-8428189998740` has three parts too.",
            TEXT,
            |text| {
                let parts: Vec<&str> = text.split('-').collect();
                owned(parts.get(2).copied().filter(|_| parts.len() == 3))
            },
        ),
        Mistake::new(
            "third_part_or_panic",
            "name",
            "returns",
            Members::new(member, |text: &str| owned(Some(text.split('-').nth(2).expect("index out of bounds")))),
        )
        .says("the third part between hyphens, and a panic where there are fewer")
        .why(
            "A text that is no member may hold no `-` at all: the answer to it is `None`. And a name may hold a `-`: of `a-b` the third part is \
             `a`. `splitn(3, '-')` stops after the second one.",
        )
        .link(TEXT),
        mistake(
            "last_part_unchecked",
            "what comes after the last `-`, whatever the text is",
            "A name may hold a `-`: of `a-b` that leaves `b`. And other texts have a last part too: look at the flag and the digits. The fields in \
             front have fixed widths, so the name begins at a place that you know.",
            TEXT,
            |text| owned(text.rsplit('-').next()),
        ),
        Mistake::new(
            "sliced_at_its_place",
            "name",
            "returns",
            Members::new(member, |text: &str| owned(Some(&text[16..]))),
        )
        .says("everything from character 16 on, with a panic where there is none")
        .why(
            "A text that is no member may be shorter, and a slice of it panics: `get(16..)` gives `None`. Nor are sixteen characters a proof. \
             Look at the flag, the two `-` and the digits, and refuse the rest.",
        )
        .link(RULES),
        mistake(
            "name_by_its_place_alone",
            "everything from character 16 on, whatever comes before it",
            "Sixteen characters are no proof. Look at the flag, the two `-` and the digits, and refuse the rest.",
            RULES,
            |text| owned(text.get(16..)),
        ),
        mistake(
            "name_after_two_hyphens",
            "everything after the second `-`, whatever comes before it",
            "That finds the name in every member. But it finds one in `E-1-8428189998740` too, which the published \
             form makes. Look at the flag and at the digits.",
            RULES,
            |text| owned(text.splitn(3, '-').nth(2)),
        ),
        mistake(
            "any_flag_taken",
            "any single character as a flag",
            "A flag is `0` or `1`, and `2` is what some other program wrote.",
            RULES,
            |text| {
                let (flag, _) = text.split_once('-')?;
                right(&text.replacen(flag, "1", 1)).filter(|_| flag.chars().count() == 1)
            },
        ),
        mistake(
            "name_trimmed",
            "the name without the white space around it",
            "A name is any text, and a space or a line end may be in it: ` ann` and `ann` are two players. Clean up what people type \
             before it is stored.",
            RULES,
            |text| right(text).map(|name| name.trim().to_owned()),
        ),
        mistake(
            "number_of_any_width",
            "any number that `parse` reads, of any width, between the hyphens",
            "`member` writes thirteen digits. With twelve or fourteen, or with a `+` that `parse` reads, some other program wrote it. Look at \
             the width, and ask every byte whether it is a digit.",
            RULES,
            |text| {
                let mut fields = text.splitn(3, '-');
                let (flag, digits) = (fields.next()?, fields.next()?);
                let taken = ["0", "1"].contains(&flag) && digits.parse::<u64>().is_ok();
                owned(fields.next().filter(|_| taken))
            },
        ),
        mistake(
            "digits_not_looked_at",
            "any thirteen characters for the digits",
            "`1-842818999874x-E` is no member. Every one of the thirteen has to be a digit.",
            RULES,
            |text| {
                let flag = text
                    .get(..2)
                    .filter(|flag| *flag == "0-" || *flag == "1-")?;
                let rest = text.strip_prefix(flag)?.as_bytes();
                let name = rest.get(14..).filter(|_| rest[13] == b'-')?;
                String::from_utf8(name.to_vec()).ok()
            },
        ),
        mistake(
            "digits_of_any_script",
            "digits of any script",
            "`char::is_numeric` knows the digits of all scripts, `٨` for one. `member` writes 0 to 9: `is_ascii_digit`.",
            RULES,
            |text| {
                let (flag, rest) = text.split_once('-')?;
                let digits: String = rest.chars().take_while(|c| c.is_numeric()).collect();
                let right = (flag == "0" || flag == "1") && digits.chars().count() == 13;
                let name = rest.strip_prefix(&digits)?.strip_prefix('-');
                owned(name.filter(|_| right))
            },
        ),
        mistake(
            "hexadecimal_digits_taken",
            "thirteen hexadecimal digits",
            "`member` writes decimal digits, and `a` is none of them. `is_ascii_digit` knows 0 to 9, `is_ascii_hexdigit` six letters \
             more.",
            RULES,
            |text| {
                let (flag, rest) = text.split_once('-')?;
                let (digits, name) = rest.split_once('-')?;
                let right = (flag == "0" || flag == "1") && digits.len() == 13;
                let taken = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
                owned(Some(name).filter(|_| right && taken))
            },
        ),
        mistake(
            "digits_left_to_parse",
            "any thirteen characters that `parse` reads",
            "`parse` is made for what people type: it reads `+428189998740` too, which `member` never writes. Ask every byte \
             whether it is a digit.",
            RULES,
            |text| {
                let (flag, rest) = text.split_once('-')?;
                let (digits, name) = rest.split_once('-')?;
                let right = (flag == "0" || flag == "1") && digits.len() == 13;
                digits.parse::<u64>().ok().filter(|_| right)?;
                owned(Some(name))
            },
        ),
        Mistake::new(
            "name_sliced_in_a_character",
            "name",
            "returns",
            Members::new(member, |text: &str| {
                if text.len() < 16 {
                    return None;
                }
                let (_, _) = (&text[..2], &text[2..15]);
                right(text)
            }),
        )
        .says("the right names, with a panic where byte 2 or 15 lies within a character")
        .why(
            "A slice of a `&str` panics within a character of several bytes, and a text that is no member may hold one anywhere. \
             `get(2..15)` gives `None` there.",
        )
        .link(RULES),
        mistake(
            "digits_of_any_width",
            "any number of digits",
            "There are thirteen, always. A member with twelve was made by a program that does not pad, and sorts \
             at the wrong place.",
            RULES,
            |text| {
                let mut parts = text.splitn(3, '-');
                let (flag, digits, name) = (parts.next()?, parts.next()?, parts.next()?);
                let right = (flag == "0" || flag == "1")
                    && !digits.is_empty()
                    && digits.bytes().all(|b| b.is_ascii_digit());
                right.then(|| name.to_owned())
            },
        ),
    ]
}
