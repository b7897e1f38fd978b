import { useState } from "react";
import { shortenHome } from "../../ipc/base/visible-text.ts";
import type { Hazard } from "../../ipc/contract/description.ts";
import { hazardText } from "../../ipc/words/hazard-words.ts";
import { useHome } from "../gate/use-home.tsx";
import { Button } from "../parts/Button.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useLanguage, useWords } from "../words/language.ts";

/** More hazards than these are counted. */
const HAZARDS_SAID = 3;

/** The only red of a card, and only where something is dangerous. The worst first. */
export function Hazards({ hazards }: { hazards: readonly Hazard[] }) {
  const words = useWords(cardWords);
  const language = useLanguage();
  const home = useHome();
  const [is_whole, setWhole] = useState(false);
  const said = is_whole ? hazards : hazards.slice(0, HAZARDS_SAID);
  return (
    <div className="hazards">
      {said.map(({ path, ...hazard }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two hazards may have the same words
        <p key={index} className="hazard">
          <VisibleText
            text={hazardText(
              path === undefined ? hazard : { ...hazard, path: home === null ? path : shortenHome(path, home) },
              language,
            )}
          />
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
