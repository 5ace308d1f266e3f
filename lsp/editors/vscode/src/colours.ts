// Which of the server's semantic tokens are shown.

/** What the grammar of the editor tells finer than the server: escapes in strings, kinds of keywords, units. */
const lexical = new Set(["keyword", "comment", "string", "number", "operator"]);

/**
 * Meaningful leaves out the tokens that the letters alone decide. Tokens are five numbers each: lines and columns since the
 * token before, length, type and modifiers.
 */
export function meaningful(data: Uint32Array, types: readonly string[]): Uint32Array {
  const kept: number[] = [];
  let line = 0;
  let column = 0;
  for (let i = 0; i + 4 < data.length; i += 5) {
    const [lines, columns, length, type, modifiers] = data.subarray(i, i + 5) as unknown as [number, number, number, number, number];
    column = lines === 0 ? column + columns : columns;
    line += lines;
    if (!lexical.has(types[type] ?? "")) {
      kept.push(line, column, length, type, modifiers);
      line = 0;
    }
  }
  return relative(kept);
}

/** Relative makes columns relative where the line did not change; lines are so already. */
function relative(tokens: number[]): Uint32Array {
  const data = Uint32Array.from(tokens);
  for (let i = data.length - 5; i > 0; i -= 5) {
    if (data[i] === 0) {
      data[i + 1]! -= data[i - 4]!;
    }
  }
  return data;
}
