import { z } from "zod";
import type { AgentBox } from "./agent-box.ts";
import { inside } from "./inside.ts";
import { cut, type JudgeTool, MAX_RESULT, ToolRefused } from "./tool.ts";
import { WORKSPACE } from "./workspace.ts";

const TIMEOUT_MS = 10_000;
const MAX_LINES = 2000;
/** In UTF-8 a character has up to four. */
const MAX_BYTES = 4 * MAX_RESULT;

const argsSchema = z.strictObject({
  path: z.string().min(1).max(4096),
  from_line: z.number().int().min(1).max(10_000_000).default(1),
  lines: z.number().int().min(1).max(MAX_LINES).default(400),
});

/** What can't be read, by the script's exit code. */
const REFUSED: Readonly<Record<number, string>> = {
  3: "there is no such file",
  4: "this path leads out of the workspace",
  5: "this is no file",
  6: "this file can't be read",
};

/** Words: the path, the first line, how many, the workspace's places. */
const SCRIPT = `
real=$(realpath -e -- "$1") || exit 3
case $real/ in "$4"/* | "$5"/*) ;; *) exit 4 ;; esac
[ -f "$real" ] || exit 5
[ -r "$real" ] || exit 6
tail -n "+$2" -- "$real" | head -n "$3" | head -c ${MAX_BYTES}
`;

export function fsRead(box: AgentBox): JudgeTool {
  return {
    name: "fs.read",
    description: `reads lines of a file in the workspace. Args: {"path": TEXT, "from_line"?: NUMBER, "lines"?: NUMBER up to ${MAX_LINES}}`,
    async run(args, workspace, signal) {
      const read = argsSchema.safeParse(args);
      if (!read.success)
        throw new ToolRefused('it takes {"path": TEXT, "from_line"?: NUMBER from 1, "lines"?: NUMBER from 1}');
      const { path, from_line, lines } = read.data;
      const words = [inside(path, workspace), String(from_line), String(lines), workspace.folder, WORKSPACE];
      const argv = ["bash", "--norc", "-c", SCRIPT, "bash", ...words];
      const run = { argv, workspace, withErrors: false, maxOutput: MAX_BYTES, timeoutMs: TIMEOUT_MS };
      const { how, code, output } = await box.run(run, signal);
      if (how !== "exited") throw new ToolRefused("this file can't be read in time");
      if (code !== 0) throw new ToolRefused(REFUSED[code ?? 0] ?? "this file can't be read");
      return cut(output.toString("utf8"));
    },
  };
}
