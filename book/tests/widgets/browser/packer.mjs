// The score packer: bits are lost one by one from 2^53 on.
import { assert, drive, says } from "./common.mjs";

const packer = (page) => page.locator("score-packer");
const verdict = (page) => packer(page).locator(".wg-verdict").textContent();
const back = async (page) => (await packer(page).locator(".sp-back tbody td:last-child").allTextContents()).join(" ");
const lost = (page) => packer(page).locator(".sp-lost").count();
const message = (page) => packer(page).locator(".wg-message").textContent();

drive("each doubling beyond 2^53 costs one bit", "packer.html", async (page) => {
  const gems = packer(page).getByLabel("A gems", { exact: true });
  assert.equal(await verdict(page), "✓ the double keeps every bit, as long as gems stays below 2^23");
  assert.match(await packer(page).locator(".wg-title").first().textContent(), /215575307891: 33 \+ 1 \+ 29 = 63 bits/);
  assert.equal(await back(page), "✓ 200 ✓ 1 ✓ 290072179");
  for (let power = 22; power < 33; power += 1) {
    await gems.fill(String(2 ** power));
    assert.equal(await lost(page), Math.max(0, power - 22), `2^${power}`);
  }
  await gems.fill("1219474567");
  assert.equal(await verdict(page), "✗ 8 bits lost: scores here are 256 apart; time comes back wrong");
  assert.equal(await back(page), "✓ 1219474567 ✓ 1 ✗ 290072064");
  // Sign, exponent, and under each bit of the fraction its field.
  const letters = (await packer(page).locator(".sp-bits").nth(1).locator(".sp-bit span").allTextContents()).join("");
  assert.match(letters, /^se{11}A{30}BC{21}$/);
  await gems.fill("8589934592");
  assert.equal(await message(page), "✗ 8589934592 does not fit gems: 33 bits hold 0 to 8589934591.");
  assert.equal(await gems.getAttribute("aria-invalid"), "true");
  await gems.fill("");
  assert.equal(await message(page), "✗ Type a whole number.");
  await packer(page).getByLabel("B paid", { exact: true }).fill("2");
  assert.equal(await message(page), "✗ 2 does not fit paid: 1 bit holds 0 to 1.");
});

drive("sliders, widths and ZINCRBY", "packer.html", async (page) => {
  const line = packer(page).getByLabel("A gems, by powers of two");
  await line.scrollIntoViewIfNeeded();
  const frame = await line.boundingBox();
  const seen = [];
  await page.mouse.move(frame.x + frame.width * 0.5, frame.y + frame.height / 2);
  await page.mouse.down();
  for (let step = 0; step <= 10; step += 1) {
    await page.mouse.move(frame.x + frame.width * (0.5 + step * 0.05), frame.y + frame.height / 2);
    seen.push(await lost(page));
  }
  await page.mouse.up();
  assert.deepEqual([seen[0], seen.at(-1)], [0, 10]);
  assert.deepEqual(seen, [...seen].sort((a, b) => a - b));
  await line.press("End");
  assert.equal(await line.getAttribute("aria-valuetext"), "gems 8589934591");
  await says(page, "score-packer", "10 bits lost: scores here are 1024 apart");
  await packer(page).getByRole("button", { name: "ZINCRBY 1 on time" }).click();
  assert.match(await message(page), /Nothing changed: the doubles here are 1024 apart, and time counts 1/);

  await packer(page).getByRole("button", { name: "start again" }).click();
  await packer(page).getByRole("button", { name: "ZINCRBY 1 on gems" }).press("Enter");
  assert.equal(await message(page), "✓ gems went from 200 to 201.");
  assert.match(await packer(page).locator(".wg-title").first().textContent(), /216649049715/);
  // The flag is full: adding to it carries into the field above.
  await packer(page).getByRole("button", { name: "ZINCRBY 1 on paid" }).click();
  assert.equal(await message(page), "✗ paid went from 1 to 0, and gems changed too.");
  await packer(page).getByRole("button", { name: "gems: one bit fewer" }).click();
  assert.match(await packer(page).locator(".wg-title").first().textContent(), /32 \+ 1 \+ 29 = 62 bits/);
});
