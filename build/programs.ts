import { rmSync } from "node:fs";
import { rolldown } from "rolldown";
import config from "../rolldown.config.ts";
import { buildBoxMaker } from "./box-maker.ts";

// What is compiled of the earlier ones (bin/metnos-gate.js) is nobody's any more.
rmSync("dist/compiled", { recursive: true, force: true });

// Not by rolldown's own command: that prints a line for each file that it writes, in the middle of `npm ci`.
for (const { output = [], ...input } of config) {
  await using bundle = await rolldown(input);
  for (const one of [output].flat()) await bundle.write(one);
}

const leftOut = buildBoxMaker();
if (leftOut !== undefined) console.log(`metnos-make-box is left out, and bubblewrap makes the boxes: ${leftOut}`);
