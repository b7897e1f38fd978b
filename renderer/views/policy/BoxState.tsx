import type { BoxAgent, BoxStatus } from "../../../ipc/box.ts";
import { boxAgentWords, boxProblemWords } from "../../../ipc/box-words.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { AgentLink } from "../../parts/AgentLink.tsx";
import { CommandToCopy } from "../../parts/CommandToCopy.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { NeitherShape, OutcomeShape } from "../../parts/OutcomeShape.tsx";
import { Moment } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { boxWords } from "../../words/box.ts";
import { useLanguage, useWords } from "../../words/language.ts";

/** Whether commands are confined: on this machine, of each agent, and what was set aside after them. */
export function BoxState() {
  const words = useWords(boxWords);
  const { data, error } = useQuery("box.status", {});
  if (data === undefined) return <Failure error={error} />;
  return (
    <section className="box-state" aria-labelledby="policy-box">
      <h2 id="policy-box">{words.title}</h2>
      {data.problem === null ? <p className="quiet">{words.available}</p> : <Problem status={data} />}
      {data.agents.length === 0 ? (
        <p className="quiet">{words.no_agents}</p>
      ) : (
        <ul className="box-agents" aria-label={words.agents}>
          {data.agents.map((agent) => (
            <Agent key={agent.name} agent={agent} is_available={data.is_available} />
          ))}
        </ul>
      )}
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
          {words.system_says} <VisibleText text={detail} />
        </p>
      )}
      {fix === null ? null : <CommandToCopy command={fix} />}
    </>
  );
}

function Agent({ agent, is_available }: { agent: BoxAgent; is_available: boolean }) {
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
        {todo === null || !is_available ? null : <span className="quiet">. {todo}</span>}
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

function SetAside({ items }: { items: BoxStatus["set_aside"] }) {
  const words = useWords(boxWords);
  if (items.length === 0) return null;
  return (
    <>
      <h3>{words.set_aside}</h3>
      <p className="quiet">{words.set_aside_next}</p>
      <ul className="set-aside">
        {items.map(({ path, kept_at, at, agent_name }) => (
          <li key={kept_at}>
            <Target text={path} />
            <span className="quiet">
              {words.now_at} <Target text={kept_at} />
            </span>
            <span className="quiet">
              <VisibleText text={agent_name} />, <Moment at={at} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
