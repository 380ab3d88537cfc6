// Token ids by npm's tiktoken: node tokens_peer.mjs MODULES ENCODING CASES OUTPUT
// CASES: u32 length and bytes, again and again. OUTPUT: u32 count and u32 ids for each case.
import { createRequire } from "node:module";
import fs from "node:fs";
const [modules, encoding, cases, output] = process.argv.slice(2);
const require = createRequire(modules + "/");
const encoder = require("tiktoken").get_encoding(encoding);
const input = fs.readFileSync(cases);
const out = fs.openSync(output, "w");
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
for (let at = 0; at < input.length; ) {
  const length = input.readUInt32LE(at);
  const ids = encoder.encode_ordinary(decoder.decode(input.subarray(at + 4, at + 4 + length)));
  fs.writeSync(out, Uint32Array.of(ids.length));
  fs.writeSync(out, ids);
  at += 4 + length;
}
