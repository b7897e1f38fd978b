import { shortened } from "../../../ipc/base/visible-text.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { SeenMark } from "../../parts/SeenMark.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { agentsWords } from "../../words/agents.ts";
import { useWords } from "../../words/language.ts";

const MOST_OF_NAME = 24;

/** What this agent's sessions have seen that counts, and the user's word that it counts no more. */
export function AgentSessions({ agent_id, name }: { agent_id: string; name: string }) {
  const words = useWords(agentsWords);
  const call = useCall();
  const { data, refresh } = useQuery("sessions.list", {});
  const { run, isBusy, error } = useAct();
  const sessions = (data ?? []).filter((one) => one.agent_id === agent_id);
  if (sessions.length === 0) return null;
  return (
    <section aria-labelledby="agent-sessions">
      <h2 id="agent-sessions">{words.sessions}</h2>
      <p className="quiet">{words.sessionsWhy}</p>
      <Failure error={error} />
      <ul className="agent-list">
        {sessions.map(({ session, is_own, ...marks }) => (
          <li key={session}>
            <span className="mono">
              <VisibleText
                text={is_own ? shortened(session, MOST_OF_NAME) : words.sharedSession(shortened(session, MOST_OF_NAME))}
              />
            </span>
            {marks.private === undefined ? null : <SeenMark mark="private" by={marks.private} />}
            {marks.untrusted === undefined ? null : <SeenMark mark="untrusted" by={marks.untrusted} />}
            <Button
              size="small"
              look="plain"
              disabled={isBusy}
              onClick={() => void run(() => call("sessions.clear", { agent: name, session })).then(refresh)}
            >
              {words.clear}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
