import { useEffect } from "react";
import type { AgentView } from "../../../ipc/contract/operator-api.ts";
import { PairingCard } from "../../cards/PairingCard.tsx";
import { useQuery } from "../../gate/use-gate.tsx";
import { useNow } from "../../parts/clock.ts";
import { Failure } from "../../parts/Failure.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import type { ViewProps } from "../../window/view-props.ts";
import { agentsWords } from "../../words/agents.ts";
import { useWords } from "../../words/language.ts";
import { AgentPage } from "./AgentPage.tsx";
import { AgentTable } from "./AgentTable.tsx";
import { Connecting } from "./Connecting.tsx";

import "../../style/views.css";
import "./agents.css";

/** The paired agents with their levels, and those that ask to be paired. `rest`: the agent that is open. */
export default function Agents({ rest }: ViewProps) {
  const words = useWords(agentsWords);
  const { data, error, refresh } = useQuery("agents.list", {});
  const now = useNow("half_minute");
  // Which agents are connected, and the calls of today, change without an event.
  useEffect(() => {
    if (now > 0) refresh();
  }, [now, refresh]);
  const agents = data?.agents ?? [];
  const paired = agents.filter(({ revoked_at }) => revoked_at === null);
  const revoked = agents.filter(({ revoked_at }) => revoked_at !== null);
  const requests = data?.requests ?? [];
  if (rest !== "" && data !== undefined) return <AgentPage key={rest} name={rest} agents={agents} />;
  return (
    <div className="place agents">
      <header className="place-head">
        <h1>{words.title}</h1>
      </header>
      <Failure error={error} />
      {requests.length > 0 ? (
        <section aria-label={words.requests}>
          {requests.map((request) => (
            <PairingCard key={request.name} request={request} />
          ))}
        </section>
      ) : null}
      {paired.length > 0 ? (
        <section aria-label={words.title}>
          <AgentTable agents={paired} />
        </section>
      ) : null}
      {data !== undefined && (paired.length > 0 || requests.length === 0) ? (
        <Connecting isFirst={paired.length === 0} />
      ) : null}
      {revoked.length > 0 ? <Revoked agents={revoked} /> : null}
    </div>
  );
}

function Revoked({ agents }: { agents: readonly AgentView[] }) {
  const words = useWords(agentsWords);
  return (
    <details>
      <summary className="quiet">{words.revoked(agents.length)}</summary>
      <ul className="revoked quiet">
        {agents.map((agent) => (
          <li key={agent.agent_id}>
            {agent.name}, {words.revoked_at} <RelativeTime at={agent.revoked_at} />
          </li>
        ))}
      </ul>
    </details>
  );
}
