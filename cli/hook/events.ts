import type { HookDialect, HookPlace } from "../../main/hooks/dialect.ts";
import { parentOf } from "../../main/hooks/parent.ts";

/** What a client's hook is answered to its other events: `hook claude-code after`. Only the program knows those that are here. */

type Answers = (input: string, argv: readonly string[], dialect: HookDialect) => Promise<object>;

const PLACE: HookPlace = {
  env: process.env,
  isGate: false,
  /** Above the launcher. */
  get reader() {
    return parentOf(process.ppid);
  },
};

const OF_ALL: Readonly<Record<string, Answers>> = {
  /** In the test of a client: what the test has the client's call become. */
  "client-test": async (input, argv, dialect) => {
    const { answerTest } = await import("../agents/client-test/test-hook.ts");
    return answerTest(dialect, argv, input);
  },
  after: (input, _argv, { events }) => events.after(input, PLACE),
  session: (input, _argv, { events }) => events.session(input, PLACE),
};

const OF_CLAUDE_CODE: Readonly<Record<string, Answers>> = {
  /** A change of the settings while a session runs: a block, a warning, or nothing. */
  "config-change": async (input, argv) => {
    const { configChange } = await import("../agents/claude-code/config-change.ts");
    return configChange(input, process.env, argv);
  },
  session: async (input) => {
    const { answerSession } = await import("../agents/claude-code/other-hooks-event.ts");
    return answerSession(input, PLACE);
  },
};

/** @param argv begins with the event @throws Error where there is no such one */
export async function answerEvent(dialect: HookDialect, argv: readonly string[], input: string): Promise<object> {
  const answers = { ...OF_ALL, ...(dialect.agent === "claude-code" ? OF_CLAUDE_CODE : {}) };
  const [event = ""] = argv;
  const answer = Object.hasOwn(answers, event) ? answers[event] : undefined;
  if (answer === undefined) throw new Error("there is no such event");
  return answer(input, argv.slice(1), dialect);
}
