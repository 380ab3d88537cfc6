// Counts the documents of a file with npm's tokenizers: node tokens_peers.mjs MODULES ENCODING DOCUMENTS SECONDS
// DOCUMENTS is a sequence of u32 class, u32 length and bytes. Prints a JSON line for each tokenizer: tokens per class,
// MB/s of the first pass and of the best later one per class (process CPU time), and the time to load.
import { createRequire } from "node:module";
import fs from "node:fs";
const [modules, encoding, documents, seconds] = process.argv.slice(2);
const require = createRequire(modules + "/");
const input = fs.readFileSync(documents);
const classes = [];
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
for (let at = 0; at < input.length; ) {
  const kind = input.readUInt32LE(at);
  const length = input.readUInt32LE(at + 4);
  (classes[kind] ??= []).push({ text: decoder.decode(input.subarray(at + 8, at + 8 + length)), length });
  at += 8 + length;
}
const cpu = () => { const u = process.cpuUsage(); return (u.user + u.system) / 1e6; };

const peers = {
  tiktoken: () => { const e = require("tiktoken").get_encoding(encoding); return (t) => e.encode_ordinary(t).length; },
  "gpt-tokenizer": () => {
    const g = require(`gpt-tokenizer/encoding/${encoding}`);
    const options = { disallowedSpecial: new Set() };
    return (t) => g.countTokens(t, options);
  },
  "ai-tokenizer": () => {
    const { Tokenizer } = require("ai-tokenizer");
    const e = new Tokenizer(require(`ai-tokenizer/encoding/${encoding}`));
    return (t) => e.encode(t, [], []).length;
  },
};
for (const [name, load] of Object.entries(peers)) {
  try {
    const start = cpu();
    const count = load();
    count("warm");
    const loaded = cpu() - start;
    const result = { peer: name, load_ms: loaded * 1000, tokens: [], first: [], warm: [] };
    classes.forEach((docs, kind) => {
      const bytes = docs.reduce((sum, d) => sum + d.length, 0);
      const pass = () => { const s = cpu(); let n = 0; for (const d of docs) n += count(d.text); return [n, cpu() - s]; };
      const [tokens, first] = pass();
      let best = Infinity;
      const until = cpu() + Number(seconds);
      do { best = Math.min(best, pass()[1]); } while (cpu() < until);
      result.tokens[kind] = tokens;
      result.first[kind] = first * 1e6 / bytes; // microseconds per byte, so that classes can be added
      result.warm[kind] = best * 1e6 / bytes;
    });
    console.log(JSON.stringify(result));
  } catch (error) {
    console.log(JSON.stringify({ peer: name, error: String(error.message).split("\n")[0] }));
  }
}
