import { useState } from "react";
import { Button } from "../parts/Button.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";

/** More hazards than these are counted. */
const HAZARDS_SAID = 3;

/** The only red of a card, and only where something is dangerous. The worst first. */
export function Hazards({ hazards }: { hazards: readonly string[] }) {
  const words = useWords(cardWords);
  const [isWhole, setWhole] = useState(false);
  const said = isWhole ? hazards : hazards.slice(0, HAZARDS_SAID);
  if (hazards.length === 0) return null;
  return (
    <div className="hazards">
      {said.map((sentence, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two hazards may have the same words
        <p key={index} className="hazard">
          <VisibleText text={sentence} />
        </p>
      ))}
      {said.length === hazards.length ? null : (
        <Button look="plain" size="small" aria-expanded={false} onClick={() => setWhole(true)}>
          {words.andMore(hazards.length - said.length)}
        </Button>
      )}
    </div>
  );
}
