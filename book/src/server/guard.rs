//! Who may open the WebSocket: pages of this server, and programs that are not browsers.
//!
//! A browser lets any site open a WebSocket to 127.0.0.1; only the server can refuse. Two rules:
//! 1. `Origin`, which browsers always send, must name the host that the request was sent to.
//! 2. While the server is bound to loopback, that host must itself be a loopback name: a foreign
//!    name that resolves to 127.0.0.1 passes the first rule, since both headers carry it.

use std::net::IpAddr;

use axum::http::{HeaderMap, header};

/// Whether a WebSocket with these headers may be opened on a server bound to `bound`.
pub(super) fn allowed(headers: &HeaderMap, bound: IpAddr) -> bool {
    let text = |name| headers.get(name).and_then(|v| v.to_str().ok());
    let Some(host) = text(header::HOST) else {
        return false;
    };
    if bound.is_loopback() && !is_loopback_name(host_name(host)) {
        return false;
    }
    if !headers.contains_key(header::ORIGIN) {
        return true;
    }
    let origin = text(header::ORIGIN).unwrap_or("");
    origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"))
        .is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

/// `host` or `[v6]` without the port.
fn host_name(authority: &str) -> &str {
    if let Some(v6) = authority.strip_prefix('[') {
        return v6.split(']').next().unwrap_or("");
    }
    authority.split(':').next().unwrap_or("")
}

fn is_loopback_name(name: &str) -> bool {
    name.parse::<IpAddr>().map_or_else(
        |_| {
            name.eq_ignore_ascii_case("localhost")
                || name.to_ascii_lowercase().ends_with(".localhost")
        },
        |ip| ip.is_loopback(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(host: &str, origin: Option<&str>, bound: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        allowed(&headers, bound.parse().unwrap())
    }

    #[test]
    fn own_pages_and_plain_programs_may_connect() {
        for host in [
            "127.0.0.1:3000",
            "localhost:3000",
            "[::1]:3000",
            "LocalHost",
            "book.localhost:80",
        ] {
            assert!(
                ask(host, Some(&format!("http://{host}")), "127.0.0.1"),
                "{host}"
            );
            assert!(ask(host, None, "127.0.0.1"), "{host}");
        }
        assert!(ask(
            "laptop.local:3000",
            Some("http://laptop.local:3000"),
            "0.0.0.0"
        ));
    }

    #[test]
    fn other_sites_may_not() {
        let own = "127.0.0.1:3000";
        for origin in [
            "http://evil.example",
            "http://127.0.0.1:8000",
            "http://127.0.0.1:3000.evil.example",
            "file://127.0.0.1:3000",
            "null",
            "",
        ] {
            assert!(!ask(own, Some(origin), "127.0.0.1"), "{origin}");
        }
    }

    #[test]
    fn a_foreign_name_that_resolves_to_loopback_may_not() {
        for host in [
            "evil.example:3000",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "",
            "10.0.0.1",
        ] {
            assert!(
                !ask(host, Some(&format!("http://{host}")), "127.0.0.1"),
                "{host}"
            );
            assert!(!ask(host, None, "127.0.0.1"), "{host}");
        }
    }
}
