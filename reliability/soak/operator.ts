import { setTimeout as sleep } from "node:timers/promises";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { type OperatorApi, PAGE_EVENTS } from "../../ipc/contract/operator-api.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import type { LoadCounts } from "./agents.ts";

/** An operator who answers within seconds, gives grants and revokes them, with several surfaces open meanwhile. */

/** Grants that are there at once; an older one is revoked. */
const GRANTS_KEPT = 40;
const LONGEST_ANSWER_MS = 4000;
const PAGE_RELOAD_MS = 10_000;

interface Sockets {
  operator_socket: string;
  operatorToken: string;
}

function connect({ operator_socket, operatorToken }: Sockets): Promise<OperatorClient> {
  return OperatorClient.connect(operator_socket, operatorToken);
}

/** Answers every request after a moment. */
export async function answerRequests(sockets: Sockets, counts: LoadCounts): Promise<void> {
  const operator = await connect(sockets);
  operator.subscribe(
    (event) => {
      if (event.type !== "approval.waiting") return;
      const { token } = event.data;
      setTimeout(() => {
        answer(operator, token, counts).catch((error: unknown) => counts.failures.push(`answering: ${String(error)}`));
      }, Math.random() * LONGEST_ANSWER_MS);
    },
    ["approval.waiting"],
  );
}

async function answer(operator: OperatorApi, token: string, counts: LoadCounts): Promise<void> {
  const luck = Math.random();
  const decision = luck < 0.7 ? "approved" : "rejected";
  const scope = luck < 0.05 ? "permanent" : luck < 0.1 ? "session" : "none";
  try {
    await operator.call("approvals.resolve", { token, decision, scope });
    counts.operatorAnswers++;
  } catch (error) {
    // Its agent withdrew it, or has disconnected.
    if (!(error instanceof GateError && error.code === "already_resolved")) throw error;
  }
}

/** A new grant each second; those beyond the kept ones are revoked, oldest first. */
export async function changeGrants(sockets: Sockets, counts: LoadCounts): Promise<never> {
  const operator = await connect(sockets);
  for (let number = 0; ; number++) {
    await operator.call("grants.add", { capability: "fs:write", target: `/srv/soak/granted-${number}/**` });
    // The oldest of all covers the allowed calls.
    const grants = (await operator.call("grants.list", {})).sort((a, b) => a.id - b.id).slice(1);
    for (const { id } of grants.slice(0, Math.max(0, grants.length - GRANTS_KEPT)))
      await operator.call("grants.revoke", { id });
    counts.grantsChanged++;
    await sleep(1000);
  }
}

/** A terminal that watches everything. */
export async function watch(sockets: Sockets): Promise<void> {
  const operator = await connect(sockets);
  operator.subscribe(() => undefined);
}

/** A page that is open, and reloaded now and then. */
export async function lookAtPage(sockets: Sockets): Promise<never> {
  for (;;) {
    const operator = await connect(sockets);
    operator.subscribe(() => undefined, PAGE_EVENTS);
    await Promise.all([
      operator.call("status", {}),
      operator.call("approvals.list", { order: "deadline" }),
      operator.call("activity.list", {}),
      operator.call("activity.counts", { range: "hour" }),
    ]);
    await sleep(PAGE_RELOAD_MS * (0.5 + Math.random()));
    await operator.close();
  }
}
