//! The bits explorer: what it shows, and what it answers to hands and to nonsense.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::browser::{self, Page};
use crate::site;

/// A page with one explorer, made of the widgets' own files.
fn explorer_page(folder: &Path, element: &str) -> String {
    let asset = |file: &str| site::book_dir().join(file).display().to_string();
    let page = format!(
        "<!DOCTYPE html><html lang=\"en\" class=\"light\"><meta charset=\"utf-8\"><title>test</title>\
         <link rel=\"stylesheet\" href=\"file://{}\"><link rel=\"stylesheet\" href=\"file://{}\">\
         <body>{element}<script src=\"file://{}\"></script><script src=\"file://{}\"></script><script src=\"file://{}\"></script>",
        asset("theme/book.css"),
        asset("widgets/widgets.css"),
        asset("chapters/widgets/parts.js"),
        asset("chapters/widgets/encodings.js"),
        asset("chapters/widgets/bits-explorer.js"),
    );
    let file = folder.join("page.html");
    fs::write(&file, page).unwrap();
    format!("file://{}", file.display())
}

const SIGNED: &str = "<bits-explorer type=\"i64\" value=\"-1\" neighbours=\"-300, -200, 0, 1, 4294901760\" \
    encodings=\"le, be, sign-flip, ledis, ledis-published\"><p id=\"fallback\">fallback</p></bits-explorer>";
const FLOAT: &str = "<bits-explorer type=\"f64\" value=\"-0\" neighbours=\"-inf, -1, 0, 1, inf, nan\" \
    encodings=\"be, sign-flip, total-order, qdb, numeric\"></bits-explorer>";

/// Reads a column: verdict, place, and the neighbours in order.
const COLUMN: &str = "(title) => { const c = document.querySelector(`.bx-column[aria-label=\"${title}\"]`); \
    const text = (s) => c.querySelector(s).textContent; \
    return [text('.wg-verdict'), text('.bx-key'), text('.bx-place'), [...c.querySelectorAll('.bx-name')].map((n) => n.textContent).join(' ')]; }";

async fn column(page: &mut Page, title: &str) -> Value {
    page.eval(&format!("({COLUMN})({title:?})")).await
}

/// Types into the number field as a person does: select all, replace.
async fn type_number(page: &mut Page, text: &str) {
    page.eval(&format!(
        "(() => {{ const f = document.querySelector('.wg input[type=text]'); f.value = {text:?}; \
         f.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
    ))
    .await;
}

#[tokio::test]
async fn the_explorer_shows_where_minus_one_lands() {
    let Some(program) = browser::program() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut page = Page::open(&program).await;
    page.goto(&explorer_page(folder.path(), SIGNED)).await;
    assert_eq!(
        column(&mut page, "little-endian").await,
        json!([
            "✗ out of order",
            "ffffffffffffffff",
            "place 6 of 6, belongs at 3",
            "0 4294901760 1 -200 -300 ▸ -1"
        ])
    );
    assert_eq!(
        column(&mut page, "big-endian").await,
        json!([
            "✗ out of order",
            "ffffffffffffffff",
            "place 6 of 6, belongs at 3",
            "0 1 4294901760 -300 -200 ▸ -1"
        ])
    );
    assert_eq!(
        column(&mut page, "sign bit flipped").await,
        json!([
            "✓ in order",
            "7fffffffffffffff",
            "place 3 of 6",
            "-300 -200 ▸ -1 0 1 4294901760"
        ])
    );
    assert_eq!(
        column(&mut page, "LedisDB").await,
        json!([
            "✓ in order",
            "3cffffffffffffffff",
            "place 3 of 6",
            "-300 -200 ▸ -1 0 1 4294901760"
        ])
    );
    let published = column(&mut page, "LedisDB as published").await;
    assert_eq!(published[0], "✗ out of order");
    assert_eq!(
        page.eval("document.querySelectorAll('.bx-bit').length")
            .await,
        64
    );
    let legend = page
        .eval("document.querySelector('.bx-legend').textContent")
        .await;
    assert!(
        legend.as_str().unwrap().contains("the sum is -1"),
        "{legend}"
    );
    assert_eq!(page.errors, [""; 0]);
}

#[tokio::test]
async fn the_explorer_shows_zeros_and_nan() {
    let Some(program) = browser::program() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut page = Page::open(&program).await;
    page.goto(&explorer_page(folder.path(), FLOAT)).await;
    assert_eq!(
        column(&mut page, "QDB").await,
        json!([
            "✗ out of order",
            "8000000000000000",
            "place 3 of 7; comes back as 0.0",
            "-inf -1.0 ▸ -0.0 0.0 NaN 1.0 inf"
        ])
    );
    assert_eq!(
        column(&mut page, "numeric").await,
        json!([
            "✓ in order",
            "8000000000000000",
            "place 3 of 6; comes back as 0.0; refuses NaN",
            "-inf -1.0 ▸ -0.0 0.0 1.0 inf"
        ])
    );
    type_number(&mut page, "nan").await;
    assert_eq!(
        column(&mut page, "QDB").await,
        json!([
            "✗ out of order",
            "8007ffffffffffff",
            "place 4 of 6, belongs at 6; comes back as 1.1125369292536e-308",
            "-inf -1.0 0.0 ▸ NaN 1.0 inf"
        ])
    );
    let numeric = column(&mut page, "numeric").await;
    assert_eq!(numeric[1], "no key");
    assert_eq!(numeric[2], "refused: NaN has no key here");
    assert_eq!(page.errors, [""; 0]);
}

