import { localPrincipal } from "../../../ipc/base/paths.ts";
import type { Decided, PendingCall } from "../../../ipc/contract/agent-port.ts";
import type { Decision } from "../../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { AgentDirectory } from "../../agents/index.ts";
import type { Gate } from "../../calls/index.ts";
import type { ConfinedRun } from "../../decide/confinement/box.ts";
import { BOX_CONNECT } from "../../decide/executors/internal.ts";
import type { GrantStore } from "../../decide/grants/store.ts";
import type { Subject } from "../../decide/stages/examination.ts";
import type { Destination } from "./destination.ts";

/** What the proxy needs of the gate. */
export interface NetworkGate {
  gate: Pick<Gate, "decide" | "isCovered" | "record" | "publish">;
  grants: Pick<GrantStore, "find">;
  agents: Pick<AgentDirectory, "get">;
}

/** What of a run says on whose behalf it connects. */
export type NetworkRun = Pick<ConfinedRun, "agent_id" | "session" | "line"> & {
  declaration: Pick<ConfinedRun["declaration"], "cwd">;
};

/** A host that is decided on later. */
export interface PendingHost extends Pick<PendingCall, "disconnect"> {
  /** The user is asked; false while judges look at it. */
  isAsked(): boolean;
}

/** Decides on hosts in the name of a run's agent, as on any call of it. */
export class HostGate {
  readonly #parts: NetworkGate;
  readonly #run: NetworkRun;

  constructor(parts: NetworkGate, run: NetworkRun) {
    this.#parts = parts;
    this.#run = run;
  }

  /**
   * One decision. While judges look at it, or the user is asked, `deliver` is called once with the final one, and `pending` withdraws
   * it. @throws SQLite's error: nothing was decided
   */
  decide(to: Destination, deliver: (final: Decision) => void): { decision: Decision } | { pending: PendingHost } {
    const { gate } = this.#parts;
    let pending: PendingCall | undefined;
    let final: Decision | undefined;
    let isAsked = false;
    const take = ({ decision, pending: next }: Decided) => {
      // A decision counts once it is recorded: until then it may become a denial.
      gate.record();
      // A surface may have answered meanwhile.
      if (final !== undefined) return;
      if (next !== undefined && (decision === undefined || decision.current.outcome === "approval_required"))
        [pending, isAsked] = [next, decision !== undefined];
      else final = decision?.current;
    };
    let hasReturned = false;
    take(
      gate.decide(this.#call(to), this.#subject(), (decision, next) => {
        take(next === undefined ? { decision } : { decision, pending: next });
        if (hasReturned && final !== undefined) deliver(final);
        gate.publish();
      }),
    );
    hasReturned = true;
    gate.publish();
    return final === undefined
      ? { pending: { disconnect: (reason) => pending?.disconnect(reason), isAsked: () => isAsked } }
      : { decision: final };
  }

  /** Whether it would be allowed now without a question. */
  isCovered(to: Destination): boolean {
    return this.#parts.gate.isCovered(this.#call(to), this.#subject());
  }

  /** Whether there is a grant on this very host. */
  isGranted({ host }: Destination): boolean {
    const { agent_id, session } = this.#run;
    const holder = { ...localPrincipal(), agent: agent_id, session };
    return this.#parts.grants.find(holder, "network:http", { kind: "host", host }) !== undefined;
  }

  #call({ url }: Destination): ProposedCall {
    const { line, session, declaration } = this.#run;
    const method = url.startsWith("https:") ? "CONNECT" : "GET";
    return {
      intent: line.slice(0, MAX_INTENT),
      executor: BOX_CONNECT,
      args: { url, description: line, method },
      context: { cwd: declaration.cwd, session },
    };
  }

  #subject(): Subject {
    const { agent_id, session } = this.#run;
    const agent = this.#parts.agents.get(agent_id);
    if (agent === undefined) throw new Error("the agent of a run is known");
    return { agent, level: agent.level, session, principal: localPrincipal() };
  }
}

/** As long as an agent's own may be. */
const MAX_INTENT = 16_384;
