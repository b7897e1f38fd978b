import { useMemo } from "react";
import { visible } from "../../ipc/base/visible-text.ts";
import type { AskedTool } from "../../ipc/contract/mcp.ts";
import { toolStateText, toolWarning } from "../../ipc/words/mcp-words.ts";
import { VisibleText } from "../parts/VisibleText.tsx";
import { useLanguage } from "../words/language.ts";
import { mcpWords } from "../words/mcp.ts";
import { ChangeBlock } from "./ChangeBlock.tsx";
import { lineRows } from "./call-text.ts";
import { TextBlock } from "./TextBlock.tsx";

/** What a server says of its tool, where the user has not allowed it as it is now: its own words, or what has changed of them. */
export function ToolBlock({ tool }: { tool: AskedTool }) {
  const language = useLanguage();
  const words = mcpWords[language];
  const { state, server, description, difference } = tool;
  const warning = toolWarning(tool, language);
  return (
    <div className="mcp-tool">
      {warning === null ? null : (
        <p className="has-changed">
          <VisibleText text={warning} />
        </p>
      )}
      {difference === null ? null : <ChangeBlock change={difference} />}
      {state === "looks" || warning !== null ? null : (
        <p className="quiet">
          <VisibleText
            text={`${toolStateText(tool, language)}. ${saying(tool, words.says(server), words.saysNothing(server))}`}
          />
        </p>
      )}
      {difference === null && state !== "looks" && description !== "" ? (
        <WrittenText text={description} label={visible(words.definition(tool.tool))} />
      ) : null}
    </div>
  );
}

const saying = ({ description }: AskedTool, says: string, nothing: string) => (description === "" ? nothing : says);

/** Words of the server's, as they are. */
export function WrittenText({ text, label }: { text: string; label: string }) {
  const rows = useMemo(() => text.split("\n").flatMap((line) => lineRows(line)), [text]);
  return (
    <TextBlock
      count={rows.length}
      lengthOf={(index) => (rows[index]?.end ?? 0) - (rows[index]?.start ?? 0)}
      label={label}
      look="script"
      row={(index) => {
        const { line = "", start = 0, end = 0 } = rows[index] ?? {};
        const row = line.slice(start, end);
        return (
          <div key={index} className="line">
            <code>
              <VisibleText text={row} keepNewlines />
              {row === "" ? <br /> : null}
            </code>
          </div>
        );
      }}
    />
  );
}
