import { Fragment } from "react";
import { visible, visibleParts } from "../../ipc/base/visible-text.ts";

/** Text from outside: characters that hide, move or recolour others, or pass for other letters, are shown as codes, and set off from what was typed. */
export function VisibleText({ text, keepNewlines = false }: { text: string; keepNewlines?: boolean }) {
  const options = { keepNewlines: keepNewlines };
  if (visible(text, options) === text) return text;
  // From the raw text: one that merely spells `\u{202e}` isn't marked as one.
  let at = 0;
  return visibleParts(text, options).map((part) => {
    const key = at;
    at += part.text.length;
    return part.isCode ? (
      <span key={key} className="hidden-character">
        {part.text}
      </span>
    ) : (
      <Fragment key={key}>{part.text}</Fragment>
    );
  });
}
