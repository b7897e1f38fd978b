import { useQuery } from "../../gate/use-gate.tsx";
import { CommandToCopy } from "../../parts/CommandToCopy.tsx";
import { agentsWords } from "../../words/agents.ts";
import { useWords } from "../../words/language.ts";

/** How to connect an agent: at length where there is none, folded where there is one. */
export function Connecting({ isFirst }: { isFirst: boolean }) {
  const words = useWords(agentsWords);
  if (!isFirst) {
    return (
      <details className="connecting">
        <summary className="quiet">{words.another}</summary>
        <HowToConnect />
      </details>
    );
  }
  return (
    <div className="connecting">
      <h2>{words.empty}</h2>
      <HowToConnect />
    </div>
  );
}

const CLAUDE_CODE = { title: "Claude Code", connects_as: "claude-code" };

/** The agents that are installed here, each with its command; Claude Code's where none is found. Then the demo. */
export function HowToConnect() {
  const words = useWords(agentsWords);
  const { data: status } = useQuery("status", {});
  const { data: found } = useQuery("agents.detect", {});
  if (status === undefined || found === undefined) return null;
  return (
    <div className="how-to">
      <p>{found.length === 0 ? words.noneFound : words.found}</p>
      <ul>
        {(found.length === 0 ? [CLAUDE_CODE] : found).map(({ title, connects_as }) => (
          <li key={connects_as}>
            <b>{title}</b>
            <CommandToCopy command={`${status.command} connect ${connects_as}`} />
          </li>
        ))}
        <li>
          {words.orDemo}
          <CommandToCopy command={`${status.command} demo`} />
        </li>
      </ul>
      <p className="quiet">{words.emptyOther}</p>
    </div>
  );
}
