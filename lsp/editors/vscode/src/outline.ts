// What stands at a line, read from the text alone: it must work while the file
// is broken, and needs no answer from the server.

export type Kind = "flow" | "fragment" | "test" | "state" | "parallel" | "region" | "final";

export interface Item {
  kind: Kind;
  name: string;
  /** The path of a state inside its flow, "" for the flow itself. */
  path: string;
  /** The flow or fragment that a state belongs to. */
  flow: string;
  /** Lines from 0, the last one included. */
  first: number;
  last: number;
}

interface Token {
  text: string;
  line: number;
  /** The letters of a string between its quotes, as they are written. */
  string?: string;
  /** Whether the token is the first of its line, at its very start. */
  atMargin: boolean;
}

const pattern = /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"|[A-Za-z_]\w*|\n|->|\S/g;
const states = new Set(["state", "parallel", "region", "final"]);
const tops = new Set(["flow", "fragment", "test"]);
// An item of these words shows that the state above has no brace yet.
const others = new Set("on entry exit after at every always timeout idle data do run invoke initial".split(" "));
const declarations = new Set([...tops, "import", "const", "enum", "type", "event", "internal", "task", "fn"]);

/** Outline lists the flows, states and tests of a file, those around others first. */
export function outline(text: string): Item[] {
  const items: Item[] = [];
  const open: (Item | undefined)[] = [];
  const tokens = tokenize(text);
  let header: Item | undefined;
  let parens = 0;
  tokens.forEach((token, i) => {
    if (token.atMargin && declarations.has(token.text)) {
      // A brace is missing above.
      closeAll(open, token.line - 1);
      header = undefined;
      parens = 0;
    }
    const next = tokens[i + 1];
    parens = Math.max(0, parens + (token.text === "(" ? 1 : token.text === ")" ? -1 : 0));
    if (header && states.has(header.kind) && others.has(token.text)) {
      header = undefined;
    }
    if (token.text === "{") {
      // The brace of a record among the parameters begins no body.
      open.push(parens > 0 ? undefined : header);
      header = parens > 0 ? header : undefined;
    } else if (token.text === "}") {
      const item = open.pop();
      if (item) {
        item.last = token.line;
      }
    } else if (next && begins(token, next, tokens[i - 1], open)) {
      header = itemOf(token, next, open);
      items.push(header);
    }
  });
  closeAll(open, text.split("\n").length - 1);
  return items;
}

/** At gives the innermost item of the kinds that holds a line. */
export function at(items: Item[], line: number, ...kinds: Kind[]): Item | undefined {
  return items.filter((i) => kinds.includes(i.kind) && i.first <= line && line <= i.last).at(-1);
}

/** TestPattern is the regular expression for `flowc test --run` that matches one name and no other. */
export function testPattern(name: string): string {
  return `^${name.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&")}$`;
}

function begins(token: Token, next: Token, before: Token | undefined, open: (Item | undefined)[]): boolean {
  const inside = open.at(-1);
  if (tops.has(token.text)) {
    return open.length === 0 && (token.text === "test" ? next.string !== undefined : isName(next));
  }
  // In a block, where no item is open, these words are names.
  return states.has(token.text) && inside !== undefined && inside.kind !== "test" && isName(next) && !["->", "expect", "not"].includes(before?.text ?? "");
}

function isName(token: Token): boolean {
  return token.string === undefined && /^[A-Za-z_]/.test(token.text);
}

function itemOf(token: Token, next: Token, open: (Item | undefined)[]): Item {
  const kind = token.text as Kind;
  const around = open.at(-1);
  const name = next.string === undefined ? next.text : unescape(next.string);
  const path = states.has(kind) ? [around?.path, name].filter(Boolean).join(".") : "";
  return { kind, name, path, flow: around?.flow ?? name, first: token.line, last: Math.max(token.line, next.line) };
}

function closeAll(open: (Item | undefined)[], line: number): void {
  for (const item of open.splice(0)) {
    if (item) {
      item.last = Math.max(item.last, line);
    }
  }
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 0;
  for (const reader = new RegExp(pattern); ; ) {
    const found = reader.exec(text);
    if (!found) {
      return tokens;
    }
    const word = found[0];
    const atMargin = found.index === 0 || text[found.index - 1] === "\n";
    if (word === '"') {
      const end = endOfString(text, reader.lastIndex);
      tokens.push({ text: '"', string: text.slice(reader.lastIndex, end), line, atMargin });
      reader.lastIndex = text[end] === '"' ? end + 1 : end;
    } else if (word === "\n") {
      line++;
    } else if (word.startsWith("/*") || word.startsWith("//")) {
      line += word.split("\n").length - 1;
    } else {
      tokens.push({ text: word, line, atMargin });
    }
  }
}

/** EndOfString finds the closing quote, with strings inside interpolations, or the end of the line. */
function endOfString(text: string, from: number): number {
  let depth = 0;
  const quoted = [true];
  for (let i = from; i < text.length; i++) {
    const inString = quoted.at(-1);
    switch (text[i]) {
      case "\n":
        return i;
      case "\\":
        i += inString ? 1 : 0;
        if (text[i] === "u" && text[i + 1] === "{") {
          i++;
        }
        break;
      case '"':
        if (inString && depth === 0) {
          return i;
        }
        if (inString) {
          quoted.pop();
        } else {
          quoted.push(true);
        }
        break;
      case "{":
        depth++;
        quoted.push(false);
        break;
      case "}":
        if (!inString) {
          depth--;
          quoted.pop();
        }
        break;
    }
  }
  return text.length;
}

function unescape(text: string): string {
  return text.replace(/\\(?:u\{([0-9A-Fa-f]{1,6})\}|(.))/g, (whole, code: string | undefined, letter: string) => {
    if (code !== undefined) {
      const point = parseInt(code, 16);
      return point > 0x10ffff ? whole : String.fromCodePoint(point);
    }
    return { n: "\n", t: "\t", r: "\r" }[letter] ?? letter;
  });
}
