import { useState } from "react";
import type { UndoSelection } from "../../../../ipc/contract/undo.ts";
import { isOpenCall, outcomeText, UNDO_WORDS } from "../../../../ipc/words/undo-words.ts";
import { useCommand } from "../../../gate/use-command.ts";
import { Button } from "../../../parts/Button.tsx";
import { useNow } from "../../../parts/clock.ts";
import { useLanguage, useWords } from "../../../words/language.ts";
import { undoWords } from "../../../words/undo.ts";
import { TakeBack } from "./TakeBack.tsx";
import { Said, TakenBack } from "./TakenBack.tsx";
import { undosIn, useUndoneCalls } from "./use-undone-calls.ts";

const HOUR_MS = 3_600_000;

/** What agents did to files in the last hour, taken back at once: the list first. */
export function LastHour() {
  const words = useWords(undoWords);
  const language = useLanguage();
  const command = useCommand();
  const now = useNow("half_minute");
  // From a full hour on: what is asked for stays the same while it is looked at.
  const asked = new Date(Math.floor(now / HOUR_MS - 1) * HOUR_MS).toISOString();
  const { calls, isOff, refresh } = useUndoneCalls({ since: asked });
  const [since, setSince] = useState<string | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  if (isOff)
    return (
      <p className="quiet">
        {words.off} <code>{command("doctor")}</code>.
      </p>
    );
  const from = since === null ? now - HOUR_MS : Date.parse(since);
  const late = calls.filter(({ at }) => Date.parse(at) >= from);
  const open = late.filter(isOpenCall);
  const undos = undosIn(late);
  if (open.length === 0 && undos.length === 0 && said === null) return null;
  const done = (text: string) => {
    setSaid(text);
    setSince(null);
    refresh();
  };
  return (
    <section className="last-hour" aria-labelledby="activity-undo">
      <div className="section-head">
        <h2 id="activity-undo">{words.hour}</h2>
        {open.length === 0 ? null : (
          <AllButton
            isOpened={since !== null}
            onPress={() => setSince(since === null ? new Date(Date.now() - HOUR_MS).toISOString() : null)}
          />
        )}
      </div>
      {open.length === 0 ? null : <p className="quiet">{words.hourCalls(open.length.toLocaleString(language))}</p>}
      <Said text={said} />
      {since === null ? null : <AllFiles selection={{ since }} onDone={done} />}
      <TakenBack undos={undos} onDone={done} />
    </section>
  );
}

/** Opens the list, and closes it. */
export function AllButton({ isOpened, name, onPress }: { isOpened: boolean; name?: string; onPress(): void }) {
  const words = useWords(undoWords);
  return (
    <Button size="small" aria-expanded={isOpened} aria-label={isOpened ? undefined : name} onClick={onPress}>
      {isOpened ? words.close : words.takeAll}
    </Button>
  );
}

/** The list of all that was selected, and what of it can't come back. */
export function AllFiles({ selection, onDone }: { selection: UndoSelection; onDone(said: string): void }) {
  const language = useLanguage();
  return (
    <>
      <TakeBack selection={selection} onDone={(results) => onDone(outcomeText(results, "back", language))} />
      <p className="quiet">{UNDO_WORDS[language].cannot}</p>
    </>
  );
}
