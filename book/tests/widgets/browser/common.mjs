// A browser for the tests, and what all of them ask of a page.
//
// `node FILE.mjs '{ … }'`: the argument is what the Rust test knows, see `suite.rs`.
import assert from "node:assert/strict";
import { after, test as plainTest } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export { assert };
export const given = JSON.parse(process.argv[2] ?? "{}");
// Folders are told by their paths, and asked for by their addresses: where a path has a space, an address has %20.
for (const folder of ["fixtureFiles", "siteFiles"]) {
  if (given[folder]) given[folder] = pathToFileURL(given[folder]).href;
}

const PATIENCE_MS = 120_000;
// Alone they take seconds; a busy machine is no fault of theirs.
const TEST_MS_MAX = 600_000;
// The test is told apart from the reader: the browser must not talk to its maker.
const SWITCHES = ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

const browser = await chromium.launch({ executablePath: given.chromium, args: SWITCHES, timeout: PATIENCE_MS });
after(() => browser.close(), { timeout: PATIENCE_MS });

export const test = (name, body) => plainTest(name, { timeout: TEST_MS_MAX }, body);

/** A page that notes what went wrong and what was asked for. Every one has storage of its own. */
export async function open(url, { width = 1280, height = 900, theme = "light", reducedMotion = "no-preference", javaScriptEnabled = true } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion, javaScriptEnabled });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  page.noted = { errors: [], requests: [] };
  // With the address: what the browser asks for by itself, such as an icon, it reports here alone.
  page.on("console", (message) => { if (message.type() !== "log") page.noted.errors.push(`${message.text()} (${message.location().url})`); });
  page.on("pageerror", (error) => page.noted.errors.push(String(error.stack)));
  page.on("requestfailed", (request) => {
    // Whoever goes on to the next page breaks off what the last one still loads.
    const reason = request.failure()?.errorText;
    if (reason !== "net::ERR_ABORTED") page.noted.errors.push(`${reason}: ${request.url()}`);
  });
  page.on("response", (response) => { if (response.status() >= 400) page.noted.errors.push(`${response.status()}: ${response.url()}`); });
  page.on("request", (request) => page.noted.requests.push(request.url()));
  // print.html would wait for a hand.
  await page.addInitScript((chosen) => {
    window.print = () => {};
    localStorage.setItem("mdbook-theme", chosen);
  }, theme);
  if (url !== null) await page.goto(url);
  return page;
}

/** No error was noted, and nothing asked of another host than the page's own. */
export function quiet(page, where = page.url()) {
  assert.deepEqual(page.noted.errors, [], where);
  const own = new URL(page.url());
  for (const request of page.noted.requests) {
    const { protocol, host } = new URL(request);
    const allowed = protocol === "data:" || (protocol === own.protocol && host === own.host);
    assert.ok(allowed, `${where} asks for ${request}`);
  }
}

export async function close(page) {
  quiet(page);
  await page.context().close();
}

/** Everything in the text lies within the window; code and tables scroll by themselves, the sorter's keys end in dots. */
export async function fits(page, width) {
  const wide = await page.evaluate((most) => [...document.querySelectorAll("main *")]
    .filter((node) => node.getBoundingClientRect().right > most + 1 && !node.closest("pre, .table-wrapper, svg, .wg-spoken, .bs-key"))
    .map((node) => node.outerHTML.slice(0, 90)), width);
  assert.deepEqual(wide, [], `wider than ${width}: ${page.url()}`);
}

/** A finger hits every control of a widget. In a wide window, which has a mouse, the bits are narrower: the number's field and
 *  its buttons do the same. */
async function fingers(page) {
  const small = await page.evaluate(() => [...document.querySelectorAll(".wg :is(button, input, select, summary)")]
    .map((node) => [node, node.getBoundingClientRect()])
    .filter(([node, { width, height }]) => width > 0 && (height < 24 || (width < 24 && !(innerWidth > 600 && node.matches(".bx-bit")))))
    .map(([node]) => node.outerHTML.slice(0, 90)));
  assert.deepEqual(small, [], `too small for a finger: ${page.url()}`);
}

/** Opens every answer, until the page has heard of it: what is wide in them gets its room then. */
export async function openAnswers(page) {
  await page.evaluate(() => Promise.all([...document.querySelectorAll("details:not([open])")].map((answer) => new Promise((done) => {
    answer.addEventListener("toggle", done, { once: true });
    answer.open = true;
  }))));
}

/** Until the workbook's server has built its book. */
export async function ready(url) {
  const begun = Date.now();
  while (Date.now() - begun < PATIENCE_MS) {
    const response = await fetch(url).catch(() => null);
    // A body that nobody reads would hold the connection, and that the program, until it is collected.
    await response?.arrayBuffer();
    if (response?.ok) return;
    await new Promise((done) => { setTimeout(done, 50); });
  }
  assert.fail(`never ready: ${url}`);
}

/** Where and how every widget is driven: from a file and from the server, wide and narrow, light and dark. */
export const WAYS = [
  { name: "from files, wide, light", base: () => given.fixtureFiles, width: 1280, theme: "light" },
  { name: "from the server, narrow, dark", base: () => given.fixtureUrl, width: 360, theme: "navy" },
];

/** A test of one page of the fixture, both ways. */
export function drive(name, file, body) {
  for (const way of WAYS) {
    test(`${name}, ${way.name}`, async () => {
      if (way.base().startsWith("http")) await ready(`${way.base()}/${file}`);
      const page = await open(`${way.base()}/${file}`, way);
      await fits(page, way.width);
      await body(page);
      await fits(page, way.width);
      await fingers(page);
      // Arrow keys in a widget do not turn the page.
      assert.equal(page.url(), `${way.base()}/${file}`);
      await close(page);
    });
  }
}

/** Until the live region says it: it speaks once the hand has rested. */
export async function says(page, widget, part) {
  await page.waitForFunction(([selector, words]) => document.querySelector(selector).textContent.includes(words), [`${widget} > .wg > [aria-live]`, part]);
}
