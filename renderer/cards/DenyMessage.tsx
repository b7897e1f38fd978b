import { useEffect, useRef, useState } from "react";
import { Button } from "../parts/Button.tsx";
import { Field } from "../parts/Field.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import type { FilteredPresses } from "./use-press-filter.ts";

interface DenyMessageProps {
  guarded: FilteredPresses;
  is_sending: boolean;
  onDeny(message: string): void;
  onCancel(): void;
}

/** Longer messages are refused by the gate. */
const MAX_MESSAGE = 2000;

/** A no with a reason, which the agent reads. */
export function DenyMessage({ guarded, is_sending, onDeny, onCancel }: DenyMessageProps) {
  const words = useWords(cardWords);
  const [message, setMessage] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <form
      className="deny-message"
      onSubmit={(event) => {
        event.preventDefault();
        guarded.answers(() => onDeny(message))({ detail: 0 });
      }}
    >
      <Field label={words.whyNot}>
        {(id) => (
          <input
            ref={input}
            id={id}
            className="input"
            value={message}
            maxLength={MAX_MESSAGE}
            onChange={({ target }) => setMessage(target.value)}
          />
        )}
      </Field>
      <div className="row ends">
        <Button onClick={onCancel}>{words.cancel}</Button>
        <button type="submit" className="button" disabled={is_sending || message.trim() === ""}>
          {words.sendDenial}
        </button>
      </div>
    </form>
  );
}
