// What an author does in VS Code, with the extension as it is packaged: VSIX and FLOWC name the package and the program.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, patience } from "./editor.mjs";

const text = readFileSync(process.env.FLOW, "utf8");
/** Place gives the line and column, from 1, of a text in the file, so many letters behind its start. */
function place(needle, skip = 0) {
  const offset = text.indexOf(needle) + skip;
  assert.ok(offset >= skip, `no ${needle} in the file`);
  const before = text.slice(0, offset).split("\n");
  return [before.length, before.at(-1).length + 1];
}

let editor, page, close;
before(async () => {
  ({ editor, close } = await launch({
    vsix: process.env.VSIX, flowc: process.env.FLOWC, browser: process.env.CHROMIUM,
    files: { "order.flow": text, "closed.flow": "flow closed {\n  initial nowhere\n  final done\n}\n" },
  }));
  page = editor.page;
  await editor.open("order.flow");
}, { timeout: 2 * patience });
after(() => close?.());

/** Save saves what has been changed in the order's file and gives what is on the disk then. */
async function save() {
  const tab = '.tab.active[data-resource-name="order.flow"]';
  await page.locator(`${tab}.dirty`).waitFor();
  await editor.press("Control+s");
  await page.locator(`${tab}:not(.dirty)`).waitFor();
  return readFileSync(join(editor.folder, "order.flow"), "utf8");
}

/** Seen waits for an element and gives its text. */
async function seen(locator) {
  await locator.first().waitFor();
  return (await locator.first().innerText()).replaceAll("\u00a0", " ");
}

test("the file is known, coloured and its tests have a line to run them", async () => {
  await page.locator(".statusbar-item", { hasText: "flow" }).first().waitFor();
  await page.locator(".codelens-decoration a", { hasText: "Run test" }).first().waitFor({ state: "attached" });
  const colours = new Set(await page.locator(".view-line span[class*=mtk]").evaluateAll((all) => all.map((e) => getComputedStyle(e).color)));
  assert.ok(colours.size >= 5, `only the colours ${[...colours]}`);
});

test("a mistake is underlined while it is typed, and not when it is mended", async () => {
  await editor.go(...place("-> paid {", 7));
  await editor.type("x");
  await editor.press("Escape");
  await editor.squiggles.first().waitFor();
  await editor.press("Backspace", "Escape");
  await editor.squiggles.first().waitFor({ state: "detached" });
});

test("hover tells what a task comes to", async () => {
  await editor.go(...place("do charge(", 4));
  await editor.press("Control+k", "Control+i");
  const hover = await seen(page.locator(".monaco-hover:visible .hover-contents", { hasText: "attempts" }));
  assert.match(hover, /at most 3 attempts/i);
  await editor.press("Escape");
});

test("completion offers the states behind an arrow, and puts in the chosen one", async () => {
  const [line, column] = place("on error -> manual_review", "on error -> ".length);
  await editor.go(line, column);
  await editor.press(...Array("manual_review".length).fill("Delete"));
  await editor.press("Control+Space");
  const rows = page.locator(".suggest-widget.visible .monaco-list-row");
  await rows.filter({ hasText: "manual_review" }).first().waitFor();
  const offered = await rows.allInnerTexts();
  for (const state of ["awaiting_payment", "cancelled", "shipped"]) {
    assert.ok(offered.some((o) => o.includes(state)), `${state} is not among ${offered}`);
  }
  await editor.type("man");
  await rows.filter({ hasText: "manual_review" }).first().waitFor();
  await editor.press("Enter");
  await page.locator(".view-line", { hasText: "on error -> manual_review {" }).waitFor();
  await editor.squiggles.first().waitFor({ state: "detached" });
});

