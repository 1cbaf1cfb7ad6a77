//! Whole pages: from plain files, and from the workbook's server.

use std::fs;
use std::path::Path;
use std::time::Duration;

use book::server::{ServeOptions, Server};
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};

use crate::browser::{self, Page};
use crate::site;

#[tokio::test]
async fn every_page_works_from_plain_files() {
    let Some(program) = browser::program() else {
        return;
    };
    let folder = site::build();
    let mut page = Page::open(&program).await;
    let mut explorers = 0;
    for (path, html) in site::pages(folder.path()) {
        // 404.html has absolute links, print.html opens the print dialog, toc.html is a frame.
        if ["404.html", "print.html", "toc.html"]
            .iter()
            .any(|name| path.ends_with(name))
        {
            continue;
        }
        page.goto(&format!("file://{}", path.display())).await;
        let asked = html.matches("<bits-explorer").count();
        assert_eq!(
            page.eval("document.querySelectorAll('bits-explorer > .wg .bx-column li').length > 0")
                .await,
            asked > 0,
            "{}",
            path.display()
        );
        assert_eq!(
            page.eval("document.querySelectorAll('bits-explorer > .wg').length")
                .await,
            asked
        );
        assert_eq!(
            page.eval("document.querySelectorAll('.ws-live').length")
                .await,
            0,
            "no server, no live state"
        );
        assert_eq!(page.errors, [""; 0], "{}", path.display());
        for request in &page.requests {
            assert!(
                request.starts_with("file://") || request.starts_with("data:"),
                "{} asks for {request}",
                path.display()
            );
        }
        fits_a_phone(&mut page, &path).await;
        if asked > 0 {
            arrows_in_the_bits_do_not_turn_the_page(&mut page).await;
        }
        explorers += asked;
    }
    assert!(explorers > 0, "no page has an explorer");
}

/// mdBook turns to the next chapter on an arrow key, wherever it was pressed.
async fn arrows_in_the_bits_do_not_turn_the_page(page: &mut Page) {
    let address = page.eval("location.href").await;
    page.eval("document.querySelector('.bx-bit').focus()").await;
    for key in ["ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowRight"] {
        page.press(key, "").await;
    }
    page.eval("new Promise((done) => setTimeout(done, 100))")
        .await;
    assert_eq!(page.eval("location.href").await, address);
}

/// Nothing but code and tables, which scroll by themselves, is wider than a narrow screen.
async fn fits_a_phone(page: &mut Page, path: &Path) {
    let phone = json!({ "width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": false });
    page.call("Emulation.setDeviceMetricsOverride", phone).await;
    page.goto(&format!("file://{}", path.display())).await;
    let wide = "[...document.querySelectorAll('main *')]\
        .filter((e) => e.getBoundingClientRect().right > 391 && !e.closest('pre, .table-wrapper, svg, .wg-spoken'))\
        .map((e) => e.outerHTML.slice(0, 80))";
    assert_eq!(page.eval(wide).await, json!([]), "{}", path.display());
    page.call("Emulation.clearDeviceMetricsOverride", json!({}))
        .await;
}

#[tokio::test]
async fn a_served_page_shows_the_exercises_and_reloads_in_place() {
    let Some(program) = browser::program() else {
        return;
    };
    let book = tempfile::tempdir().unwrap();
    for entry in ["book.toml", "theme", "widgets"] {
        copy(&site::book_dir().join(entry), &book.path().join(entry));
    }
    fs::create_dir(book.path().join("chapters")).unwrap();
    fs::write(book.path().join("chapters/SUMMARY.md"), "- [One](one.md)\n").unwrap();
    let chapter = |text: &str| {
        let filler = "A paragraph that makes the page long.\n\n".repeat(100);
        let status = "<exercise-status name=\"order-i64\">`cargo workbook check order-i64`</exercise-status>";
        let text = format!(
            "# One\n\n{text}\n\n{status}\n\n<workbook-progress></workbook-progress>\n\n<details><summary>Answer</summary>\n\n{filler}</details>\n\n{filler}"
        );
        fs::write(book.path().join("chapters/one.md"), text).unwrap();
    };
    chapter("first text");
    let (status, feed) = watch::channel(String::new());
    let mut options = ServeOptions::new(book.path(), feed);
    options.port = 0;
    options.poll_interval = Duration::from_millis(20);
    let server = Server::bind(options).await.unwrap();
    let url = format!("http://{}/one.html", server.addr().unwrap());
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(server.run(async move {
        let _ = stopped.await;
    }));

    let mut page = Page::open(&program).await;
    page.goto(&url).await;
    page.wait_for("document.querySelector('exercise-status')?.textContent === 'cargo workbook check order-i64'").await;
    // On a busy machine the browser is there before the book: the server said so (503), and the page came by itself.
    page.errors.clear();
    let exercise = |state: &str, diagnosis: Value| {
        json!([{ "name": "order-i64", "title": "Order", "chapter": "03-twos-complement", "file": "order_i64.rs", "minutes": 10, "state": state, "diagnosis": diagnosis }]).to_string()
    };
    status
        .send(exercise("failing", json!("<b>256</b> sorts before 1")))
        .unwrap();
    page.wait_for(
        "document.querySelector('.ws-diagnosis')?.textContent === '<b>256</b> sorts before 1'",
    )
    .await;
    assert_eq!(
        page.eval("document.querySelector('workbook-progress').textContent")
            .await,
        "0 of 1 passed✗ failingOrder10 min"
    );
    status.send(exercise("passed", Value::Null)).unwrap();
    page.wait_for(
        "document.querySelector('exercise-status .ws-badge')?.textContent === '✓ passed'",
    )
    .await;

    // Far below an answer that is open: the place is right only if the answer opens again first.
    page.eval(
        "document.querySelector('details').open = true; window.scrollTo(0, document.body.scrollHeight - 2000)",
    )
    .await;
    let place = page.eval("Math.round(window.scrollY)").await;
    chapter("second text");
    page.wait_for("document.querySelector('main')?.textContent.includes('second text') && document.readyState === 'complete'").await;
    page.wait_for(&format!(
        "Math.abs(window.scrollY - {place}) < 60 && document.querySelector('details').open"
    ))
    .await;

    fs::write(
        book.path().join("chapters/SUMMARY.md"),
        "- [One](one.md)\n- [Two](two.md)\n",
    )
    .unwrap();
    page.wait_for(
        "document.getElementById('workbook-problems')?.textContent.includes('two.md') ?? false",
    )
    .await;
    fs::write(book.path().join("chapters/SUMMARY.md"), "- [One](one.md)\n").unwrap();
    page.wait_for("document.getElementById('workbook-problems') === null")
        .await;
    assert_eq!(page.errors, [""; 0]);

    // The server goes: the page shows what it would show without one.
    stop.send(()).unwrap();
    page.wait_for("document.querySelector('exercise-status').textContent === 'cargo workbook check order-i64'").await;
    task.await.unwrap().unwrap();
}

fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}
