import { useState } from "react";
import type { BoxAgent, BoxStatus } from "../../../ipc/contract/box.ts";
import { boxAgentWords, boxProblemWords, hostsProblemWords } from "../../../ipc/words/box-words.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { AgentLink } from "../../parts/AgentLink.tsx";
import { Button } from "../../parts/Button.tsx";
import { CommandToCopy } from "../../parts/CommandToCopy.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { NeitherShape, OutcomeShape } from "../../parts/OutcomeShape.tsx";
import { Moment } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { useEveryHalfMinute } from "../../parts/use-every-half-minute.ts";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { boxWords } from "../../words/box.ts";
import { useLanguage, useWords } from "../../words/language.ts";

/** Whether commands are confined: on this machine, of each agent, and what was set aside after them. */
export function BoxState() {
  const words = useWords(boxWords);
  const { data, error, refresh } = useQuery("box.status", {});
  // No event says that a client was tested, or that what was set aside was put back.
  useEveryHalfMinute(refresh);
  if (data === undefined) return <Failure error={error} />;
  return (
    <section className="box-state" aria-labelledby="policy-box">
      <h2 id="policy-box">{words.title}</h2>
      {data.problem === null ? <p className="quiet">{words.available}</p> : <Problem status={data} />}
      <HostsProblem problem={data.hosts_problem} />
      {/* Where nothing can be confined there is nothing to say of each agent. */}
      {data.is_available ? <Agents agents={data.agents} /> : null}
      <SetAside items={data.set_aside} />
    </section>
  );
}

function Problem({ status: { problem, detail, fix } }: { status: BoxStatus }) {
  const words = useWords(boxWords);
  const language = useLanguage();
  if (problem === null) return null;
  const { what, todo } = boxProblemWords(problem, language);
  return (
    <>
      <p>
        <b>{what}.</b> <span className="quiet">{words.unavailable}</span>
      </p>
      {todo === null ? null : <p>{todo}.</p>}
      {detail === "" ? null : (
        <p className="quiet detail">
          {words.systemSays} <VisibleText text={detail} />
        </p>
      )}
      {fix === null ? null : <CommandToCopy command={fix} />}
    </>
  );
}

function HostsProblem({ problem }: { problem: BoxStatus["hosts_problem"] }) {
  const language = useLanguage();
  if (problem === null) return null;
  const { what, todo } = hostsProblemWords(problem, language);
  return (
    <p>
      <b>{what}.</b> {todo === null ? null : `${todo}.`}
    </p>
  );
}

function Agents({ agents }: { agents: readonly BoxAgent[] }) {
  const words = useWords(boxWords);
  if (agents.length === 0) return <p className="quiet">{words.noAgents}</p>;
  return (
    <ul className="box-agents" aria-label={words.agents}>
      {agents.map((agent) => (
        <Agent key={agent.name} agent={agent} />
      ))}
    </ul>
  );
}

function Agent({ agent }: { agent: BoxAgent }) {
  const words = useWords(boxWords);
  const language = useLanguage();
  const { what, todo } = boxAgentWords(agent, language);
  return (
    <li>
      <Mark state={agent.state} />
      <span className="name">
        <AgentLink name={agent.name} />
      </span>
      <span className="said">
        {what}
        {todo === null ? null : <span className="quiet">. {todo}</span>}
      </span>
      {agent.client === null ? null : (
        <span className="quiet client">
          <VisibleText text={agent.client} />
          {agent.tested_at === null ? null : (
            <>
              , {words.tested} <Moment at={agent.tested_at} />
            </>
          )}
        </span>
      )}
    </li>
  );
}

function Mark({ state }: { state: BoxAgent["state"] }) {
  if (state === "confined") return <OutcomeShape outcome="allowed" />;
  return state === "failed" ? <OutcomeShape outcome="denied" /> : <NeitherShape />;
}

/** A run can leave many: the others are listed on a press. */
const FIRST_SHOWN = 5;

function SetAside({ items }: { items: BoxStatus["set_aside"] }) {
  const words = useWords(boxWords);
  const [isListed, setListed] = useState(false);
  if (items.length === 0) return null;
  const more = isListed ? 0 : Math.max(0, items.length - FIRST_SHOWN);
  return (
    <>
      <h3>{words.set_aside}</h3>
      <p className="quiet">{words.setAsideNext}</p>
      <ul className="set-aside">
        {items.slice(0, items.length - more).map(({ path, kept_at, at, agent_name }) => (
          <li key={kept_at}>
            <Target text={path} />
            <span className="quiet">
              {words.nowAt} <Target text={kept_at} />
            </span>
            <span className="quiet">
              <VisibleText text={agent_name} />, <Moment at={at} />
            </span>
          </li>
        ))}
      </ul>
      {more === 0 ? null : (
        <Button look="plain" size="small" onClick={() => setListed(true)}>
          {words.more(more)}
        </Button>
      )}
    </>
  );
}
