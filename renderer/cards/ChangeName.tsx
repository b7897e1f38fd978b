import type { DescribedChange } from "../../ipc/contract/description.ts";
import { type CardWords, cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { PathText } from "./PathText.tsx";

/** `src/ledger.ts · +2 −1`. */
export function ChangeName({ change, cwd }: { change: DescribedChange; cwd: string | null }) {
  const words = useWords(cardWords);
  return (
    <p className="change-name">
      <PathText path={change.path} cwd={cwd} />
      <span className="quiet figures"> · {changeText(change, words)}</span>
    </p>
  );
}

export function changeText({ status, added, removed, old_lines }: DescribedChange, words: CardWords): string {
  const lines = old_lines ?? removed;
  const said = {
    new: words.newFile,
    replaces: words.replaces(lines),
    deletes: words.deletes(lines),
    edits: null,
    unknown: words.notCompared,
  }[status];
  const counts = status === "deletes" || status === "new" ? null : `+${added} −${removed}`;
  return [said, counts, status === "new" ? words.lines(added) : null].filter((part) => part !== null).join(" · ");
}
