import { type ReactNode, useId, useRef, useState } from "react";
import type { Level } from "../../ipc/contract/decision.ts";
import { asGateError, type GateError } from "../../ipc/contract/gate-error.ts";
import type { PairingRequest } from "../../ipc/contract/operator-api.ts";
import { LEVELS } from "../gate/contract-lists.ts";
import { useCall } from "../gate/use-gate.tsx";
import { Button } from "../parts/Button.tsx";
import { Failure } from "../parts/Failure.tsx";
import { RelativeTime } from "../parts/RelativeTime.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { usePressFilter } from "./use-press-filter.ts";
import "./cards.css";

/** An agent that isn't paired yet. No level is preselected: the user chooses what it may do. */
export function PairingCard({ request }: { request: PairingRequest }) {
  const words = useWords(cardWords);
  const titleId = useId();
  const card = useRef<HTMLElement>(null);
  const call = useCall();
  const [level, setLevel] = useState<Level | null>(null);
  const [error, setError] = useState<GateError | undefined>();
  const [isSending, setSending] = useState(false);
  const guarded = usePressFilter(card, "");
  const { name, version } = request;

  /** Never rejects: what failed is shown on the card. */
  const send = async (sending: Promise<unknown>) => {
    if (isSending) return; // a button that is disabled loses the focus
    setSending(true);
    setError(
      await sending.then(
        () => undefined,
        (failure: unknown) => asGateError(failure),
      ),
    );
    setSending(false);
  };

  return (
    <article ref={card} className="card full pairing" aria-labelledby={titleId} {...guarded.presses}>
      <header className="head">
        <h2 id={titleId} className="question">
          <VisibleText text={words.pairing.question(name)} />
        </h2>
        <p className="who">
          {version === null ? null : (
            <span>
              <VisibleText text={words.pairing.version(version)} />
              {" · "}
            </span>
          )}
          <RelativeTime at={request.requested_at} />
        </p>
      </header>
      <p className="meta">{words.pairing.meta}</p>
      <ChoiceList<Level>
        legend={words.pairing.levels}
        items={LEVELS.map((value): ChoiceItem<Level> => {
          const [label, detail] = words.pairing.level[value];
          return { value, label, detail };
        })}
        chosen={level}
        onChoose={setLevel}
      />
      <div className="row answers" data-answers="">
        <Button data-deny="" onClick={guarded.answers(() => void send(call("agents.reject", { name })))}>
          {words.pairing.reject}
        </Button>
        <Button
          disabled={level === null}
          aria-description={level === null ? words.pairing.choose : undefined}
          onClick={guarded.answers(() => {
            if (level !== null) void send(call("agents.pair", { name, level }));
          })}
        >
          {words.pairing.pair}
        </Button>
      </div>
      {level === null ? <p className="quiet hint">{words.pairing.choose}</p> : null}
      <p className="quiet hint" role="status">
        {guarded.wasTooSoon ? words.tooSoon : null}
      </p>
      <Failure error={error} />
    </article>
  );
}

interface ChoiceItem<V extends string> {
  value: V;
  label: ReactNode;
  /** Beneath the label, quieter. */
  detail?: ReactNode;
}

interface ChoiceListProps<V extends string> {
  legend: string;
  items: readonly ChoiceItem<V>[];
  chosen: V | null;
  onChoose(value: V): void;
  /** Where the surroundings already say it. */
  hidesLegend?: boolean;
}

/** One of a few, as sentences. Arrow keys move, as in any radio group. */
function ChoiceList<V extends string>({ legend, items, chosen, onChoose, hidesLegend }: ChoiceListProps<V>) {
  const name = useId();
  return (
    <fieldset className="choices">
      <legend className={hidesLegend ? "unseen" : "quiet"}>{legend}</legend>
      {items.map(({ value, label, detail }) => (
        <label key={value} className="choice">
          <input type="radio" name={name} value={value} checked={value === chosen} onChange={() => onChoose(value)} />
          <span>{label}</span>
          {detail === undefined ? null : <span className="detail quiet">{detail}</span>}
        </label>
      ))}
    </fieldset>
  );
}