test("a quick fix mends a misspelt state", async () => {
  await editor.go(...place("on timeout -> manual_review", "on timeout -> manual".length));
  await editor.press("Backspace", "Escape");
  await editor.squiggles.first().waitFor();
  await editor.press("Control+.");
  await page.locator(".action-widget .monaco-list-row.action", { hasText: "manual_review" }).first().waitFor();
  await editor.press("Enter");
  await editor.squiggles.first().waitFor({ state: "detached" });
  assert.match(await seen(page.locator(".view-line", { hasText: "on timeout -> manual" })), /-> manual_review/);
});

test("the statechart opens beside the text and follows the cursor", async () => {
  await editor.go(...place("state awaiting_payment", 6));
  await editor.command("Flow: Open Statechart");
  const chosen = editor.chart.locator("g.at-cursor > title");
  await editor.chart.locator("g.leaf", { hasText: "awaiting_payment" }).first().waitFor();
  await editor.chart.locator("g.at-cursor > title", { hasText: /^awaiting_payment/ }).waitFor({ state: "attached" });
  await editor.go(...place("do charge("));
  await editor.chart.locator("g.at-cursor > title", { hasText: /^paid/ }).waitFor({ state: "attached" });
  assert.equal(await chosen.count(), 1);
});

test("a click on a state goes to its line", async () => {
  await editor.chart.locator("g.leaf", { hasText: "manual_review" }).locator("rect").first().click({ position: { x: 8, y: 8 } });
  await page.locator(".statusbar-item", { hasText: `Ln ${place("state manual_review")[0]}, Col 1` }).waitFor();
});

test("the last good picture stays while the file is broken, and says what is wrong", async () => {
  await editor.go(...place("-> paid {", 7));
  await editor.type("x");
  await editor.press("Escape");
  await editor.chart.locator("#chart.stale g.leaf", { hasText: "manual_review" }).waitFor();
  assert.match(await seen(editor.chart.locator("#message:visible")), /paidx/);
  await editor.press("Backspace", "Escape");
  await editor.chart.locator("#chart:not(.stale) g.leaf", { hasText: "manual_review" }).waitFor();
  await editor.chart.locator("#message").waitFor({ state: "hidden" });
});

test("the test at the cursor runs in a terminal", async () => {
  await editor.go(place('test "paid and shipped"')[0] + 1);
  await editor.command("Flow: Run Test at Cursor");
  const terminal = page.locator(".terminal-wrapper.active .xterm-rows");
  await terminal.filter({ hasText: /1 passed/ }).waitFor();
  assert.match(await seen(terminal), /paid and shipped/);
  await editor.back();
});

test("problems of files that are not open are listed, once, before and after the workspace is validated", async () => {
  await editor.press("Control+Shift+m");
  const rows = page.locator(".markers-panel .monaco-list-row");
  await rows.filter({ hasText: "closed.flow" }).waitFor();
  await rows.filter({ hasText: "nowhere" }).waitFor();
  await editor.command("Flow: Validate Workspace");
  await page.locator(".terminal-wrapper.active .xterm-rows").filter({ hasText: /2 files: 1 error, 0 warnings/ }).waitFor();
  await editor.press("Control+Shift+m");
  await rows.filter({ hasText: "nowhere" }).waitFor();
  assert.equal(await rows.count(), 2, "a file and its finding");
  await editor.back();
});

test("saving puts the file into the one style", async () => {
  await editor.go(place("state manual_review")[0], 1);
  await editor.type("    ");
  assert.equal(await save(), text);
});

test("a renamed state is renamed wherever it is mentioned", async () => {
  await editor.go(...place("state manual_review", 8));
  await editor.press("F2");
  const box = page.locator(".rename-box input");
  await box.waitFor();
  await box.fill("by_hand");
  await editor.press("Enter");
  await page.locator(".view-line", { hasText: "state by_hand {" }).waitFor();
  assert.equal(await save(), text.replaceAll("manual_review", "by_hand"));
});

test("the server comes back after it is restarted", async () => {
  await editor.command("Flow: Restart Language Server");
  await editor.go(...place("-> paid {", 7));
  await editor.type("x");
  await editor.press("Escape");
  await editor.squiggles.first().waitFor();
});
