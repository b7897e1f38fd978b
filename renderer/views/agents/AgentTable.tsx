import type { AgentView } from "../../../ipc/contract/operator-api.ts";
import { agentsWords } from "../../words/agents.ts";
import { useWords } from "../../words/language.ts";
import { AgentRow } from "./AgentRow.tsx";

interface AgentTableProps {
  agents: readonly AgentView[];
  /** Where each agent's pause is beside the table. */
  isWithoutPause?: boolean;
}

/** Paired agents, with their levels. */
export function AgentTable({ agents, isWithoutPause = false }: AgentTableProps) {
  const { columns, ...words } = useWords(agentsWords);
  return (
    <table className="table agent-table folds">
      <thead>
        <tr>
          <th scope="col">{columns.agent}</th>
          <th scope="col">{columns.level}</th>
          <th scope="col">{columns.seen}</th>
          <th scope="col" className="number">
            {columns.calls}
          </th>
          <th scope="col">
            <span className="unseen">
              {words.pause}, {words.revoke}
            </span>
          </th>
        </tr>
      </thead>
      {agents.map((agent) => (
        <AgentRow key={agent.agent_id} agent={agent} isWithoutPause={isWithoutPause} />
      ))}
    </table>
  );
}
