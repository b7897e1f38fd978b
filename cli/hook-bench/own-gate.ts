import { ownCommand } from "../../ipc/base/own-command.ts";
import type { OperatorEvent } from "../../ipc/contract/operator-api.ts";
import type { Host } from "./hosts.ts";
import type { Places } from "./scenario.ts";

/** This product's own hook, with a gate of its own: its answers are given here, at once, as a user would who is always there. */

export interface OwnGate {
  command: string;
  env: NodeJS.ProcessEnv;
  /** How often the user has been asked so far. */
  asked(): number;
  /** From now on what is asked is allowed, for the session where the card offers that; or denied. */
  allows(is_allowed: boolean): void;
  close(): Promise<void>;
}

export async function openOwnGate(host: Host, { home }: Places): Promise<OwnGate> {
  const { serveGate } = await import("../../main/serve.ts");
  const env = { HOME: home, PATH: process.env.PATH, LANG: process.env.LANG };
  const gate = await serveGate({ env, web: false, notifications: false });
  await gate.operator.call("agents.pair", { name: host, level: "Supervised" });
  let [asks, allows] = [0, false];
  const answer = async ({ type, data }: OperatorEvent) => {
    if (type !== "approval.waiting") return;
    asks += 1;
    const { token, choices } = data;
    if (!allows) return void (await gate.operator.call("approvals.resolve", { token, decision: "rejected" }));
    const wide = choices.find(({ scope }) => scope === "session");
    const chosen = wide?.reach == null ? {} : { scope: wide.scope, reach: wide.reach };
    await gate.operator.call("approvals.resolve", { token, decision: "approved", ...chosen });
  };
  const end = gate.operator.subscribe(
    (event) => void answer(event).catch(() => undefined), // withdrawn meanwhile: the hook gets its answer all the same
    ["approval.waiting"],
  );
  return {
    command: `${ownCommand()} hook ${host}`,
    env,
    asked: () => asks,
    allows: (is_allowed) => {
      allows = is_allowed;
    },
    async close() {
      end();
      await gate.close();
    },
  };
}
