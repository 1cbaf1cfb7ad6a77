//! The WebSocket at `/live`: each page is told the state of the book and of the exercises, first
//! when it connects and again at every change. Messages are whole states, so a page that missed
//! some is right again after the next one.
//!
//! ```text
//! {"type":"book","build":"<id>","problems":["…"]}     reload if the id is not the page's own
//! {"type":"status","exercises":[…]}                   as `cargo workbook list --json`; "waiting" before the first verdict
//! ```

use std::net::IpAddr;

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::Site;
use super::guard;

/// Pages send nothing; whoever sends more than this is cut off.
const INCOMING_BYTES_MAX: usize = 1024;

/// What each connection listens to.
#[derive(Clone)]
pub(super) struct Feeds {
    pub(super) bound: IpAddr,
    pub(super) site: watch::Receiver<Site>,
    pub(super) status: watch::Receiver<String>,
    pub(super) stop: watch::Receiver<bool>,
}

pub(super) async fn upgrade(
    State(feeds): State<Feeds>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    if !guard::allowed(&headers, feeds.bound) {
        return (
            StatusCode::FORBIDDEN,
            "only pages of this server may connect\n",
        )
            .into_response();
    }
    upgrade
        .max_message_size(INCOMING_BYTES_MAX)
        .on_upgrade(|socket| talk(socket, feeds))
}

/// Sends states until the page goes or the server stops.
async fn talk(socket: WebSocket, mut feeds: Feeds) {
    let (mut send, mut receive) = socket.split();
    feeds.site.mark_changed();
    feeds.status.mark_changed();
    let mut status_open = true;
    loop {
        let message = tokio::select! {
            _ = feeds.stop.wait_for(|stop| *stop) => break,
            incoming = receive.next() => match incoming {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => continue,
            },
            changed = feeds.site.changed() => match changed {
                Ok(()) => Some(book_message(&feeds.site.borrow_and_update())),
                Err(_) => break,
            },
            changed = feeds.status.changed(), if status_open => {
                // Whoever watches the exercises may stop; the book goes on.
                status_open = changed.is_ok();
                status_message(&feeds.status.borrow_and_update())
            }
        };
        let Some(message) = message else { continue };
        if send.send(Message::text(message.to_string())).await.is_err() {
            return;
        }
    }
    // The page may be gone already; there is nobody left to tell.
    let _ = send.send(Message::Close(None)).await;
}

fn book_message(site: &Site) -> Value {
    json!({ "type": "book", "build": site.build, "problems": site.problems })
}

/// `None` while nothing is known, or for text that is not a JSON array.
fn status_message(status: &str) -> Option<Value> {
    let exercises: Vec<Value> = serde_json::from_str(status).ok()?;
    Some(json!({ "type": "status", "exercises": exercises }))
}
