// The page of the preview. It may load the extension's own script and style
// sheet and nothing else; all that it shows comes by messages.

export interface Resources {
  /** The source that the editor gives to the extension's files. */
  source: string;
  script: string;
  style: string;
}

export function page({ source, script, style }: Resources): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${source}; script-src ${source}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>Statechart</title>
</head>
<body>
<p id="message" role="status" hidden></p>
<main id="chart"></main>
<script src="${script}"></script>
</body>
</html>
`;
}

/** What the extension sends to the page. */
export type ToPage =
  | { type: "chart"; svg: string }
  | { type: "broken"; message: string }
  | { type: "select"; path: string };

/** What the page sends to the extension. */
export type FromPage = { type: "ready" } | { type: "reveal"; path: string };

/** Reason is the first thing that flowc says about a text that it does not draw. */
export function reason(stderr: string): string {
  return (stderr.trim().split("\n", 1)[0] ?? "").replace(/^<stdin>:/, "line ");
}
