import { agentNamed, type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

/** What sessions have seen, and the user's word that it counts no more. */
export function sessionMethods(context: OperatorContext): Handlers<"sessions.list" | "sessions.clear"> {
  const { core } = context;
  return {
    "sessions.list": ({ limit }) =>
      core.marks.list(limit).map((one) => ({ ...one, agent_name: core.agents.get(one.agent_id)?.name ?? null })),
    "sessions.clear": ({ agent, session }) => {
      const { agent_id, name } = agentNamed(context, agent);
      const cleared = core.marks.clear(agent_id, session);
      if (cleared > 0) {
        recordAct(context, "session.cleared", { agent: name, count: cleared });
        core.publish({ type: "sessions.changed", data: {} });
      }
      return { cleared };
    },
  };
}
