// The picture in the page: taken apart and put together again, so that nothing
// in it can run or load anything, and marked where the cursor is.

const svgNamespace = "http://www.w3.org/2000/svg";
const elements = new Set([
  "svg", "g", "defs", "marker", "title", "desc", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "use", "style",
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
    } else if (harmless(name, value)) {
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

/** Harmless says whether an attribute can neither run nor load anything. */
function harmless(name: string, value: string): boolean {
  const refers = name === "href" || /url\(/i.test(value);
  return !name.startsWith("on") && !name.includes(":") && (!refers || /^(url\()?#[\w-]+\)?$/.test(value));
}

const styles = new CSSStyleSheet();

/** Adopt makes the picture's own rules those of the page, which may have no inline style. */
function adopt(rules: string): void {
  styles.replaceSync(rules.replace(/@import[^;]*;|url\([^)]*\)/gi, ""));
  if (!document.adoptedStyleSheets.includes(styles)) {
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, styles];
  }
  followTheme();
}

/** FollowTheme lets the editor's theme decide between light and dark; the system's preference may be another. */
export function followTheme(): void {
  const dark = /\bvscode-(dark|high-contrast)\b(?!-light)/.test(document.body.className);
  for (const rule of styles.cssRules) {
    if (rule instanceof CSSMediaRule) {
      rule.media.mediaText = dark ? "all" : "not all";
    }
  }
}

/** StateOf gives the path of the state whose box an element belongs to; the flow's own is "". */
export function stateOf(element: Element): string | undefined {
  const title = element.closest("g.leaf, g.box, g.final")?.querySelector("title")?.textContent;
  // A title is the path, and behind a colon the state's documentation.
  return title?.replace(/^flow .*/, "").replace(/:[^]*/, "");
}

/** Select marks a state, or the nearest one around it that has a box, and brings it into view. */
export function select(chart: Element, path: string): void {
  chart.querySelectorAll(".at-cursor").forEach((e) => e.classList.remove("at-cursor"));
  const boxes = [...chart.querySelectorAll("g.leaf, g.box, g.final")];
  for (let names = path.split("."); names[0]; names = names.slice(0, -1)) {
    const box = boxes.find((b) => stateOf(b) === names.join("."));
    if (box) {
      box.classList.add("at-cursor");
      box.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "smooth" });
      return;
    }
  }
}
