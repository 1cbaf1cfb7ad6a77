// The bits explorer: what it shows, and what it answers to hands and to nonsense.
import { assert, drive, says } from "./common.mjs";

/** A column: verdict, key, place, and the neighbours in order. */
async function column(page, title, at = 0) {
  const card = page.locator("bits-explorer").nth(at).locator(`.bx-column[aria-label="${title}"]`);
  const names = await card.locator(".bx-name").allTextContents();
  return [await card.locator(".wg-verdict").textContent(), await card.locator(".bx-key").textContent(), await card.locator(".bx-place").textContent(), names.join(" ")];
}

const first = (page) => page.locator("bits-explorer").nth(0);
const number = (page, at = 0) => page.locator("bits-explorer").nth(at).getByLabel("Number", { exact: true });

drive("the explorer shows where -1 lands", "explorer.html", async (page) => {
  assert.deepEqual(await column(page, "little-endian"), ["✗ out of order", "ffffffffffffffff", "place 6 of 6, belongs at 3", "0 4294901760 1 -200 -300 ▸ -1"]);
  assert.deepEqual(await column(page, "big-endian"), ["✗ out of order", "ffffffffffffffff", "place 6 of 6, belongs at 3", "0 1 4294901760 -300 -200 ▸ -1"]);
  assert.deepEqual(await column(page, "sign bit flipped"), ["✓ in order", "7fffffffffffffff", "place 3 of 6", "-300 -200 ▸ -1 0 1 4294901760"]);
  assert.deepEqual(await column(page, "LedisDB"), ["✓ in order", "3cffffffffffffffff", "place 3 of 6", "-300 -200 ▸ -1 0 1 4294901760"]);
  assert.equal((await column(page, "LedisDB as published"))[0], "✗ out of order");
  assert.equal(await first(page).locator(".bx-bit").count(), 64);
  assert.match(await first(page).locator(".bx-legend").textContent(), /the sum is -1/);
  // The neighbours stand on the line in their order.
  const marks = await first(page).locator(".bx-marks i").evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect().x));
  assert.equal(marks.length, 5);
  assert.deepEqual(marks, [...marks].sort((a, b) => a - b));
});

drive("the explorer shows zeros and NaN", "explorer.html", async (page) => {
  assert.deepEqual(await column(page, "QDB", 1), ["✗ out of order", "8000000000000000", "place 3 of 7; comes back as 0.0", "-inf -1.0 ▸ -0.0 0.0 NaN 1.0 inf"]);
  assert.deepEqual(await column(page, "numeric", 1), ["✓ in order", "8000000000000000", "place 3 of 6; comes back as 0.0; refuses NaN", "-inf -1.0 ▸ -0.0 0.0 1.0 inf"]);
  await number(page, 1).fill("nan");
  assert.deepEqual(await column(page, "QDB", 1), ["✗ out of order", "8007ffffffffffff", "place 4 of 6, belongs at 6; comes back as 1.1125369292536e-308", "-inf -1.0 0.0 ▸ NaN 1.0 inf"]);
  assert.deepEqual((await column(page, "numeric", 1)).slice(1, 3), ["no key", "refused: NaN has no key here"]);
  await number(page, 1).fill("1e999");
  assert.match(await page.locator("bits-explorer").nth(1).locator(".wg-message").textContent(), /for infinity write inf/);
  await number(page, 1).fill("0x10");
  assert.equal(await page.locator("bits-explorer").nth(1).locator(".wg-message").textContent(), "✗ 0x is for a bit pattern: f64 takes 16 hexadecimal digits after it. Write a number in decimal digits.");
  await number(page, 1).fill("0xc000000000000000");
  assert.equal(await page.locator("bits-explorer").nth(1).locator(".wg-message").textContent(), "0xc000000000000000 is the pattern of -2.0.");
  assert.equal((await column(page, "QDB", 1))[1], "3fffffffffffffff");
  await number(page, 1).fill("9007199254740993");
  assert.equal(await page.locator("bits-explorer").nth(1).locator(".wg-message").textContent(), "9007199254740993 is stored as 9007199254740992.0.");
});

drive("bad input is answered beside the field and changes nothing", "explorer.html", async (page) => {
  const before = await column(page, "big-endian");
  const message = first(page).locator(".wg-message");
  for (const [typed, answer] of [
    ["abc", "✗ “abc” is not a number."],
    ["9223372036854775808", "✗ 9223372036854775808 does not fit i64, which holds -9223372036854775808 to 9223372036854775807."],
    ["1e3", "✗ Write 1e3 in digits alone: i64 holds whole numbers."],
    ["", "✗ Type a number."],
    ["<img src=x onerror=alert(1)>", "✗ “<img src=x onerror=alert(1)>” is not a number."],
  ]) {
    await number(page).fill(typed);
    assert.equal(await message.textContent(), answer);
    assert.equal(await number(page).getAttribute("aria-invalid"), "true");
    assert.deepEqual(await column(page, "big-endian"), before);
  }
  await number(page).fill(" 9_223_372_036_854_775_807 ");
  assert.equal(await number(page).getAttribute("aria-invalid"), "false");
  assert.equal((await column(page, "sign bit flipped"))[1], "ffffffffffffffff");
});

