// The byte sorter: lines cross where an encoding breaks the order.
import { assert, drive, says } from "./common.mjs";

const sorter = (page, at = 0) => page.locator("byte-sorter").nth(at);
const panel = (page, title, at = 0) => sorter(page, at).locator(`.bs-panel[aria-label="${title}"]`);
const verdict = (page, title, at = 0) => panel(page, title, at).locator(".wg-verdict").textContent();
const right = async (page, title, at = 0) => (await panel(page, title, at).locator(".bs-right .bs-of").allTextContents()).map((text) => text.replace("✗", " ✗")).join(" | ");

drive("wrong encodings cross their lines, right ones do not", "sorter.html", async (page) => {
  assert.equal(await verdict(page, "big-endian"), "✗ 9 of 15 pairs are the wrong way round");
  assert.equal(await right(page, "big-endian"), "0 | 1 | 256 | -300 ✗ belongs 1st | -200 ✗ belongs 2nd | -1 ✗ belongs 3rd");
  assert.equal(await panel(page, "big-endian").locator("line.bs-moved").count(), 3);
  assert.equal(await verdict(page, "sign bit flipped"), "✓ in order");
  assert.equal(await panel(page, "sign bit flipped").locator("line.bs-moved").count(), 0);
  const flat = await panel(page, "sign bit flipped").locator("line").evaluateAll((lines) => lines.every((line) => line.y1.baseVal.value === line.y2.baseVal.value));
  assert.ok(flat);
  assert.equal(await verdict(page, "decimal text"), "✗ 3 of 15 pairs are the wrong way round");
  // The deciding byte of -1 behind -200, under the flip.
  assert.equal(await panel(page, "sign bit flipped").locator(".bs-right li").nth(2).locator("b").textContent(), "ff");

  assert.equal(await right(page, "decimal text", 1), "1 | 10 | 100 | 1699999999 | 2 ✗ belongs 2nd");
  assert.equal(await verdict(page, "padded decimal", 1), "✓ in order");
  assert.equal(await verdict(page, "MAX - t", 1), "✓ in order, greatest first");
  assert.equal(await right(page, "MAX - t", 1), "1699999999 | 100 | 10 | 2 | 1");
  assert.equal(await right(page, "length in front", 2), '"a" | "b" ✗ belongs 4th | "aa" | "ab"');
  for (const title of ["plain bytes", "escaped and ended", "fixed width"]) assert.equal(await verdict(page, title, 2), "✓ in order");
  assert.equal(await verdict(page, "total order", 3), "✓ in order");
  assert.equal(await verdict(page, "numeric", 3), "✓ in order; 1 without a key");
});

drive("values are added, followed and removed by mouse and by keys", "sorter.html", async (page) => {
  const field = sorter(page).getByLabel("Number, i64");
  const chip = (name) => sorter(page).getByRole("button", { name });
  await field.fill("abc");
  await field.press("Enter");
  assert.equal(await sorter(page).locator(".wg-message").textContent(), "✗ “abc” is not a number.");
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  // However much is typed, the answer stays short.
  await field.fill("9".repeat(400));
  await field.press("Enter");
  assert.match(await sorter(page).locator(".wg-message").textContent(), /^✗ 9{40}… does not fit i64, /);
  await field.fill("256");
  await field.press("Enter");
  assert.equal(await sorter(page).locator(".wg-message").textContent(), "✗ 256 is there already.");
  await field.fill("4294901760");
  await sorter(page).getByRole("button", { name: "add this value" }).click();
  assert.equal(await verdict(page, "big-endian"), "✗ 12 of 21 pairs are the wrong way round");
  assert.equal(await field.getAttribute("aria-invalid"), "false");
  // The new one is followed in every panel: its line and its two places.
  assert.equal(await sorter(page).locator("line.wg-own").count(), 4);
  await chip("follow -1").click();
  assert.equal(await chip("follow -1").getAttribute("aria-pressed"), "true");
  assert.equal(await panel(page, "big-endian").locator(".bs-right .wg-own .bs-of").textContent(), "-1✗ belongs 3rd");
  await says(page, "byte-sorter", "big-endian: -1 is 7th by bytes, 3rd by value, key ffffffffffffffff.");
  await panel(page, "big-endian").locator(".bs-right li").first().hover();
  assert.match(await panel(page, "big-endian").locator(".bs-left .wg-own").textContent(), /^0$/);
  await page.mouse.move(1, 1);

  await chip("remove -300").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "remove -200");
  for (let left = 6; left > 0; left -= 1) await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.type), "text");
  assert.equal(await sorter(page).locator(".bs-right li").count(), 0);
  await sorter(page).getByRole("button", { name: "start again" }).click();
  assert.equal(await verdict(page, "big-endian"), "✗ 9 of 15 pairs are the wrong way round");
});
