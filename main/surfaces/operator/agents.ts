import { agentsOnPath } from "../../agents/index.ts";
import { errorCode } from "../../base/errors.ts";
import { agentNamed, agentView, agentViewer, type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

type AgentMethod =
  | "agents.detect"
  | "agents.list"
  | "agents.pair"
  | "agents.reject"
  | "agents.level"
  | "agents.pause"
  | "agents.resume"
  | "agents.revoke";

export function agentMethods(context: OperatorContext): Handlers<AgentMethod> {
  const { core, connections } = context;
  const { agents, agent_pauses, gate, grants, keptPauses } = core;
  const changed = () => core.publish({ type: "agents.changed", data: {} });
  return {
    "agents.list": () => ({
      agents: agents.list().map(agentViewer(context)),
      requests: connections?.pairingRequests() ?? [],
      unreadable: agents.unreadable(),
    }),
    "agents.detect": () => agentsOnPath(),
    "agents.pair": ({ name, level, admit }) => {
      const { agent, token_file, isRenewed } = agents.pair(name, level);
      if (isRenewed) {
        // A connection with the old token is not the agent that is paired now.
        gate.endPairing(agent.agent_id, "the agent was paired again");
        connections?.drop(agent.agent_id);
      }
      recordAct(context, "agent.paired", { agent: name, level });
      if (admit) connections?.admit(agent);
      else connections?.turnAway(name);
      changed();
      return { ...agentView(context, agent), token_file };
    },
    "agents.reject": ({ name }) => {
      const rejected = connections?.refuse(name) ?? false;
      if (rejected) changed();
      return { rejected };
    },
    "agents.level": ({ name, level }) => {
      const agent = agents.setLevel(name, level);
      // Requests made at the old level have to be made again at the new one.
      gate.waiting.withdrawAgent(
        agent.agent_id,
        `the agent's level is now ${level}; send the call again`,
        "approval.withdrawn-level",
      );
      recordAct(context, "agent.level", { agent: name, level });
      changed();
      return agentView(context, agent);
    },
    "agents.pause": ({ name, for_seconds }) => {
      const agent = agentNamed(context, name);
      try {
        agent_pauses.begin(agent.agent_id, for_seconds);
        return agentView(context, agent);
      } catch (error) {
        const note = keptPauses.noteOf(agent.agent_id);
        if (note === undefined || !errorCode(error).startsWith("SQLITE")) throw error;
        return { ...agentView(context, agent), note };
      }
    },
    "agents.resume": ({ name }) => {
      const agent = agentNamed(context, name);
      // The pause has withdrawn them: a gate that is killed now must not find them waiting.
      gate.broker.completeWithdrawals();
      agent_pauses.end(agent.agent_id);
      return agentView(context, agent);
    },
    "agents.revoke": ({ name }) => {
      const agent = agents.revoke(name);
      gate.endPairing(agent.agent_id, "the agent's pairing was revoked");
      connections?.drop(agent.agent_id);
      recordAct(context, "agent.revoked", { agent: name });
      changed();
      // Last: the revocation holds even where these can't be written, and the grants are no other agent's.
      grants.revokeAgent(agent.agent_id, "the agent's pairing was revoked");
      if (gate.broker.registry.refusals.end(agent.agent_id)) core.publish({ type: "refusals.changed", data: {} });
      agent_pauses.end(agent.agent_id);
      return agentView(context, agent);
    },
  };
}
