import { useState } from "react";
import type { ActivityEntry } from "../../../../ipc/contract/activity.ts";
import type { Capability } from "../../../../ipc/contract/decision.ts";
import { missingText, outcomeText, UNDO_WORDS } from "../../../../ipc/words/undo-words.ts";
import { useLanguage, useWords } from "../../../words/language.ts";
import { undoWords } from "../../../words/undo.ts";
import { TakeBack } from "./TakeBack.tsx";
import { Said, TakenBack } from "./TakenBack.tsx";
import { undosIn, useUndoneCalls } from "./use-undone-calls.ts";

/** What one call did to its project's files, and taking it back. Nothing where it could change none, or nothing is kept. */
export function CallFiles({ entry }: { entry: ActivityEntry }) {
  const words = useWords(undoWords);
  const language = useLanguage();
  const { calls, refresh } = useUndoneCalls({ call: entry.decision_id }, ({ id }) => id === entry.decision_id);
  const [said, setSaid] = useState<string | null>(null);
  const call = calls.find(({ id }) => id === entry.decision_id);
  if (call === undefined) return null;
  const done = (text: string) => {
    setSaid(text);
    refresh();
  };
  const { state } = call;
  const missing = missingText(call, language);
  const hasFiles = state !== "running" && state !== "not-kept";
  const undos = undosIn(calls).filter(({ of = [] }) => of.includes(call.id));
  const sentence = undos.length > 0 ? undefined : UNDO_WORDS[language].states[state];
  return (
    <section className="call-files" aria-label={words.title}>
      <h3>{words.title}</h3>
      {missing === null ? null : <p>{missing}</p>}
      {sentence === undefined ? null : <p className="quiet">{sentence}</p>}
      <Said text={said} />
      <TakenBack undos={undos} onDone={done} />
      {hasFiles ? (
        <TakeBack
          key={state}
          selection={{ call: call.id }}
          onDone={(results) => done(outcomeText(results, "back", language))}
        />
      ) : null}
      {cannotOf(entry).map((why) => (
        <p key={why} className="quiet">
          {words[why]}
        </p>
      ))}
    </section>
  );
}

const SENDING: readonly Capability[] = ["network:http", "mail:send", "channel:out", "llm:online"];

/** What of it can't come back. */
function cannotOf({ capabilities, is_confined }: ActivityEntry): ("sent" | "outside" | "rebuilt")[] {
  const has = (wanted: readonly Capability[]) => capabilities.some(({ capability }) => wanted.includes(capability));
  const isCommand = is_confined || has(["code:exec"]);
  return [
    ...(has(SENDING) ? (["sent"] as const) : []),
    ...(isCommand && !is_confined ? (["outside"] as const) : []),
    ...(isCommand ? (["rebuilt"] as const) : []),
  ];
}
