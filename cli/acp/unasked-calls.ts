import type { ProposedCall } from "../../ipc/client.ts";
import type { LineOutput } from "../proxy/line-output.ts";
import type { AcpGate } from "./gate.ts";
import { encoded } from "./message.ts";
import { hasEnded, type ToolCall } from "./tool-calls.ts";

/** Calls that an agent says it runs and has asked nobody about, and those that ran other than they were allowed. */

export interface UnaskedOptions {
  gate: AcpGate;
  /** A call that runs though nobody was asked cancels the turn. */
  isStrict: boolean;
  agent: LineOutput;
  /** A sentence for the editor's log. */
  say(text: string): void;
  callsOf(call: ToolCall): ProposedCall[];
  /** What runs of it and where, as one text. */
  runsOf(call: ToolCall): string;
}

/** An agent that asks about a call in progress has asked by then. In milliseconds. */
const ASKED_BY_MS = 1000;

export class UnaskedCalls {
  readonly #options: UnaskedOptions;

  constructor(options: UnaskedOptions) {
    this.#options = options;
  }

  /** Looks at a call after each thing that the agent says of it. */
  look(call: ToolCall): void {
    const { gate, isStrict } = this.#options;
    if (call.isReported) return;
    if (call.decision === "allowed") {
      if (!hasEnded(call)) return;
      call.isReported = true;
      const first = this.#otherThanAllowed(call);
      if (first !== undefined) this.#options.say(`${shown(call)} ran other than it was allowed`);
      // Of a call that was allowed in the editor the gate has nothing to compare with, nor to report on.
      if (call.isOfEditor && first === undefined) return;
      // The gate compares arguments: also where the folder alone is another one, they aren't those that it allowed.
      const input =
        first === undefined
          ? {}
          : { input: { executor: first.executor, args: { ...first.args, in: first.context?.cwd } } };
      gate.ran(call.id, { ok: call.status === "completed", isUnasked: call.isOfEditor, ...input });
      return;
    }
    if (call.decision !== undefined) return;
    if (call.status === "completed") this.#report(call);
    // Some say that a call is in progress, and then ask about it.
    else if (isStrict && call.status === "in_progress") setTimeout(() => this.#report(call), ASKED_BY_MS).unref();
  }

  /** The first of what ran; undefined where that is what was allowed, though more may have been said of it. */
  #otherThanAllowed(call: ToolCall): ProposedCall | undefined {
    const { callsOf, runsOf } = this.#options;
    if (!call.isInputChanged) return undefined;
    const ran = { ...call, isInputChanged: false };
    return runsOf(ran) === call.allowedRuns ? undefined : callsOf(ran)[0];
  }

  #report(call: ToolCall): void {
    if (call.isReported || call.decision !== undefined) return;
    call.isReported = true;
    this.#ranUnasked(call).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : "unknown";
      this.#options.say(`what ran without asking can't be reported: ${why}`);
    });
  }

  /** Only what would have been asked about, or denied. */
  async #ranUnasked(call: ToolCall): Promise<void> {
    const { gate, isStrict, agent, say, callsOf } = this.#options;
    const calls = callsOf(call);
    const decisions = await gate.plan(
      "",
      calls.map(({ executor, args, context }) => ({ executor, args, ...(context === undefined ? {} : { context }) })),
    );
    const index = decisions.findIndex(({ outcome }) => outcome !== "allowed");
    const first = calls[index];
    if (first === undefined) return;
    say(`${shown(call)} ran without asking`);
    gate.ran(call.id, {
      ok: call.status !== "failed",
      isUnasked: true,
      input: { executor: first.executor, args: first.args },
    });
    if (isStrict) agent.send(encoded({ method: "session/cancel", params: { sessionId: call.session } }));
  }
}

function shown({ title }: ToolCall): string {
  return JSON.stringify(title.replace(/\s+/g, " ").slice(0, 200));
}
