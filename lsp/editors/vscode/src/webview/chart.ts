// The picture in the page: taken apart and put together again, so that nothing
// in it can run or load anything, and marked where the cursor is.

const svgNamespace = "http://www.w3.org/2000/svg";
const elements = new Set([
  "svg", "g", "defs", "marker", "title", "desc", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "style",
]);

/** Draw makes the picture out of the text of one. It throws when the text is no SVG. */
export function draw(text: string): SVGElement {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (parsed.namespaceURI !== svgNamespace || parsed.localName !== "svg") {
    throw new Error("flowc gave no picture");
  }
  return copy(parsed) as SVGElement;
}

/** Copy takes over what is known to be harmless. */
function copy(from: Element): Element | undefined {
  if (from.namespaceURI !== svgNamespace || !elements.has(from.localName)) {
    return undefined;
  }
  const to = document.createElementNS(svgNamespace, from.localName);
  if (from.localName === "style") {
    adopt(from.textContent ?? "");
    return undefined;
  }
  for (const { name, value } of from.attributes) {
    if (name === "style") {
      // The policy of the page refuses the attribute, and not this.
      (to as SVGElement).style.cssText = value;
    } else if (!name.startsWith("on") && !name.includes(":") && name !== "href" && !/url\((?!#)/i.test(value)) {
      to.setAttribute(name, value);
    }
  }
  for (const child of from.childNodes) {
    if (child instanceof Element) {
      const copied = copy(child);
      if (copied) {
        to.append(copied);
      }
    } else if (child.nodeType === Node.TEXT_NODE) {
      to.append(child.textContent ?? "");
    }
  }
  return to;
}

const styles = new CSSStyleSheet();

/** Adopt makes the picture's own rules those of the page, which may have no inline style. */
function adopt(rules: string): void {
  styles.replaceSync(rules.replace(/@import[^;]*;|url\([^)]*\)/gi, ""));
  if (!document.adoptedStyleSheets.includes(styles)) {
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, styles];
  }
}

/** StateOf finds the state whose box an element belongs to. */
export function stateOf(element: Element): { flow: string; path: string } | undefined {
  const box = element.closest("[data-state]");
  const flow = element.closest("[data-flow]");
  return box ? { flow: flow?.getAttribute("data-flow") ?? "", path: box.getAttribute("data-state") ?? "" } : undefined;
}

/** Select marks the state, or the nearest one around it that the picture has, and brings it into view. */
export function select(chart: Element, flow: string, path: string): void {
  chart.querySelectorAll(".at-cursor").forEach((e) => e.classList.remove("at-cursor"));
  for (let names = path ? path.split(".") : []; names.length > 0; names = names.slice(0, -1)) {
    const boxes = [...chart.querySelectorAll(`[data-state="${CSS.escape(names.join("."))}"]`)];
    const box = boxes.find((b) => (stateOf(b)?.flow || flow) === flow);
    if (box) {
      box.classList.add("at-cursor");
      box.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "smooth" });
      return;
    }
  }
}
