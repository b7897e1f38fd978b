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

/** The commands for the agents that are installed here; for Claude Code's where none is found. */
export function HowToConnect() {
  const words = useWords(agentsWords);
  const { data: status } = useQuery("status", {});
  const { data: found } = useQuery("agents.detect", {});
  if (status === undefined || found === undefined) return null;
  const adapted = found.flatMap(({ connects_as }) => (connects_as === null ? [] : [connects_as]));
  const others = found.filter(({ connects_as }) => connects_as === null).map(({ program }) => program);
  const names = adapted.length === 0 ? ["claude-code"] : adapted;
  return (
    <div className="how-to">
      <p>{adapted.length === 0 ? words.emptyNext : words.found(adapted.join(", "))}</p>
      {names.map((name) => (
        <CommandToCopy key={name} command={`${status.command} connect ${name}`} />
      ))}
      <p className="quiet">
        {others.length === 0 ? null : `${words.foundOthers(others.join(", "))} `}
        {words.emptyOther}
      </p>
    </div>
  );
}
