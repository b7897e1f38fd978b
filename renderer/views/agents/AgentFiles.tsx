import { useState } from "react";
import { shortened } from "../../../ipc/base/visible-text.ts";
import type { UndoneCall } from "../../../ipc/contract/undo.ts";
import { isOpenCall } from "../../../ipc/words/undo-words.ts";
import { Moment } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { useLanguage, useWords } from "../../words/language.ts";
import { undoWords } from "../../words/undo.ts";
import { AllButton, AllFiles } from "../activity/undo/AllBack.tsx";
import { Said, TakenBack } from "../activity/undo/TakenBack.tsx";
import { undosIn, useUndoneCalls } from "../activity/undo/use-undone-calls.ts";

const MOST_OF_NAME = 24;
const MOST_SESSIONS = 10;

/** What an agent's sessions did to files, each taken back at once: the list first. */
export function AgentFiles({ name }: { name: string }) {
  const words = useWords(undoWords);
  const language = useLanguage();
  const { calls, refresh } = useUndoneCalls({ agent: name });
  const [opened, setOpened] = useState<string | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const sessions = Map.groupBy(calls.filter(isOpenCall), ({ session }) => session);
  const undos = undosIn(calls);
  if (sessions.size === 0 && undos.length === 0) return null;
  const done = (text: string) => {
    setSaid(text);
    setOpened(null);
    refresh();
  };
  return (
    <section aria-labelledby="agent-files">
      <h2 id="agent-files">{words.sessions}</h2>
      <Said text={said} />
      <ul>
        {[...sessions].slice(0, MOST_SESSIONS).map(([session, of]) => (
          <li key={session} className="changed-session">
            <div>
              <span className="mono">
                <VisibleText text={session === "" ? words.noSession : shortened(session, MOST_OF_NAME)} />
              </span>
              <span className="quiet">{words.calls(of.length.toLocaleString(language))}</span>
              <LastOf calls={of} />
              <AllButton
                name={words.takeSession(session === "" ? words.noSession : session)}
                isOpened={opened === session}
                onPress={() => setOpened(opened === session ? null : session)}
              />
            </div>
            {opened === session ? <AllFiles selection={{ session, agent: name }} onDone={done} /> : null}
          </li>
        ))}
      </ul>
      <TakenBack undos={undos.slice(0, MOST_SESSIONS)} onDone={done} />
    </section>
  );
}

/** Its last call, and where that was. */
function LastOf({ calls: [last] }: { calls: readonly UndoneCall[] }) {
  if (last === undefined) return null;
  return (
    <span className="quiet">
      <Moment at={last.at} />, <Target text={last.project} width={32} />
    </span>
  );
}
