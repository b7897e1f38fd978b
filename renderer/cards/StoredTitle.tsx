import type { ReactNode } from "react";
import { shortenHome, visible } from "../../ipc/base/visible-text.ts";
import type { Choice } from "../../ipc/contract/operator-api.ts";
import { useHome } from "../gate/use-home.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";

/** Exactly what a choice would store, as a title. */
export function StoredTitle({ choice, children }: { choice: Choice; children(title: string): ReactNode }) {
  const home = useHome();
  const words = useWords(cardWords);
  const stored = choice.grants.map(({ capability, target }) => {
    return `${words.doing(capability)} ${home === null ? target : shortenHome(target, home)}`;
  });
  return children(visible([...stored, ...(choice.excludes === undefined ? [] : [choice.excludes])].join("; ")));
}
