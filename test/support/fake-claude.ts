import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./temp-folder.ts";

/** What the client does with a call: as it is given, or one of the ways in which it must not be trusted with one. */
const FAULTS = {
  none: {},
  runs_the_call: { before: "input = block.input;" },
  runs_both: { before: "spawnSync('/bin/sh', ['-c', block.input.command], { cwd });" },
  loses_the_folder: { after: "cwd = process.cwd();" },
  reports_the_call: { after: "reported = block.input;" },
  calls_no_hook_after: { after: "is_quiet = true;" },
  takes_failure_for_success: { after: "code = 0;" },
  hangs: { after: "await new Promise((resolve) => setTimeout(resolve, 60_000));" },
} as const satisfies Record<string, { before?: string; after?: string }>;

/** A client that speaks as Claude Code does with its model and its hooks, as far as its test goes; Node runs it. */
export function fakeClaude(fault: keyof typeof FAULTS): string {
  const file = join(tempFolder(), "claude");
  const { before = "", after = "" }: { before?: string; after?: string } = FAULTS[fault];
  const program = PROGRAM.replace("/* before */", before).replace("/* after */", after);
  writeFileSync(file, `#!${process.execPath}\n${program}`, { mode: 0o755 });
  return file;
}

const PROGRAM = `
const { execFileSync, spawnSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { ANTHROPIC_BASE_URL, HOME } = process.env;
const { hooks } = JSON.parse(readFileSync(HOME + "/.claude/settings.json", "utf8"));

function hook(hook_event_name, more) {
  const input = JSON.stringify({ session_id: "s", cwd, hook_event_name, tool_name: "Bash", ...more });
  const [{ command, args }] = hooks[hook_event_name][0].hooks;
  return JSON.parse(execFileSync(command, args, { input, encoding: "utf8" })).hookSpecificOutput;
}

let cwd = process.cwd();
const messages = [{ role: "user", content: "go" }];
(async () => {
  for (;;) {
    const headers = { "user-agent": "claude-cli/9.8.7 (external, cli)" };
    const body = JSON.stringify({ model: "m", tools: [{}], messages });
    const answer = await fetch(ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", headers, body });
    const [block] = (await answer.json()).content;
    if (block.type !== "tool_use") return;
    const call = { tool_use_id: block.id };
    let input = hook("PreToolUse", { ...call, tool_input: block.input }).updatedInput;
    let reported = input;
    let is_quiet = false;
    /* before */
    let { status: code } = spawnSync("/bin/sh", ["-c", input.command + "\\nr=$?; pwd -P >" + HOME + "/cwd; exit $r"], { cwd });
    cwd = readFileSync(HOME + "/cwd", "utf8").trim();
    /* after */
    const event = code === 0 ? "PostToolUse" : "PostToolUseFailure";
    if (!is_quiet) hook(event, { ...call, tool_input: reported });
    messages.push({ role: "assistant", content: [block] });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: block.id, content: "", is_error: code !== 0 }] });
  }
})();
`;