drive("keys step, flip and move without a mouse", "explorer.html", async (page) => {
  await number(page).focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  assert.equal(await number(page).inputValue(), "1");

  // One stop for the tab key among 64 bits; arrows move inside.
  assert.equal(await first(page).locator('.bx-bit[tabindex="0"]').count(), 1);
  const named = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  await first(page).locator('.bx-bit[tabindex="0"]').focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await named(), "bit 62, value");
  await page.keyboard.press("ArrowDown");
  assert.equal(await named(), "bit 54, value");
  await page.keyboard.press("End");
  await page.keyboard.press("Space");
  assert.equal(await number(page).inputValue(), "0");
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  assert.equal(await number(page).inputValue(), "-9223372036854775808");

  const line = first(page).getByRole("slider");
  await line.focus();
  await page.keyboard.press("End");
  assert.equal(await number(page).inputValue(), "9223372036854775807");
  assert.equal(await line.getAttribute("aria-valuetext"), "9223372036854775807");
  await page.keyboard.press("Shift+ArrowLeft");
  assert.equal(await number(page).inputValue(), "9223372036854775806");
  await page.keyboard.press("End");
  await says(page, "bits-explorer", "9223372036854775807 as i64. little-endian: out of order");
});

drive("the numbers below the line leave out no digit that has room", "explorer.html", async (page) => {
  const ticks = () => first(page).locator(".wg-ticks span").allTextContents();
  assert.deepEqual(await ticks(), ["-9.2e18", "-3e9", "0", "3e9", "9.2e18"]);
  await first(page).getByLabel("Type").selectOption("i16");
  assert.deepEqual(await ticks(), ["-32768", "-180", "0", "180", "32767"]);
});

drive("a drag along the number line moves the bytes, and speaks once", "explorer.html", async (page) => {
  const line = first(page).getByRole("slider");
  await line.scrollIntoViewIfNeeded();
  const frame = await line.boundingBox();
  const at = (share) => [frame.x + frame.width * share, frame.y + frame.height / 2];
  const region = first(page).locator("> .wg > [aria-live]");
  await says(page, "bits-explorer", "-1 as i64");
  // A slow machine would rest between two steps of the hand: the widget's timers wait here until the hand has gone.
  await page.evaluate(() => {
    window.spokenTimes = 0;
    new MutationObserver(() => { window.spokenTimes += 1; }).observe(document.querySelector("bits-explorer > .wg > [aria-live]"), { childList: true });
    window.held = new Map();
    window.real = { setTimeout: window.setTimeout, clearTimeout: window.clearTimeout };
    let last = 0;
    window.setTimeout = (run) => { last += 1; window.held.set(last, run); return last; };
    window.clearTimeout = (timer) => { window.held.delete(timer); };
  });
  await page.mouse.move(...at(0.5));
  await page.mouse.down();
  const seen = new Set();
  for (let step = 0; step <= 10; step += 1) {
    await page.mouse.move(...at(0.5 + step * 0.04));
    seen.add(await first(page).locator(".bx-endian td").first().textContent());
  }
  // What moved with the hand is marked.
  assert.ok(await first(page).locator(".bx-changed").count() > 0);
  await page.mouse.up();
  await page.evaluate(() => {
    Object.assign(window, window.real);
    window.held.forEach((run) => run());
  });
  assert.ok(seen.size >= 10, `${seen.size} values were seen`);
  assert.equal((await column(page, "sign bit flipped"))[0], "✓ in order");
  const value = await number(page).inputValue();
  assert.ok(BigInt(value) > 1n << 50n, value);
  await says(page, "bits-explorer", `${value} as i64`);
  assert.equal(await page.evaluate(() => window.spokenTimes), 1);
  assert.match(await region.textContent(), /in order/);
});

drive("another type keeps the number or says why not", "explorer.html", async (page) => {
  const types = first(page).getByLabel("Type");
  for (const [name, bits] of [["i8", 8], ["i16", 16], ["i32", 32], ["i64", 64]]) {
    await types.selectOption(name);
    assert.equal(await first(page).locator(".bx-bit").count(), bits);
    assert.equal(await number(page).inputValue(), "-1");
  }
  await types.selectOption("i8");
  assert.equal((await column(page, "big-endian"))[3], "0 1 ▸ -1");
  await types.selectOption("i64");
  await number(page).fill("300");
  await types.selectOption("i8");
  assert.match(await first(page).locator(".wg-message").textContent(), /300 does not fit i8/);
  const floats = page.locator("bits-explorer").nth(1).getByLabel("Type");
  await floats.selectOption("f16");
  assert.equal((await column(page, "total order", 1))[1], "7fff");
  await floats.selectOption("f32");
  assert.equal((await column(page, "total order", 1))[1], "7fffffff");
});
