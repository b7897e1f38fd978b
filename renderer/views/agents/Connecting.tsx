import { useState } from "react";
import { Button } from "../../parts/Button.tsx";
import { agentsWords } from "../../words/agents.ts";
import { useWords } from "../../words/language.ts";

const COMMAND = "npx metnos-gate connect claude-code";

/** How to connect an agent: at length where there is none, folded where there is one. */
export function Connecting({ isFirst }: { isFirst: boolean }) {
  const words = useWords(agentsWords);
  if (!isFirst) {
    return (
      <details className="connecting">
        <summary className="quiet">{words.another}</summary>
        <HowTo />
      </details>
    );
  }
  return (
    <div className="connecting">
      <h2>{words.empty}</h2>
      <HowTo />
    </div>
  );
}

function HowTo() {
  const words = useWords(agentsWords);
  const [is_copied, setCopied] = useState(false);
  const copy = async () => {
    // Where the clipboard is refused, the command can still be selected.
    await navigator.clipboard.writeText(COMMAND).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <div className="how-to">
      <p>{words.empty_next}</p>
      <p className="command">
        <code className="mono">{COMMAND}</code>
        <Button size="small" onClick={() => void copy()}>
          {is_copied ? words.copied : words.copy}
        </Button>
      </p>
      <p className="quiet">{words.empty_other}</p>
    </div>
  );
}
