import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { UnconfinedReason } from "../../../ipc/contract/box.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { unconfinedText } from "../../../ipc/words/box-words.ts";
import { callHash } from "../../decide/executors/canonical.ts";
import type { Subject } from "../../decide/stages/examination.ts";
import { agentNamed, type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

/** The tool whose command lines are explained: what every agent's shell is, under one of its names. */
const SHELL = "Bash";
/** In whose name the user's own runs are prepared. */
const OPERATOR = "operator";

type BoxMethod = "box.status" | "box.explain" | "box.prepare" | "box.prepare_agent";

export function boxMethods(context: OperatorContext): Handlers<BoxMethod> {
  const { core, boxedAgents } = context;
  // While it is being found out whether there is a box, no answer would be true.
  return {
    "box.status": async () => {
      await core.box.ready;
      return core.box.status();
    },
    "box.explain": async ({ command, cwd, agent }) => {
      await core.box.ready;
      const found = core.gate.confinement(callOf(command, cwd), subjectOf(context, agent));
      if (found.reason !== null) return { ...shownReason(context, found), declaration: null };
      const { kind, project, reads, writes, network } = found.declaration;
      const shown = { project, reads: [...reads], writes: [...writes], network };
      return { reason: null, about: "", declaration: kind === undefined ? shown : { kind, ...shown } };
    },
    "box.prepare": async ({ command, cwd, path }) => {
      await core.box.ready;
      const call = callOf(command, cwd, path);
      const found = core.gate.confinement(call, subjectOf(context), { evenClear: true });
      if (found.reason !== null) throw notConfined(shownReason(context, found));
      if (found.line === null) throw new Error("the user's own command is in no agent's box");
      const { argv } = core.box.prepare({
        declaration: found.declaration,
        line: found.line,
        agent_id: OPERATOR,
        agent_name: OPERATOR,
        session: "",
        call_hash: callHash(call.executor, call.args),
        call_id: undefined,
      });
      return { argv: [...argv] };
    },
    "box.prepare_agent": async ({ agent: name, state, settings, files, ...request }) => {
      const agent = agentNamed(context, name);
      if (boxedAgents === undefined) throw new GateError("not_running", "no gate is running", "start one");
      const { argv, project } = await boxedAgents.prepare({ ...request, agent, places: { state, settings, files } });
      recordAct(context, "box.agent_prepared", { agent: name });
      return { argv: [...argv], project };
    },
  };
}

const callOf = (command: string, cwd: string, path?: string): ProposedCall => ({
  intent: "",
  executor: SHELL,
  args: { command },
  context: path === undefined ? { cwd } : { cwd, path },
});

/** An agent as it is now; without one, an agent that nothing keeps from being confined. @throws GateError `unknown_agent` */
function subjectOf(context: OperatorContext, name?: string): Subject {
  const { core, by } = context;
  if (name === undefined) return { agent: null, level: "Full", principal: by, can_confine: true };
  const agent = agentNamed(context, name);
  const state = core.box.status().agents.find((one) => one.name === name)?.state;
  return { agent, level: agent.level, principal: by, can_confine: state !== "untested" && state !== "failed" };
}

interface Reasoned {
  reason: UnconfinedReason;
  about: string;
}

/** A box that is switched off is no box of the machine's that is missing. */
function shownReason({ core }: OperatorContext, { reason, about }: Reasoned): Reasoned {
  const isOff = reason === "unavailable" && !core.config.box.enabled;
  return { reason: isOff ? "disabled" : reason, about };
}

function notConfined({ reason, about }: Reasoned): GateError {
  return new GateError(
    "not_confined",
    `this command can't run confined: ${unconfinedText(reason, about, "en")}`,
    `what can: ${ownCommand("box explain COMMAND")}`,
  );
}
