import { Fragment } from "react";
import { visible } from "../../ipc/visible-text.ts";

/** How `visible` writes a character that can't be seen. */
const CODE = /(\\u\{[0-9a-f]+\})/;

/** Text from outside: characters that hide, move or recolour others are shown as codes, and stand out from what was typed. */
export function VisibleText({ text, keepNewlines = false }: { text: string; keepNewlines?: boolean }) {
  // The raw text is cut at its hidden characters first: one that merely spells `\u{202e}` isn't marked as one.
  return splitAtHidden(text, keepNewlines).map(({ part, is_code, at }) =>
    is_code ? (
      <span key={at} className="hidden-character">
        {part}
      </span>
    ) : (
      <Fragment key={at}>{part}</Fragment>
    ),
  );
}

interface Part {
  part: string;
  is_code: boolean;
  at: number;
}

function splitAtHidden(text: string, keep_newlines: boolean): Part[] {
  const parts: Part[] = [];
  let plain = "";
  let at = 0;
  const flush = () => {
    if (plain !== "") parts.push({ part: plain, is_code: false, at: at++ });
    plain = "";
  };
  if (visible(text, { keep_newlines }) === text) return [{ part: text, is_code: false, at: 0 }];
  for (const character of text) {
    const shown = visible(character, { keep_newlines });
    if (shown !== character && CODE.test(shown)) {
      flush();
      parts.push({ part: shown, is_code: true, at: at++ });
    } else plain += shown;
  }
  flush();
  return parts;
}
