import { VisibleText } from "./VisibleText.tsx";

/** An agent's name, which leads to the agent's own view. */
export function AgentLink({ name }: { name: string }) {
  return (
    <a className="agent-link" href={`#/agents/${encodeURIComponent(name)}`}>
      <VisibleText text={name} />
    </a>
  );
}
