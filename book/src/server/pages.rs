//! The routes: pages from the folder of the last good build, `/live`, and its script.
//!
//! A page that was loaded just before a build asks for its scripts just after it, by names that the
//! new build may not have. So every file but a page is looked for in the build before too.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use tower_http::services::{ServeDir, ServeFile};

use super::live::{self, Feeds};

const LIVE_SCRIPT: &str = include_str!("live.js");

/// Shown until the first build succeeds; its script brings the reason and reloads it.
///
/// It names an empty icon: for a page without one a browser asks for `/favicon.ico` by itself, which
/// no book has, and notes a 404 that belongs to no request of the page.
const NO_BOOK_YET: &str = "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">\
    <title>Keys in Order</title><link rel=\"icon\" href=\"data:,\"><script src=\"/live.js\" data-build=\"\"></script></head>\
    <body><p>The book is being built.</p></body></html>";

pub(super) fn router(feeds: Feeds) -> Router {
    Router::new()
        .route("/live", get(live::upgrade))
        .route("/live.js", get(live_script))
        .fallback(page)
        .with_state(feeds)
}

async fn live_script() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, LIVE_SCRIPT)
}

async fn page(State(feeds): State<Feeds>, mut request: Request) -> Response {
    let (dir, dir_before) = {
        let site = feeds.site.borrow();
        (site.dir.clone(), site.dir_before.clone())
    };
    let Some(dir) = dir else {
        return (StatusCode::SERVICE_UNAVAILABLE, Html(NO_BOOK_YET)).into_response();
    };
    // File times have whole seconds here: two builds within one would pass for the same page.
    request.headers_mut().remove(header::IF_MODIFIED_SINCE);
    let older = dir_before.filter(|_| !is_page(request.uri().path()));
    let not_found = ServeFile::new(dir.join("404.html"));
    let mut files = ServeDir::new(&dir)
        .fallback(ServeDir::new(older.unwrap_or(dir)).not_found_service(not_found));
    let mut response = match files.try_call(request).await {
        Ok(response) => response.map(Body::new),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    };
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn is_page(path: &str) -> bool {
    path.ends_with('/') || path.ends_with(".html")
}
