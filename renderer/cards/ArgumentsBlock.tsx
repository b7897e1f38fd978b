import { useMemo } from "react";
import { VisibleText } from "../parts/VisibleText.tsx";
import { callRows } from "./call-text.ts";
import { TextBlock } from "./TextBlock.tsx";

/** Arguments in two columns: names, and values of any length. */
export function ArgumentsBlock({ args, label }: { args: Readonly<Record<string, unknown>>; label: string }) {
  const rows = useMemo(() => callRows(args), [args]);
  return (
    <TextBlock
      count={rows.length}
      lengthOf={(index) => (rows[index]?.text.length ?? 0) + 20}
      label={label}
      look="arguments"
      row={(index) => {
        const { name = "", text = "" } = rows[index] ?? {};
        return (
          <div key={index} className="argument">
            <span className="name">
              <VisibleText text={name} />
            </span>
            <code>
              <VisibleText text={text} keepNewlines />
              {text === "" ? <br /> : null}
            </code>
          </div>
        );
      }}
    />
  );
}
