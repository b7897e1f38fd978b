import { useEffect, useMemo, useRef, useState } from "react";
import { asGateError, type GateError } from "../../ipc/gate-error.ts";
import type { Answer, ApprovalView } from "../../ipc/operator-api.ts";
import { useCall } from "../gate/use-gate.tsx";
import { useHome } from "../gate/use-home.tsx";
import { Button } from "../parts/Button.tsx";
import { ChoiceList } from "../parts/ChoiceList.tsx";
import { Failure } from "../parts/Failure.tsx";
import { Field } from "../parts/Field.tsx";
import { Target } from "../parts/Target.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { type CardWords, cardWords } from "../words/cards.ts";
import { useLanguage } from "../words/language.ts";
import {
  answerFor,
  chosen,
  type Expiry,
  endOf,
  excluded,
  firstRemembering,
  proposedTarget,
  type Remembering,
  rememberedChoices,
  sentence,
  withShortHome,
} from "./remembering.ts";
import type { FilteredPresses } from "./use-press-filter.ts";

interface RememberPanelProps {
  view: ApprovalView;
  guarded: FilteredPresses;
  is_sending: boolean;
  onAnswer(answer: Answer): void;
  onCancel(): void;
}

/** The scopes as sentences, with exactly what each would store beneath it. */
export function RememberPanel({ view: asked, guarded, is_sending, onAnswer, onCancel }: RememberPanelProps) {
  const home = useHome();
  const view = useMemo(() => withShortHome(asked, home), [asked, home]);
  const language = useLanguage();
  const words = cardWords[language];
  const choices = rememberedChoices(view);
  const [state, setState] = useState(() => firstRemembering(view));
  const panel = useRef<HTMLFieldSetElement>(null);
  const choice = choices[state.index];
  const proposed = proposedTarget(choice);
  const now = Date.now();
  const end = endOf(state, now);
  const answer = answerFor(view, state, now);
  const not_covered = excluded(view, state);

  useEffect(() => {
    panel.current?.querySelector<HTMLInputElement>("input:checked")?.focus({ preventScroll: true });
    panel.current?.scrollIntoView({ block: "nearest" });
  }, []);

  const items = choices.map((one, index) => {
    const is_chosen = index === state.index;
    const own_end = is_chosen ? end : null;
    return {
      value: String(index),
      label: sentence(one, own_end, words, language),
      detail: one.grants.map(({ capability, target }) => (
        <span key={`${capability} ${target}`} className="stored">
          {capability} {words.on} <Target text={is_chosen && proposed !== null ? state.target : target} />
        </span>
      )),
    };
  });

  return (
    <fieldset className="remember" ref={panel} aria-label={words.remember}>
      <ChoiceList
        legend={words.rememberWhat}
        items={items}
        chosen={String(state.index)}
        onChoose={(value) => setState((before) => chosen(before, choices, Number(value)))}
      />
      {not_covered === null ? null : (
        <p className="quiet">
          <VisibleText text={not_covered} />
        </p>
      )}
      {proposed === null ? null : (
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
      )}
      <ExpiryFields state={state} is_session={choice?.scope === "session"} words={words} onChange={setState} />
      <div className="row ends">
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button
          disabled={answer === null || is_sending}
          onClick={guarded.answers(() => {
            // The end is counted from the press, not from when the panel was drawn.
            const reply = answerFor(view, state, Date.now());
            if (reply !== null) onAnswer(reply);
          })}
        >
          {words.approveAndRemember}
        </Button>
      </div>
    </fieldset>
  );
}

function ExpiryFields({
  state,
  is_session,
  words,
  onChange,
}: {
  state: Remembering;
  is_session: boolean;
  words: CardWords;
  onChange(next: Remembering): void;
}) {
  const { never, session, hours, days, date } = words.expiries;
  const names: [Expiry, string][] = [
    ["never", is_session ? session : never],
    ["hours", hours],
    ["days", days],
    ["date", date],
  ];
  return (
    <div className="row fields">
      <Field label={words.expiry}>
        {(id) => (
          <select
            id={id}
            className="select"
            value={state.expiry}
            onChange={({ target }) => onChange({ ...state, expiry: target.value as Expiry })}
          >
            {names.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {state.expiry === "date" ? (
        <Field label={words.date}>
          {(id) => (
            <input
              id={id}
              type="date"
              className="input"
              value={state.date}
              onChange={({ target }) => onChange({ ...state, date: target.value })}
            />
          )}
        </Field>
      ) : null}
    </div>
  );
}

const TYPING_MS = 150;

/** How much of what was asked lately this target would have let through, shown as it is typed. */
function Coverage({ token, target, words }: { token: string; target: string; words: CardWords }) {
  const call = useCall();
  const [coverage, setCoverage] = useState<{ target: string; covered: number; of: number } | null>(null);
  const [error, setError] = useState<GateError | undefined>();
  useEffect(() => {
    if (target.trim() === "") return;
    let is_wanted = true;
    const asking = setTimeout(() => {
      call("approvals.coverage", { token, target }).then(
        (answer) => {
          if (!is_wanted) return;
          setCoverage({ target, ...answer });
          setError(undefined);
        },
        (failure: unknown) => {
          if (is_wanted) setError(asGateError(failure));
        },
      );
    }, TYPING_MS);
    return () => {
      is_wanted = false;
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