#[tokio::test]
async fn bad_input_is_answered_beside_the_field_and_changes_nothing() {
    let Some(program) = browser::program() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut page = Page::open(&program).await;
    page.goto(&explorer_page(folder.path(), SIGNED)).await;
    let before = column(&mut page, "big-endian").await;
    let message = "document.querySelector('.wg-message').textContent";
    let invalid = "document.querySelector('.wg input').getAttribute('aria-invalid')";
    for (typed, answer) in [
        ("abc", "✗ “abc” is not a number."),
        (
            "9223372036854775808",
            "✗ 9223372036854775808 does not fit i64, which holds -9223372036854775808 to 9223372036854775807.",
        ),
        (
            "1e3",
            "✗ Write 1e3 in digits alone: i64 holds whole numbers.",
        ),
        ("", "✗ Type a number."),
        (
            "<img src=x onerror=alert(1)>",
            "✗ “<img src=x onerror=alert(1)>” is not a number.",
        ),
    ] {
        type_number(&mut page, typed).await;
        assert_eq!(page.eval(message).await, answer);
        assert_eq!(page.eval(invalid).await, "true");
        assert_eq!(column(&mut page, "big-endian").await, before);
    }
    type_number(&mut page, " 9_223_372_036_854_775_807 ").await;
    assert_eq!(page.eval(invalid).await, "false");
    assert_eq!(
        column(&mut page, "sign bit flipped").await[1],
        "ffffffffffffffff"
    );
    page.goto(&explorer_page(folder.path(), FLOAT)).await;
    type_number(&mut page, "1e999").await;
    assert!(
        page.eval(message)
            .await
            .as_str()
            .unwrap()
            .contains("for infinity write inf")
    );
    type_number(&mut page, "9007199254740993").await;
    assert_eq!(
        page.eval(message).await,
        "9007199254740993 is stored as 9007199254740992.0."
    );
    assert_eq!(page.errors, [""; 0]);
}

#[tokio::test]
async fn keys_step_flip_and_move_without_a_mouse() {
    let Some(program) = browser::program() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut page = Page::open(&program).await;
    page.goto(&explorer_page(folder.path(), SIGNED)).await;
    let value = "document.querySelector('.wg input').value";
    page.eval("document.querySelector('.wg input').focus()")
        .await;
    page.press("ArrowUp", "").await;
    page.press("ArrowUp", "").await;
    assert_eq!(page.eval(value).await, "1");

    // One stop for the tab key among 64 bits; arrows move inside.
    assert_eq!(
        page.eval("document.querySelectorAll('.bx-bit[tabindex=\"0\"]').length")
            .await,
        1
    );
    page.eval("document.querySelector('.bx-bit[tabindex=\"0\"]').focus()")
        .await;
    page.press("ArrowRight", "").await;
    assert_eq!(
        page.eval("document.activeElement.getAttribute('aria-label')")
            .await,
        "bit 62, value"
    );
    page.press("End", "").await;
    page.press(" ", " ").await;
    assert_eq!(page.eval(value).await, "0");
    page.press("Home", "").await;
    page.press(" ", " ").await;
    assert_eq!(page.eval(value).await, i64::MIN.to_string());

    let line = "document.querySelector('.wg input[type=range]')";
    page.eval(&format!("{line}.focus()")).await;
    page.press("End", "").await;
    assert_eq!(page.eval(value).await, i64::MAX.to_string());
    assert_eq!(
        page.eval(&format!("{line}.getAttribute('aria-valuetext')"))
            .await,
        i64::MAX.to_string()
    );
    // The live region speaks after the hand has rested.
    page.wait_for("document.querySelector('[aria-live]').textContent.includes('9223372036854775807 as i64. little-endian: out of order')").await;
    assert_eq!(page.errors, [""; 0]);
}

#[tokio::test]
async fn another_type_keeps_the_number_or_says_why_not() {
    let Some(program) = browser::program() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut page = Page::open(&program).await;
    page.goto(&explorer_page(folder.path(), SIGNED)).await;
    let choose = |name: &str| {
        format!(
            "(() => {{ const s = document.querySelector('.wg select'); s.value = '{name}'; s.dispatchEvent(new Event('change')); }})()"
        )
    };
    page.eval(&choose("i8")).await;
    assert_eq!(
        page.eval("document.querySelectorAll('.bx-bit').length")
            .await,
        8
    );
    assert_eq!(column(&mut page, "big-endian").await[3], "0 1 ▸ -1");
    page.eval(&choose("i64")).await;
    type_number(&mut page, "300").await;
    page.eval(&choose("i8")).await;
    assert!(
        page.eval("document.querySelector('.wg-message').textContent")
            .await
            .as_str()
            .unwrap()
            .contains("300 does not fit i8")
    );
    assert_eq!(page.errors, [""; 0]);
}

#[tokio::test]
async fn on_paper_the_fallback_stands_in_the_widgets_place() {
    let Some(program) = browser::program() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut page = Page::open(&program).await;
    page.goto(&explorer_page(folder.path(), SIGNED)).await;
    let shown = "[document.getElementById('fallback').offsetHeight > 0, document.querySelector('.wg').offsetHeight > 0]";
    assert_eq!(page.eval(shown).await, json!([false, true]));
    page.call("Emulation.setEmulatedMedia", json!({ "media": "print" }))
        .await;
    assert_eq!(page.eval(shown).await, json!([true, false]));
}
