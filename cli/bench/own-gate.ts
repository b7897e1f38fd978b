import type { AnsweredHook, Host } from "@metnos-gate/hook-bench";
import { ownCommand } from "../../ipc/base/own-command.ts";
import type { OperatorEvent } from "../../ipc/contract/operator-api.ts";
import { serveGate } from "../../main/serve.ts";

/** This product's own hook, with a gate of its own: its answers are given here, at once, as a user would who is always there. */
export async function openOwnGate(host: Host, { home }: { home: string }): Promise<AnsweredHook> {
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
    allows: (isAllowed) => {
      allows = isAllowed;
    },
    async close() {
      end();
      await gate.close();
    },
  };
}
