// The script of the preview's page.
import type { FromPage, ToPage } from "../page";
import { draw, followTheme, select, stateOf } from "./chart";

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const editor = acquireVsCodeApi();
const chart = document.getElementById("chart")!;
const message = document.getElementById("message")!;
let selected = "";

function say(text: string): void {
  message.hidden = text === "";
  message.textContent = text;
}

function show(svg: string): void {
  try {
    chart.replaceChildren(draw(svg));
    chart.classList.remove("stale");
    say("");
    select(chart, selected);
  } catch (err) {
    broken(err instanceof Error ? err.message : String(err));
  }
}

function broken(reason: string): void {
  chart.classList.toggle("stale", chart.childElementCount > 0);
  say(chart.childElementCount > 0 ? `The last good picture. Now: ${reason}` : reason);
}

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  switch (data.type) {
    case "chart":
      return show(data.svg);
    case "broken":
      return broken(data.message);
    case "select":
      selected = data.path;
      return select(chart, selected);
  }
});

chart.addEventListener("click", (e) => {
  const path = e.target instanceof Element ? stateOf(e.target) : undefined;
  if (path !== undefined) {
    editor.postMessage({ type: "reveal", path });
  }
});

new MutationObserver(followTheme).observe(document.body, { attributeFilter: ["class"] });

editor.postMessage({ type: "ready" });
