// Holds SARIF logs to the published schema of SARIF 2.1.0: node test/sarif.mjs LOG…
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Ajv from "ajv-draft-04";
import formats from "ajv-formats";

// The package of Microsoft carries the schema as it was published, in its revision rtm.5; nothing else of it is used.
const schema = createRequire(import.meta.url)("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
// The schema's pattern of languages has a bracket that only expressions without the flag u allow, and it says little of types.
const ajv = new Ajv.default({ allErrors: true, strict: false, unicodeRegExp: false });
formats.default(ajv);
const fits = ajv.compile(schema);

for (const file of process.argv.slice(2)) {
  const log = JSON.parse(readFileSync(file, "utf8"));
  if (!fits(log)) {
    console.error(`${file} does not fit the schema:`);
    fits.errors.slice(0, 20).forEach((e) => console.error(`  ${e.instancePath}: ${e.message} ${JSON.stringify(e.params)}`));
    process.exitCode = 1;
  }
}
