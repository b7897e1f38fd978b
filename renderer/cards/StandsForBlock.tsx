import { visible } from "../../ipc/base/visible-text.ts";
import type { StandsFor } from "../../ipc/contract/description.ts";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { LineNumber } from "./CommandBlock.tsx";
import { PathText } from "./PathText.tsx";
import { TextBlock } from "./TextBlock.tsx";

/** What a name in a command would run, read from its file. */
export function StandsForBlock({ stands_for, cwd }: { stands_for: StandsFor; cwd: string | null }) {
  const words = useWords(cardWords);
  const { name, file, lines, total_lines, has_changed } = stands_for;
  const [only = ""] = lines;
  return (
    <div className="runs-file">
      {has_changed ? <p className="has-changed">{words.anotherScript}</p> : null}
      <p className="quiet">
        <PathText path={file} cwd={cwd} />
        {lines.length === 0 ? ` · ${words.unreadable}` : null}
        {lines.length === 1 && total_lines <= 1 ? (
          <span className="mono">
            {": "}
            <code className="only-line">
              <VisibleText text={only} keepNewlines />
            </code>
          </span>
        ) : null}
        {lines.length < total_lines && lines.length > 0 ? (
          <span className="figures"> · {words.firstOf(lines.length, total_lines)}</span>
        ) : null}
      </p>
      {total_lines <= 1 || lines.length === 0 ? null : (
        <TextBlock
          count={lines.length}
          lengthOf={(index) => lines[index]?.length ?? 0}
          label={visible(words.standsFor(name))}
          look="numbered script"
          row={(index) => (
            <div key={index} className="line">
              <LineNumber number={index + 1} />
              <code>
                <VisibleText text={lines[index] ?? ""} keepNewlines />
                {lines[index] === "" ? <br /> : null}
              </code>
            </div>
          )}
        />
      )}
    </div>
  );
}
