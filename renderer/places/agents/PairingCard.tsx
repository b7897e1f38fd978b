import { useState } from "react";
import type { Level } from "../../../ipc/decision.ts";
import type { PairingRequest } from "../../../ipc/operator-api.ts";
import { LEVELS } from "../../gate/contract-lists.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { ChoiceList } from "../../parts/ChoiceList.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { VisibleText } from "../../parts/Mono.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { agentsWords } from "../../words/agents.ts";
import { useWords } from "../../words/language.ts";
import { namesWords } from "../../words/names.ts";

/** A program wants to become an agent: at which level, if at all. */
export function PairingCard({ request }: { request: PairingRequest }) {
  const words = useWords(agentsWords);
  const names = useWords(namesWords);
  const call = useCall();
  const { refresh } = useQuery("agents.list", {});
  const { run, is_busy, error } = useAct();
  // None is chosen beforehand: to let somebody in is a choice that is made.
  const [level, setLevel] = useState<Level | null>(null);
  const { name, version, requested_at } = request;
  const act = async (what: () => Promise<unknown>) => {
    await run(what);
    refresh();
  };
  return (
    <article className="pairing">
      <header>
        <h2>{words.wants_in(name)}</h2>
        <p className="quiet">
          {version === null ? null : (
            <>
              <VisibleText text={words.version(version)} />,{" "}
            </>
          )}
          {words.asked} <RelativeTime at={requested_at} />
        </p>
      </header>
      <ChoiceList<Level>
        legend={words.choose_level}
        items={LEVELS.map((value) => ({ value, label: names.levels[value], detail: words.levels[value] }))}
        chosen={level}
        onChoose={setLevel}
      />
      <p className="quiet">{words.always}</p>
      <Failure error={error} />
      <div className="ends">
        <Button disabled={is_busy} onClick={() => void act(() => call("agents.reject", { name }))}>
          {words.reject}
        </Button>
        <Button
          disabled={is_busy || level === null}
          title={level === null ? words.choose_level : undefined}
          onClick={() => level !== null && void act(() => call("agents.pair", { name, level }))}
        >
          {words.pair}
        </Button>
      </div>
    </article>
  );
}
