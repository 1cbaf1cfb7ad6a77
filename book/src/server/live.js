// Keeps a page up to date with the server that served it. The server adds this script to its
// pages; a book opened from files or by another server does not have it and connects to nothing.
//
// Listens on one WebSocket: reloads when the book was built anew (keeping the place and the opened
// answers), shows what is wrong with the sources, and hands the exercises' state to the page's
// elements as the event "workbook:status" on `document`, its last value in `window.workbookStatus`.
(() => {
  "use strict";

  const build = document.currentScript.dataset.build;
  // After these waits it stops asking, so that a stopped server leaves no noise in the console.
  const RETRY_AFTER_MS = [500, 1000, 2000, 5000, 10000];
  const PLACE = "workbook:place:" + location.pathname;
  let attempts = 0;
  let socket = null;

  function connect() {
    const scheme = location.protocol === "https:" ? "wss://" : "ws://";
    socket = new WebSocket(scheme + location.host + "/live");
    socket.onopen = () => { attempts = 0; };
    socket.onmessage = (event) => receive(JSON.parse(event.data));
    socket.onclose = () => {
      socket = null;
      tell(null);
      if (attempts < RETRY_AFTER_MS.length) {
        setTimeout(reconnect, RETRY_AFTER_MS[attempts]);
        attempts += 1;
      }
    };
  }

  function reconnect() {
    if (socket === null && !document.hidden) connect();
  }

  function receive(message) {
    if (message.type === "status") {
      tell(message.exercises);
    } else if (message.type === "book") {
      if (message.build !== build) {
        reload();
      } else {
        showProblems(message.problems);
      }
    }
  }

  // `null` says that nobody knows: the server is gone.
  function tell(exercises) {
    window.workbookStatus = exercises;
    document.dispatchEvent(new CustomEvent("workbook:status", { detail: exercises }));
  }

  function reload() {
    const open = [...document.querySelectorAll("details")].map((details) => details.open);
    try {
      const place = { y: window.scrollY, open, exercises: window.workbookStatus };
      sessionStorage.setItem(PLACE, JSON.stringify(place));
      // The browser would put the old place back before the answers are open again.
      history.scrollRestoration = "manual";
    } catch { /* Without storage the page merely opens at its beginning. */ }
    location.reload();
  }

  function restore() {
    let place = null;
    try {
      place = JSON.parse(sessionStorage.getItem(PLACE));
      sessionStorage.removeItem(PLACE);
    } catch { /* As above. */ }
    if (place === null) return;
    // What the page shows of the exercises takes room above the place, and the server may not have sent it yet.
    if (window.workbookStatus === null) tell(place.exercises);
    document.querySelectorAll("details").forEach((details, i) => {
      if (place.open[i]) details.open = true;
    });
    window.scrollTo({ top: place.y, behavior: "instant" });
    history.scrollRestoration = "auto";
  }

  function showProblems(problems) {
    document.getElementById("workbook-problems")?.remove();
    if (problems.length === 0) return;
    const banner = document.createElement("div");
    banner.id = "workbook-problems";
    banner.setAttribute("role", "alert");
    banner.style.cssText = "position:fixed;inset:auto 0 0 0;z-index:1000;max-height:40vh;overflow:auto;"
      + "padding:12px 20px;background:#7a1f1f;color:#fff;font:14px/1.5 ui-monospace,monospace;white-space:pre-wrap";
    banner.textContent = "This page may be out of date.\n" + problems.join("\n");
    document.body.append(banner);
  }

  window.workbookStatus = null;
  addEventListener("load", restore);
  addEventListener("focus", reconnect);
  document.addEventListener("visibilitychange", reconnect);
  document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", connect) : connect();
})();
