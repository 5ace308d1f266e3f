// VS Code in a browser, with the packaged extension in it. It runs from the packages beside this file.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const server = join(dirname(createRequire(import.meta.url).resolve("code-server/package.json")), "lib/vscode/out/server-main.js");

/** How long anything may take on a busy machine, in milliseconds. */
export const patience = 120_000;

// What an author does not look at is off; the terminal is drawn with elements that a test can read.
const settings = {
  "editor.minimap.enabled": false,
  "extensions.autoCheckUpdates": false,
  "files.autoSave": "off", // which in a browser it is not
  "npm.autoDetect": "off",
  "telemetry.telemetryLevel": "off",
  "terminal.integrated.gpuAcceleration": "off",
  "typescript.tsc.autoDetect": "off",
  "workbench.colorTheme": "Default Dark+",
  "workbench.startupEditor": "none",
};

/** Launch installs the package VSIX and opens a folder with these files, `flowc` being the given program. */
export async function launch({ vsix, flowc, files, browser: executablePath = "chromium" }) {
  const home = mkdtempSync(join(tmpdir(), "flowc-editor-"));
  const folder = join(home, "flows");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text);
  }
  const machine = join(home, "server", "data", "Machine");
  mkdirSync(machine, { recursive: true });
  writeFileSync(join(machine, "settings.json"), JSON.stringify({ ...settings, "flowc.path": flowc }));
  const common = ["--accept-server-license-terms", "--server-data-dir", join(home, "server"), "--extensions-dir", join(home, "extensions")];
  const installed = spawnSync(process.execPath, [server, ...common, "--install-extension", vsix], { encoding: "utf8" });
  if (installed.status !== 0) {
    throw new Error(`install ${vsix}: ${installed.stdout}${installed.stderr}`);
  }
  const running = spawn(process.execPath, [server, ...common, "--host", "127.0.0.1", "--port", "0", "--without-connection-token",
    "--disable-workspace-trust", "--telemetry-level", "off"], { stdio: ["ignore", "pipe", "inherit"] });
  let browser;
  const close = async () => {
    await browser?.close();
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill();
    await ended;
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const port = await listening(running);
    const found = spawnSync("sh", ["-c", 'command -v -- "$1"', "sh", executablePath], { encoding: "utf8" }).stdout.trim();
    browser = await chromium.launch({ executablePath: found, args: ["--no-sandbox", "--disable-gpu"] });
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(patience);
    await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`, { timeout: patience });
    await page.locator(".monaco-workbench .explorer-folders-view").waitFor();
    return { editor: new Editor(page, folder), close };
  } catch (err) {
    await close();
    throw err;
  }
}

/** Listening gives the port that the server has been given. */
async function listening(running) {
  for await (const line of createInterface({ input: running.stdout })) {
    const port = /Extension host agent listening on (\d+)/.exec(line)?.[1];
    if (port) {
      running.stdout.resume();
      return port;
    }
  }
  throw new Error("the server of VS Code ended before it listened");
}

/** What a person does with the keyboard and the mouse, and what is seen then. */
export class Editor {
  constructor(page, folder) {
    this.page = page;
    this.folder = folder;
  }

  async press(...keys) {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  /** Command runs a command by its title. */
  async command(title) {
    await this.press("F1");
    const input = this.page.locator(".quick-input-widget:visible input").first();
    await input.fill(`>${title}`);
    await this.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: title }).waitFor();
    await this.press("Enter");
    await input.waitFor({ state: "hidden" });
  }

  async open(name) {
    await this.page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).dblclick();
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
  }

  /** Go puts the cursor at a line and column of the text, which count from 1. */
  async go(line, column = 1) {
    await this.press("Control+1", "Control+g");
    const input = this.page.locator(".quick-input-widget:visible input").first();
    await input.fill(`:${line},${column}`);
    await this.press("Enter");
    await this.page.locator(".statusbar-item", { hasText: `Ln ${line}, Col ${column}` }).waitFor();
  }

  /** Back closes the panel below and goes back to the text. */
  async back() {
    await this.press("Control+j");
    await this.page.locator(".part.panel").waitFor({ state: "hidden" });
    await this.press("Control+1");
  }

  /** Type types one letter after the other, so that brackets and suggestions come as they do for a person. */
  type(text) {
    return this.page.keyboard.type(text);
  }

  get squiggles() {
    return this.page.locator(".view-overlays .squiggly-error");
  }

  /** Chart is the picture in the preview, which has a frame in a frame for itself. */
  get chart() {
    return this.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  }
}
