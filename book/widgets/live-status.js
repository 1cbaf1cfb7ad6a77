// The exercises' state, live where the workbook's server is, quiet elsewhere.
//
// Both listen to "workbook:status" on `document`, which only the server's own script sends
// (an array, or null when the connection is lost). Without it the fallback inside stays.
(() => {
  "use strict";

  // A script's own address, because a book opened from plain files has no root.
  const root = new URL("../", document.currentScript.src);

  // Not by colour alone: each state has a sign and a word.
  const STATES = {
    "not-started": { sign: "○", word: "not started" },
    failing: { sign: "✗", word: "failing" },
    passed: { sign: "✓", word: "passed" },
    // The server has just started.
    waiting: { sign: "…", word: "waiting" },
  };

  function span(className, text) {
    const node = document.createElement("span");
    node.className = className;
    node.textContent = text;
    return node;
  }

  function command(text) {
    const node = document.createElement("code");
    node.textContent = `cargo workbook ${text}`;
    return [node];
  }

  function badge(state) {
    const { sign, word } = STATES[state] ?? { sign: "?", word: state };
    const node = span(`ws-badge ws-${state}`, "");
    const mark = span("ws-sign", sign);
    mark.setAttribute("aria-hidden", "true");
    node.append(mark, ` ${word}`);
    return node;
  }

  function link(text, page, anchor = "") {
    const node = document.createElement("a");
    node.href = new URL(`${page}/index.html${anchor}`, root);
    node.textContent = text;
    return node;
  }

  // A crate's name and a chapter's folder mean the same chapter.
  const bare = (chapter) => chapter.replace(/^ch(?=\d)/, "");

  class Live extends HTMLElement {
    connectedCallback() {
      if (this.fallback === undefined) {
        this.fallback = [...this.childNodes];
        if (this.fallback.length === 0) this.fallback = this.defaultFallback();
      }
      this.listener = (event) => this.update(event.detail);
      document.addEventListener("workbook:status", this.listener);
      this.update(window.workbookStatus ?? null);
    }

    disconnectedCallback() {
      document.removeEventListener("workbook:status", this.listener);
    }

    update(exercises) {
      const nodes = exercises === null ? null : this.nodes(exercises);
      const html = (nodes ?? []).map((node) => node.outerHTML).join("");
      if (nodes !== null && html === this.shown) return;
      this.shown = html;
      this.classList.toggle("ws-live", nodes !== null);
      // A link that has the keyboard is made anew with the rest, and keeps it.
      const held = this.contains(document.activeElement) ? document.activeElement.href : undefined;
      this.replaceChildren(...(nodes ?? this.fallback));
      if (held) [...this.querySelectorAll("a")].find((way) => way.href === held)?.focus({ preventScroll: true });
    }
  }

  class ExerciseStatus extends Live {
    defaultFallback() { return command(`check ${this.getAttribute("name")}`); }

    nodes(exercises) {
      const found = exercises.find((exercise) => exercise.name === this.getAttribute("name"));
      if (found === undefined) return null;
      this.setAttribute("role", "status");
      const head = span("ws-head", "");
      head.append(badge(found.state), span("ws-name", found.title ?? found.name));
      const nodes = [head];
      if (["not-started", "waiting"].includes(found.state)) nodes.push(span("ws-file", `edit ${found.file}`));
      if (found.state === "not-started" && found.diagnosis) nodes.push(span("ws-diagnosis", `You have begun, but ${found.diagnosis}.`));
      if (found.state === "failing") nodes.push(span("ws-diagnosis", found.diagnosis ?? "see the terminal for the reason"));
      return nodes;
    }
  }

  class WorkbookProgress extends Live {
    defaultFallback() { return command("list"); }

    nodes(exercises) {
      const chapter = this.getAttribute("chapter");
      const own = exercises.filter((exercise) => chapter === null || bare(exercise.chapter) === bare(chapter));
      if (own.length === 0) return null;
      const count = (state) => own.filter((exercise) => exercise.state === state).length;
      const [passed, waiting] = [count("passed"), count("waiting")];
      const bar = document.createElement("progress");
      bar.max = own.length;
      bar.value = passed;
      bar.setAttribute("aria-label", "exercises passed");
      const head = span("ws-head", "");
      head.append(bar, span("ws-count", `${passed} of ${own.length} passed${waiting > 0 ? `, ${waiting} waiting for the first build` : ""}`));
      const nodes = [head];
      let list = null;
      own.forEach((exercise, at) => {
        const page = bare(exercise.chapter);
        if (at === 0 || bare(own[at - 1].chapter) !== page) {
          list = document.createElement("ul");
          if (chapter === null) {
            const name = span("ws-chapter", "");
            name.append(link(`Chapter ${parseInt(page, 10)}`, page));
            nodes.push(name);
          }
          nodes.push(list);
        }
        const item = document.createElement("li");
        // The task stands in the chapter under the exercise's name, which the commands ask for.
        const what = span("ws-what", "");
        what.append(link(exercise.title ?? exercise.name, page, `#${exercise.name}`), span("ws-file", exercise.name));
        item.append(badge(exercise.state), what);
        if (exercise.minutes) item.append(span("ws-minutes", `${exercise.minutes} min`));
        list.append(item);
      });
      return nodes;
    }
  }

  customElements.define("exercise-status", ExerciseStatus);
  customElements.define("workbook-progress", WorkbookProgress);
})();
