// What the widgets share: making nodes, reading attributes, and the element that they all are.
//
// A classic script: it defines `WidgetParts`.
const WidgetParts = (() => {
  "use strict";

  const SPEAK_AFTER_MS = 500;
  let made = 0;

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined) node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  }

  /** An element with attributes and children; text is always set as text. */
  const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

  // The parser knows the name space of drawings, so that no address has to stand here.
  const DRAWING = new DOMParser().parseFromString("<svg></svg>", "text/html").body.firstChild.namespaceURI;

  /** The same for a part of a drawing. */
  const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(DRAWING, tag), attributes, children);

  /** The parts of an attribute's list, without the room around them. */
  const list = (text, separator = ",") => (text ?? "").split(separator).map((word) => word.trim()).filter((word) => word !== "");

  const button = (text, label, action, more = {}) =>
    el("button", { type: "button", "aria-label": label, title: label, onclick: action, ...more }, text);

  // What was typed must not push the page away: of a longer word, a message shows the beginning.
  const LONG_WORD = /([^\s”"]{40})[^\s”"]+/gu;
  const brief = (text) => text.replace(LONG_WORD, "$1…");

  /** For the ear only. */
  const unseen = (text) => el("span", { class: "wg-spoken" }, text);

  /**
   * An element whose fallback gives way to `this.body` once `setUp` has built it. What stands inside
   * stays in the page, for paper. A widget that throws at its attributes says why in the console and
   * leaves the fallback.
   */
  class Widget extends HTMLElement {
    connectedCallback() {
      if (this.body !== undefined) return;
      this.name = `${this.localName}-${(made += 1)}`;
      this.body = el("div", { class: `wg wg-${this.localName}`, role: "group", "aria-label": this.title_, onkeydown: (event) => {
        // The page's own arrow keys would turn to the next chapter.
        if (event.key.startsWith("Arrow")) event.stopPropagation();
      } });
      this.spoken = el("p", { class: "wg-spoken", "aria-live": "polite" });
      try {
        this.setUp();
      } catch (error) {
        console.error(`${this.localName}: ${error.message}`);
        return;
      }
      const fallback = el("div", { class: "wg-fallback" }, ...this.childNodes);
      this.append(fallback, this.body);
    }

    /** Tells the writer of the page what is wrong with an attribute. */
    complain(problems) {
      for (const problem of problems) console.error(`${this.localName}: ${problem}`);
    }

    /** The first `most` items of an attribute's list. What has no room is told. */
    atMost(most, items, what) {
      if (items.length > most) this.complain([`${items.length} ${what}, of which only ${most} have room`]);
      return items.slice(0, most);
    }

    /** Speaks a sentence once the hand has rested, so that a drag is not read out. */
    say(sentence) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => { this.spoken.textContent = sentence; }, SPEAK_AFTER_MS);
    }
  }

  return { el, svg, list, button, brief, unseen, Widget };
})();
