// A served page: the exercises' state arrives, a changed chapter reloads in place, mistakes are shown.
//
// What only the server's owner can do, this script asks of the Rust test by a line: `do: status JSON`, `do: stop`.
import { renameSync, writeFileSync } from "node:fs";
import { assert, given, open, quiet, ready, test } from "./common.mjs";

const order = (line) => process.stdout.write(`\ndo: ${line}\n`);
const exercise = (state, diagnosis) => JSON.stringify([{
  name: "order-i64", title: "Order", chapter: "03-twos-complement", file: "order_i64.rs", minutes: 10, state, diagnosis,
}]);

/** At once: the server must not find the file empty in between. */
function write(file, text) {
  const unseen = `${given.chapters}/../${file}`;
  writeFileSync(unseen, text);
  renameSync(unseen, `${given.chapters}/${file}`);
}

function chapter(text) {
  const filler = "A paragraph that makes the page long.\n\n".repeat(100);
  const status = '<exercise-status name="order-i64">`cargo workbook check order-i64`</exercise-status>';
  write("one.md", `# One\n\n${text}\n\n${status}\n\n<workbook-progress></workbook-progress>\n\n<details><summary>Answer</summary>\n\n${filler}</details>\n\n${filler}`);
}

test("a served page shows the exercises and reloads in place", async () => {
  chapter("first text");
  const url = `${given.url}/one.html`;
  await ready(url);
  const page = await open(url);
  const shows = (selector, text) => page.waitForFunction(([where, words]) => document.querySelector(where)?.textContent === words, [selector, text]);
  await shows("exercise-status", "cargo workbook check order-i64");
  // Minutes may pass until the first verdict: the page knows of the exercise already.
  order(`status ${exercise("waiting", null)}`);
  await shows("exercise-status .ws-badge", "… waiting");
  assert.match(await page.locator("workbook-progress").textContent(), /^0 of 1 passed, 1 waiting for the first build/);
  order(`status ${exercise("failing", "<b>256</b> sorts before 1")}`);
  await shows(".ws-diagnosis", "<b>256</b> sorts before 1");
  assert.equal(await page.locator("workbook-progress").textContent(), "0 of 1 passedChapter 3✗ failingOrderorder-i6410 min");
  const ways = await page.locator("workbook-progress a").evaluateAll((links) => links.map((link) => link.href));
  assert.deepEqual(ways, [`${given.url}/03-twos-complement/index.html`, `${given.url}/03-twos-complement/index.html#order-i64`]);
  // Whoever goes from link to link by the tab key stays where they are when a state changes.
  await page.locator("workbook-progress a").last().focus();
  order(`status ${exercise("passed", null)}`);
  await shows("exercise-status .ws-badge", "✓ passed");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Order");
  // On a phone too the list begins where its headings do.
  const wide = page.viewportSize();
  await page.setViewportSize({ width: 390, height: wide.height });
  const lefts = await page.locator("workbook-progress .ws-chapter, workbook-progress .ws-badge").evaluateAll((all) => all.map((of) => of.getBoundingClientRect().left));
  assert.equal(lefts[0], lefts[1]);
  await page.setViewportSize(wide);

  // Far below an answer that is open: the place is right only if the answer opens again first.
  await page.evaluate(async () => {
    // A font that arrives later would move every line.
    await document.fonts.ready;
    document.querySelector("details").open = true;
    window.scrollTo(0, document.body.scrollHeight - 2000);
  });
  const place = await page.evaluate(() => Math.round(window.scrollY));
  chapter("second text");
  await page.waitForFunction(() => document.querySelector("main")?.textContent.includes("second text") && document.readyState === "complete");
  // What the exercises show stands above the place, and comes from the server in its own time.
  await shows("exercise-status .ws-badge", "✓ passed");
  await page.waitForFunction((before) => Math.abs(window.scrollY - before) < 60 && document.querySelector("details").open, place);

  write("SUMMARY.md", "- [One](one.md)\n- [Two](two.md)\n");
  await page.waitForFunction(() => document.getElementById("workbook-problems")?.textContent.includes("two.md"));
  write("SUMMARY.md", "- [One](one.md)\n");
  await page.waitForFunction(() => document.getElementById("workbook-problems") === null);
  quiet(page);

  // The server goes: the page shows what it would show without one.
  order("stop");
  await shows("exercise-status", "cargo workbook check order-i64");
  await page.context().close();
});
