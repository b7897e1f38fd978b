import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { describe } from "../main/decide/description/describe.ts";
import { CODING_COMMANDS } from "../test/support/coding-commands.ts";
import { examinationOf } from "../test/support/examinations.ts";
import { type Figure, figure, median, quantile } from "./figure.ts";

/** What a call is described by, each time that the user is asked: ordinary command lines, a long file, and what is made to slow it down. */

const ROUNDS = 30;
const MAX_COMMAND_MS = 1;
const MAX_FILE_MS = 10;
const MAX_HOSTILE_MS = 100;
const MIB = 1024 * 1024;

const HOSTILE: Readonly<Record<string, string>> = {
  "10,000 lines": "echo a\n".repeat(9000),
  "many quotes": `echo ${"'a' \"$b\" ".repeat(6000)}`,
  "many hazards": "sudo rm -rf a; git push -f; ".repeat(200),
  "many sources": "curl -s https://a.example/x; ".repeat(400),
};

export async function described(): Promise<Figure[]> {
  const cwd = mkdtempSync(join(tmpdir(), "metnos-bench-"));
  try {
    const text = Array.from({ length: 20_000 }, (_, at) => `line ${at} with some words that make it longer`).join("\n");
    writeFileSync(join(cwd, "long.txt"), text.slice(0, MIB));
    const timeOf = (executor: string, args: Record<string, unknown>, rounds = ROUNDS): number => {
      const x = examinationOf({ executor, args, context: { cwd }, settings: { home: cwd } });
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const started = performance.now();
        describe(x);
        // The first rounds are the compiler's.
        if (round >= rounds / 3) times.push(performance.now() - started);
      }
      return median(times);
    };
    const commands = CODING_COMMANDS.map((command) => timeOf("Bash", { command }));
    const edit = timeOf("Edit", { file_path: "long.txt", old_string: "line 9000 ", new_string: "line nine " });
    const write = timeOf("Write", { file_path: "long.txt", content: text.replaceAll("words", "texts") });
    return [
      figure("description p50", quantile(commands, 0.5), "ms", MAX_COMMAND_MS, `${commands.length} ordinary commands`),
      figure("description p99", quantile(commands, 0.99), "ms", null, ""),
      figure("description, an edit in 1 MiB", edit, "ms", MAX_FILE_MS, ""),
      figure("description, 1 MiB written anew", write, "ms", null, ""),
      ...Object.entries(HOSTILE).map(([name, command]) =>
        figure(`description, ${name}`, timeOf("Bash", { command }, 9), "ms", MAX_HOSTILE_MS, ""),
      ),
    ];
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
