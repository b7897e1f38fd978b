import { useQuery } from "../../gate/use-gate.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { useWords } from "../../words/language.ts";
import { safetyWords } from "../../words/safety.ts";
import { PauseState } from "./PauseState.tsx";
import { Rules } from "./Rules.tsx";
import { Trail } from "./Trail.tsx";
import { Violations } from "./Violations.tsx";
import "../../style/views.css";
import "./safety.css";

/** Whether the gate is paused, the violations, and the rules. */
export default function Safety() {
  const words = useWords(safetyWords);
  const { data, error, refresh } = useQuery("safety.status", {});
  return (
    <div className="place safety">
      <header className="place-head">
        <h1>{words.title}</h1>
      </header>
      <Failure error={error} />
      {data === undefined ? null : (
        <>
          <PauseState pause={data.pause} />
          <Violations unacknowledged={data.violations_unacknowledged} onChanged={refresh} />
          <Rules rules={data.rules} />
          <Trail />
        </>
      )}
    </div>
  );
}
