import type { Env } from "../../ipc/base/paths.ts";
import { visible } from "../../ipc/base/visible-text.ts";
import { LineFilter } from "../proxy/line-filter.ts";
import { LineOutput } from "../proxy/line-output.ts";
import { startProgram } from "../proxy/program.ts";
import type { AskIn } from "./decide.ts";
import { ConnectedGate } from "./gate.ts";
import { AcpProxy } from "./proxy.ts";

export interface AcpOptions {
  /** As the agent is paired. */
  name: string;
  askIn: AskIn;
  isStrict: boolean;
  /** The agent's program and its arguments. */
  words: readonly string[];
  /** All of it runs in a box, which reaches these hosts beside its model's; undefined: in none. */
  box?: { hosts: readonly string[] };
}

/** A line that is longer isn't looked at, and so not passed on: none of the protocol's is. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** How long the agent may continue once the editor has ended, in milliseconds. */
const GRACE_MS = 5000;

/** Runs the agent behind the gate, with the editor at stdin and stdout. @returns the agent's exit code */
export async function runAcp(options: AcpOptions): Promise<number> {
  const { name, askIn, isStrict } = options;
  const say = (text: string) => process.stderr.write(`metnos-gate acp: ${visible(text)}\n`);
  const { words, env: whole } = await started(options, say);
  const gate = new ConnectedGate({ name }, say);
  // What proves who the agent is stays here.
  const { METNOS_AGENT_TOKEN: _, ...env } = whole;
  const program = startProgram(words, { env, graceMs: GRACE_MS });
  const [agent, editor] = [new LineOutput(program.stdin), new LineOutput(process.stdout)];
  const proxy = new AcpProxy({ gate, askIn, isStrict, editor, agent, agentOutput: program.stdout, say });
  const direction = { maxBytes: MAX_LINE_BYTES, beyond: "drop" } as const;
  const fromAgent = new LineFilter({
    ...direction,
    from: program.stdout,
    to: editor,
    look: proxy.fromAgent,
    onBeyond: () => proxy.tooLong("the agent"),
  });
  const fromEditor = new LineFilter({
    ...direction,
    from: process.stdin,
    to: agent,
    look: proxy.fromEditor,
    onBeyond: () => proxy.tooLong("the editor"),
  });
  const editorEnded = fromEditor.ended.then(() => {
    proxy.close();
    program.close();
  });
  const code = await program.ended;
  await fromAgent.ended;
  proxy.close();
  gate.close();
  process.stdin.destroy();
  await editorEnded;
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
  return code;
}

/** What is started in the agent's place, and with which environment. */
async function started(
  { name, words, box }: AcpOptions,
  say: (text: string) => void,
): Promise<{ words: readonly string[]; env: Env }> {
  if (box === undefined) return { words, env: process.env };
  const { boxedWords } = await import("./boxed-words.ts");
  const boxed = await boxedWords({ name, words, hosts: box.hosts, cwd: process.cwd(), env: process.env });
  say(`${name} runs in a box: it writes in ${boxed.project}, and reaches ${boxed.hosts.join(", ") || "no host"}`);
  return boxed;
}
