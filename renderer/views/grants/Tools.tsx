import { visible } from "../../../ipc/base/visible-text.ts";
import type { KeptToolView } from "../../../ipc/contract/mcp.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { useWords } from "../../words/language.ts";
import { mcpWords } from "../../words/mcp.ts";

/** The tools of MCP servers that were allowed, and what the user said of each. Nothing where there is none. */
export function Tools() {
  const { list } = useWords(mcpWords);
  const { data, error } = useQuery("mcp.tools", {});
  if (error !== undefined) return <Failure error={error} />;
  if (data === undefined || data.length === 0) return null;
  return (
    <section className="refusals" aria-labelledby="tools-title">
      <h2 id="tools-title">{list.title}</h2>
      <p className="quiet">{list.meaning}</p>
      <ul>
        {data.map((tool) => (
          <ToolRow key={tool.id} kept={tool} />
        ))}
      </ul>
    </section>
  );
}

const SAID_SHOWN = 160;

function ToolRow({ kept }: { kept: KeptToolView }) {
  const { list } = useWords(mcpWords);
  const call = useCall();
  const { run, isBusy, error } = useAct();
  const { id, server, tool, state, agent_name, decided_at, description } = kept;
  const said = description.length > SAID_SHOWN ? `${description.slice(0, SAID_SHOWN)}…` : description;
  return (
    <li className="refusal">
      <div>
        <p className="what">
          <span className="mono">
            <VisibleText text={`${server}: ${tool}`} />
          </span>{" "}
          {list[state]}
        </p>
        <p className="quiet">
          <VisibleText text={agent_name ?? ""} /> · <RelativeTime at={decided_at} />
          {said === "" ? null : (
            <>
              {" · "}
              <q>
                <VisibleText text={said} />
              </q>
            </>
          )}
        </p>
        <Failure error={error} />
      </div>
      <Button
        size="small"
        look="plain"
        disabled={isBusy}
        aria-label={list.forgetOne(visible(tool))}
        onClick={() => void run(() => call("mcp.forget", { id }))}
      >
        {list.forget}
      </Button>
    </li>
  );
}
