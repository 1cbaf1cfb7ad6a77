// <comparator-race><script type="application/json">{ "title": …, "heats": [ … ] }</script>fallback</comparator-race>
//
// Plays back a race that a benchmark recorded: each lane needs its own time for one operation, and
// its bar is full when that is done. The record has `title`, `command`, `unit` (of the figures, else
// ns), `machine`, `date`, and `heats: [{ what, lanes: [{ name, ns_per_op, bytes_per_key }] }]`, or
// `lanes` alone.
// `book/README.md` lists the attributes.
//
// Nothing is timed here. The winner takes RACE_MS; where the others are then is the result, and what
// stands there before the race is run.
(() => {
  "use strict";

  const { el, button, Widget } = WidgetParts;

  const RACE_MS = 3000;
  const STEPS = 1000;
  const number = (value) => (value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3))));

  /** The record's heats, or a reason why it is none. */
  function read(text) {
    const record = JSON.parse(text);
    const heats = record.heats ?? [{ what: record.title ?? "the race", lanes: record.lanes }];
    for (const heat of heats) {
      if (!Array.isArray(heat.lanes) || heat.lanes.length === 0) throw new Error("a heat without lanes");
      for (const lane of heat.lanes) {
        if (!(lane.ns_per_op > 0)) throw new Error(`lane ${lane.name}: ns_per_op is ${lane.ns_per_op}`);
      }
    }
    return { ...record, heats };
  }

  class ComparatorRace extends Widget {
    get title_() { return "Comparator race"; }

    setUp() {
      const record = this.querySelector('script[type="application/json"]');
      if (record === null) throw new Error("the record is missing: a script of the type application/json inside the element");
      this.record = read(record.textContent);
      this.heat = this.record.heats[0];
      this.playing = null;
      this.build();
      this.choose(this.heat);
    }

    build() {
      const { title, command, machine, date, heats } = this.record;
      const where = [machine, date].filter(Boolean).join(", ");
      const id = this.name;
      this.buttons = heats.map((heat) => button(heat.what, heat.what, () => this.choose(heat)));
      this.lanes = el("div", { class: "cr-lanes" });
      this.play = button("Start", "start the race", () => this.toggle());
      this.slider = el("input", { id: `${id}-at`, type: "range", min: 0, max: STEPS, step: 1, oninput: () => this.scrub(Number(this.slider.value) / STEPS) });
      this.verdict = el("p", { class: "cr-verdict" });
      this.body.append(
        el("p", { class: "cr-title" }, title ?? ""),
        heats.length > 1 ? el("div", { class: "cr-heats", role: "group", "aria-label": "Heats" }, ...this.buttons) : "",
        this.lanes,
        el("div", { class: "cr-controls" }, this.play, el("span", {}, el("label", { for: this.slider.id, class: "wg-spoken" }, "Place in the race"), this.slider)),
        this.verdict,
        command ? el("p", { class: "cr-command" }, "Measured by ", el("code", {}, command), where === "" ? "" : ` (${where})`) : "", this.spoken);
    }

    get calm() { return matchMedia("(prefers-reduced-motion: reduce)").matches; }

    /** The race ends when the first lane is through. */
    get length() { return Math.min(...this.heat.lanes.map((lane) => lane.ns_per_op)); }

    choose(heat) {
      this.stop();
      this.heat = heat;
      this.buttons.forEach((one, i) => one.setAttribute("aria-pressed", String(this.record.heats[i] === heat)));
      const fastest = this.length;
      const unit = this.record.unit ?? "ns";
      this.rows = heat.lanes.map((lane) => {
        const run = el("div", { class: "cr-run" });
        const times = lane.ns_per_op === fastest ? "first" : `× ${(lane.ns_per_op / fastest).toFixed(2)}`;
        const bytes = lane.bytes_per_key === undefined ? "" : el("span", {}, `${number(lane.bytes_per_key)} bytes a key`);
        return { lane, run, node: el("div", { class: "cr-lane" },
          el("span", { class: "cr-name" }, lane.name), el("div", { class: "cr-track", "aria-hidden": "true" }, run),
          el("span", { class: "cr-figure" }, el("b", {}, `${number(lane.ns_per_op)} ${unit} `, el("span", { class: lane.ns_per_op === fastest ? "cr-first" : "cr-times" }, times)), bytes)) };
      });
      this.lanes.replaceChildren(...this.rows.map((row) => row.node));
      const order = [...heat.lanes].sort((a, b) => a.ns_per_op - b.ns_per_op);
      const last = order.at(-1);
      const rest = last === order[0] ? "" : ` By then ${last.name}, the last, has done ${Math.round((100 * fastest) / last.ns_per_op)} % of its work.`;
      this.verdict.textContent = `${heat.what[0].toUpperCase()}${heat.what.slice(1)}: ${order[0].name} is first with ${number(fastest)} ${unit}.${rest}`;
      this.at(1);
      this.say(this.verdict.textContent);
    }

    // ---- the race; `part` runs from 0 at the start to 1 when the first is through

    at(part) {
      this.part = part;
      const elapsed = part * this.length;
      for (const { lane, run } of this.rows) run.style.transform = `scaleX(${elapsed / lane.ns_per_op})`;
      this.slider.value = String(Math.round(part * STEPS));
      this.slider.setAttribute("aria-valuetext", `${Math.round(part * 100)} % of the first lane's time`);
    }

    scrub(part) {
      this.stop();
      this.at(part);
    }

    toggle() {
      if (this.playing !== null) {
        this.stop();
        return;
      }
      // Without motion the race is its result.
      if (this.calm) {
        this.at(1);
        this.say(this.verdict.textContent);
        return;
      }
      const from = this.part >= 1 ? 0 : this.part;
      let started = null;
      const step = (now) => {
        started ??= now;
        const part = Math.min(1, from + (now - started) / RACE_MS);
        this.at(part);
        if (part < 1) {
          this.playing = requestAnimationFrame(step);
        } else {
          this.stop();
          this.say(this.verdict.textContent);
        }
      };
      this.playing = requestAnimationFrame(step);
      this.label("Pause", "pause the race");
    }

    stop() {
      if (this.playing !== null) cancelAnimationFrame(this.playing);
      this.playing = null;
      this.label("Start", "start the race");
    }

    label(text, label) {
      this.play.textContent = text;
      this.play.setAttribute("aria-label", label);
      this.play.title = label;
    }
  }

  customElements.define("comparator-race", ComparatorRace);
})();
