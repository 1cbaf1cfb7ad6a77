// The tuple builder: collisions, wrong neighbours, strangers in a scan.
import { assert, drive, says } from "./common.mjs";

const builder = (page, at = 0) => page.locator("tuple-builder").nth(at);
const panel = (page, title, at = 0) => builder(page, at).locator(`.tb-panel[aria-label="${title}"]`);
const verdict = (page, title, at = 0) => panel(page, title, at).locator(".wg-verdict").textContent();
const JOINED = "joined by “:”";

drive("collisions and strangers are named", "tuples.html", async (page) => {
  assert.equal(await verdict(page, JOINED), "✗ 1 collision, 1 stranger in the scan");
  assert.equal(await panel(page, JOINED).locator(".tb-ties .wg-why").textContent(), '✗ same key as ("a", "b:c")');
  assert.equal(await panel(page, JOINED).locator(".tb-scan").textContent(), 'Scan for "a", keys that begin with 613a: ✗ also ("a:b", "c").');
  assert.equal(await verdict(page, "escaped and ended"), "✓ every tuple has its key, in order");
  assert.match(await verdict(page, "length in front"), /^✗ \d out of order$/);
  // Each byte says by a letter which field it belongs to.
  assert.equal((await panel(page, JOINED).locator(".tb-key .wg-letter").allTextContents()).join(""), "A·BBB");
  assert.equal((await panel(page, "escaped and ended").locator(".tb-key code").allTextContents()).join(" "), "61 00 01 62 3a 63 00 01");
  assert.equal(await verdict(page, JOINED, 1), "✗ 1 out of order, 1 stranger in the scan");
  assert.equal((await panel(page, "fixed width", 1).locator(".tb-key .wg-letter").allTextContents()).join(""), "AAAAAAAABBBBCCCCCCCC");
});

drive("tuples are typed, kept, loaded and removed", "tuples.html", async (page) => {
  const field = (name, at = 0) => builder(page, at).getByLabel(name);
  await field("A text").fill("a\\0");
  assert.equal((await panel(page, "escaped and ended").locator(".tb-key code").allTextContents()).join(" "), "61 00 ff 00 01 62 3a 63 00 01");
  assert.match(await verdict(page, "fixed width"), /"a\\0" comes back without its last 00/);
  await field("A text").fill("a".repeat(41));
  assert.equal(await builder(page).locator(".wg-message").textContent(), "✗ 40 bytes are enough for a text.");
  assert.equal(await field("A text").getAttribute("aria-invalid"), "true");
  // A field grows with what is typed, and no further than its widget.
  await field("A text").fill("9".repeat(400));
  const right = (locator) => locator.evaluate((node) => node.getBoundingClientRect().right);
  assert.ok(await right(field("A text")) < await right(builder(page).locator(".wg")), "a field is wider than its widget");
  await field("A text").fill("123456789");
  assert.match(await verdict(page, "fixed width"), /is cut after 8 bytes/);
  await builder(page).getByRole("button", { name: "keep this tuple" }).click();
  await field("A text").fill("123456780");
  assert.match(await verdict(page, "fixed width"), /^✗ 1 collision/);
  await builder(page).getByRole("button", { name: 'remove ("123456789", "b:c")' }).press("Enter");
  assert.match(await verdict(page, "fixed width"), /^✗ "123456780" is cut/);
  await builder(page).getByRole("button", { name: 'put ("b", "a") into the fields' }).click();
  assert.equal(await field("A text").inputValue(), "b");
  await says(page, "tuple-builder", '("b", "a"). joined by “:”:');

  await field("B u32", 1).fill("x");
  assert.equal(await builder(page, 1).locator(".wg-message").textContent(), "✗ “x” is not a number.");
  assert.equal(await field("B u32", 1).getAttribute("aria-invalid"), "true");
  await field("B u32", 1).fill("256");
  assert.equal(await field("B u32", 1).getAttribute("aria-invalid"), "false");
  await builder(page, 1).getByLabel("Scan by").selectOption("2");
  assert.match(await panel(page, "fixed width", 1).locator(".tb-scan").textContent(), /Scan for "user", 256, keys that begin with 757365720000000000000100: ✓ nothing else/);
  await builder(page, 1).getByRole("button", { name: "start again" }).click();
  assert.equal(await field("B u32", 1).inputValue(), "7");

  // A mark that turns what follows it turns nothing but the text in which it stands.
  await field("A text").fill("\u202Eab");
  assert.match(await panel(page, "escaped and ended").locator(".tb-scan").textContent(), /^Scan for "\u2068\u202Eab\u2069", keys/);
});
