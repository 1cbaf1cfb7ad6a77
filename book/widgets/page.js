// What mdBook's pages leave out for a reader without a mouse, and for paper.
(() => {
  "use strict";

  // What opens the list of chapters is a bare label: no key reaches it and no role names it. A button
  // in its place presses it, since mdBook's own script listens to the label.
  const label = document.getElementById("mdbook-sidebar-toggle");
  if (label !== null) {
    const button = document.createElement("button");
    button.type = "button";
    for (const name of ["class", "title", "aria-label", "aria-controls"]) button.setAttribute(name, label.getAttribute(name));
    button.append(...label.cloneNode(true).childNodes);
    button.onclick = () => label.click();
    const tell = () => button.setAttribute("aria-expanded", label.getAttribute("aria-expanded"));
    tell();
    new MutationObserver(tell).observe(label, { attributeFilter: ["aria-expanded"] });
    label.style.display = "none";
    label.after(button);
  }
  document.getElementById("mdbook-menu-bar")?.setAttribute("role", "banner");

  // The list of chapters is forty stops of the Tab key. The first stop leads past it.
  document.querySelector("main").id = "page-text";
  document.body.insertAdjacentHTML("afterbegin", '<a class="skip" href="#page-text">To the text</a>');

  // Markdown makes a heading of a table's empty corner.
  for (const corner of document.querySelectorAll("main th")) {
    if (corner.textContent.trim() === "" && corner.children.length === 0) corner.replaceWith(document.createElement("td"));
  }

  // Code, tables and figures that are wider than the page scroll in themselves: the arrow keys must reach them, and the eye
  // must see that something is to the right.
  const MAY_SCROLL = "main pre > code, main .table-wrapper, main figure";
  function markMore(wide) {
    wide.toggleAttribute("data-more", wide.scrollLeft + wide.clientWidth < wide.scrollWidth - 1);
  }
  // A table that is too wide in any case, or squeezed until its rows are towers of single words, takes the room that its words
  // need. It then scrolls, and its first column stays.
  const LINES_MAX = 8;
  function giveRoom(part) {
    for (const wrapper of part.querySelectorAll("main .table-wrapper")) {
      const table = wrapper.querySelector("table");
      table.removeAttribute("data-roomy");
      const tallest = Math.max(...Array.from(table.rows, (row) => row.offsetHeight));
      const squeezed = tallest > LINES_MAX * parseFloat(getComputedStyle(table).lineHeight);
      table.toggleAttribute("data-roomy", squeezed || wrapper.scrollWidth > wrapper.clientWidth);
    }
  }
  function reachWide(part) {
    giveRoom(part);
    for (const wide of part.querySelectorAll(MAY_SCROLL)) {
      markMore(wide);
      if (wide.scrollWidth <= wide.clientWidth || wide.tabIndex >= 0) continue;
      wide.tabIndex = 0;
      // A figure has a role and a name, which is its caption.
      if (wide.tagName === "FIGURE") continue;
      wide.setAttribute("role", "group");
      wide.setAttribute("aria-label", wide.tagName === "CODE" ? "wide code" : "wide table");
    }
  }
  addEventListener("load", () => reachWide(document));
  addEventListener("resize", () => reachWide(document));
  // What is in a closed answer has no width yet. The book on one page opens more than a hundred for paper, and closes them again.
  document.addEventListener("toggle", ({ target }) => reachWide(target), true);
  document.addEventListener("scroll", ({ target }) => target.matches?.(MAY_SCROLL) && markMore(target), true);

  // Three hints stand together, a comment before each. Who opens the first must not see the last: the second and the third get
  // a fold of their own, inside the one before.
  for (const hints of document.querySelectorAll("details.hints")) {
    const marks = [...hints.childNodes].filter((node) => node.nodeType === Node.COMMENT_NODE && /^ ANCHOR: hint-[23] $/.test(node.data));
    for (const mark of marks.reverse()) {
      const next = document.createElement("details");
      const summary = document.createElement("summary");
      summary.textContent = "The next hint";
      next.append(summary);
      while (mark.nextSibling !== null) next.append(mark.nextSibling);
      mark.after(next);
    }
  }

  // On paper every answer is open. Only those opened here are closed again.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
})();
