import { useEffect, useId, useMemo, useRef, useState } from "react";
import { asGateError, type GateError } from "../../ipc/contract/gate-error.ts";
import type { Language } from "../../ipc/contract/language.ts";
import { isMcpTarget } from "../../ipc/contract/mcp-names.ts";
import type { Answer, ApprovalView } from "../../ipc/contract/operator-api.ts";
import { DOING_WORDS } from "../../ipc/words/capability-words.ts";
import { useCall } from "../gate/use-gate.tsx";
import { useHome } from "../gate/use-home.tsx";
import { Button } from "../parts/Button.tsx";
import { useNow } from "../parts/clock.ts";
import { Failure } from "../parts/Failure.tsx";
import { Field } from "../parts/Field.tsx";
import type { SegmentsProps } from "../parts/Segments.tsx";
import { Target } from "../parts/Target.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { type AnswerWords, answerWords } from "../words/answers.ts";
import { useLanguage } from "../words/language.ts";
import { mcpWords } from "../words/mcp.ts";
import {
  answerFor,
  chosen,
  excluded,
  firstRemembering,
  proposedTarget,
  resultText,
  storedGrants,
  type Wider,
  widerOf,
  withShortHome,
} from "./remembering.ts";
import type { FilteredPresses } from "./use-press-filter.ts";
import "./remember.css";

export interface RememberPanelProps {
  view: ApprovalView;
  guarded: FilteredPresses;
  isSending: boolean;
  /** What is proposed can't be replaced by a target of the user's own. */
  isFixed?: boolean;
  onAnswer(answer: Answer): void;
  onCancel(): void;
}

/** What may be done from now on, and for how long; what that comes to in a sentence, and exactly what would be stored. */
export function RememberPanel({ view: asked, guarded, isSending, isFixed, onAnswer, onCancel }: RememberPanelProps) {
  const home = useHome();
  const view = useMemo(() => withShortHome(asked, home), [asked, home]);
  const language = useLanguage();
  const words = answerWords[language];
  const all = useMemo(() => widerOf(view), [view]);
  const [state, setState] = useState(() => firstRemembering(view));
  const panel = useRef<HTMLFieldSetElement>(null);
  const now = useNow("half_minute");
  const wider = all[state.index];
  const hasTarget = isFixed !== true && proposedTarget(wider) !== null;
  const notCovered = excluded(view, state);

  useEffect(() => {
    panel.current?.querySelector<HTMLInputElement>("input:checked")?.focus({ preventScroll: true });
    panel.current?.scrollIntoView({ block: "nearest" });
  }, []);

  return (
    <fieldset className="remember" ref={panel} aria-label={words.legend}>
      <div className="remember-rows">
        <OptionRow
          legend={words.what}
          items={all.map((one, index) => ({ value: String(index), label: reachLabel(one, language) }))}
          chosen={String(state.index)}
          onChoose={(value) => setState((before) => chosen(before, all, Number(value)))}
        />
        <OptionRow
          legend={words.howLong}
          items={(wider?.lengths ?? []).map((length) => ({ value: length, label: words.length[length] }))}
          chosen={state.length}
          onChoose={(length) => setState((before) => ({ ...before, length }))}
        />
      </div>
      <p className="result" role="status">
        <VisibleText text={resultText(view, state, now, words, language)} />
      </p>
      <StoredGrants view={view} state={state} words={words} language={language} />
      {notCovered === null ? null : (
        <p className="quiet">
          <VisibleText text={notCovered} />
        </p>
      )}
      {hasTarget ? (
        <div>
          <Field label={words.target}>
            {(id) => (
              <input
                id={id}
                className="input mono"
                value={state.target}
                spellCheck={false}
                autoComplete="off"
                onChange={({ target }) => setState((before) => ({ ...before, target: target.value }))}
              />
            )}
          </Field>
          <Coverage token={view.token} target={state.target} words={words} />
        </div>
      ) : null}
      <div className="row ends">
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button
          disabled={answerFor(view, state, now) === null || isSending}
          onClick={guarded.answers(() => {
            // The end is counted from the press, not from when the panel was drawn.
            const reply = answerFor(view, state, Date.now());
            if (reply !== null) onAnswer(reply);
          })}
        >
          {words.approve}
        </Button>
      </div>
    </fieldset>
  );
}

function reachLabel({ reach, grants }: Wider, language: Language): string {
  const isTool = reach === "exact" && grants.some(({ target }) => isMcpTarget(target));
  return isTool ? mcpWords[language].thisTool : answerWords[language].reach[reach];
}

/** One of a few short words, in as many lines as they need; arrow keys move, as in any radio group. */
function OptionRow<V extends string>({ legend, items, chosen, onChoose }: SegmentsProps<V>) {
  const name = useId();
  return (
    <fieldset className="remember-row">
      <legend>{legend}</legend>
      {items.map(({ value, label }) => (
        <label key={value}>
          <input type="radio" name={name} value={value} checked={value === chosen} onChange={() => onChoose(value)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

function StoredGrants({
  view,
  state,
  words,
  language,
}: {
  view: ApprovalView;
  state: ReturnType<typeof firstRemembering>;
  words: AnswerWords;
  language: Language;
}) {
  return (
    <ul className="stored-grants quiet" aria-label={words.stored}>
      {storedGrants(view, state).map(({ capability, target }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other identity, and don't change places
        <li key={index} className="stored">
          {words.doing[capability] ?? DOING_WORDS[language][capability]} <Target text={target} />
        </li>
      ))}
    </ul>
  );
}

const TYPING_MS = 150;

/** How much of what was asked lately this target would have let through, shown as it is typed. */
function Coverage({ token, target, words }: { token: string; target: string; words: AnswerWords }) {
  const call = useCall();
  const [coverage, setCoverage] = useState<{ target: string; covered: number; of: number } | null>(null);
  const [error, setError] = useState<GateError | undefined>();
  useEffect(() => {
    if (target.trim() === "") return;
    let isWanted = true;
    const asking = setTimeout(() => {
      call("approvals.coverage", { token, target }).then(
        (answer) => {
          if (!isWanted) return;
          setCoverage({ target, ...answer });
          setError(undefined);
        },
        (failure: unknown) => {
          if (isWanted) setError(asGateError(failure));
        },
      );
    }, TYPING_MS);
    return () => {
      isWanted = false;
      clearTimeout(asking);
    };
  }, [call, token, target]);
  if (error !== undefined) return <Failure error={error} />;
  return (
    <p className="quiet figures coverage" role="status">
      {coverage === null ? words.coverageUnknown : words.coverage(coverage.covered, coverage.of)}
    </p>
  );
}
