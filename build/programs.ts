import { rolldown } from "rolldown";
import config from "../rolldown.config.ts";

// Not by rolldown's own command: that prints a line for each file that it writes, in the middle of `npm ci`.
for (const { output = [], ...input } of config) {
  await using bundle = await rolldown(input);
  for (const one of [output].flat()) await bundle.write(one);
}
