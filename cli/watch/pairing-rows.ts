import { visible } from "../../ipc/base/visible-text.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { PairingRequest } from "../../ipc/contract/operator-api.ts";
import { PAIRING_WORDS } from "../../ipc/words/pairing-words.ts";
import { folded, type Row } from "./rows.ts";

/** The card of an agent that asks to be paired: no level is preset. */
export function pairingRows(request: PairingRequest, position: string, width: number, language: Language): Row[] {
  const words = PAIRING_WORDS[language];
  const version = request.version === null ? "" : words.version(visible(request.version));
  const right = folded([version, position].filter(Boolean).join("  ·  "), width, 1)[0] ?? "";
  const of = (text: string, most: number, tone: Row["tone"]): Row[] =>
    folded(text, width, most).map((part) => ({ text: part, tone }));
  const keys = [
    ["r", "ReadOnly"],
    ["s", "Supervised"],
    ["f", "Full"],
  ] as const;
  return [
    { text: "", tone: "quiet", right },
    ...of(words.question(visible(request.name)), 2, "strong"),
    ...of(words.meta, 3, "quiet"),
    ...keys.flatMap(([key, level]) => {
      const [name, detail] = words.level[level];
      return of(`${key}  ${name}: ${detail}`, 4, "plain");
    }),
  ];
}
