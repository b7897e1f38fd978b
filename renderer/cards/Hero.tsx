import { visible } from "../../ipc/base/visible-text.ts";
import type { StandsFor } from "../../ipc/contract/description.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import type { ShownCall } from "../../ipc/words/shown-call.ts";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { ArgumentsBlock } from "./ArgumentsBlock.tsx";
import { ChangeBlock } from "./ChangeBlock.tsx";
import { ChangeName } from "./ChangeName.tsx";
import { ColouredText, CommandBlock, LineNumber } from "./CommandBlock.tsx";
import { PathText } from "./PathText.tsx";
import { PartEnd } from "./read-to-end.tsx";
import { TextBlock } from "./TextBlock.tsx";
import { ToolBlock } from "./ToolBlock.tsx";

interface HeroProps {
  view: Pick<ApprovalView, "description" | "cwd" | "target_summary"> & Partial<Pick<ApprovalView, "mcp">>;
  shown: ShownCall;
}

/** The thing itself: all that would be done, each part up to its end. */
export function Hero({ view, shown }: HeroProps) {
  const words = useWords(cardWords);
  const { description, cwd } = view;
  const { object, beside } = shown;
  const { commands = [], changes = [], stands_for = [], hazards = [] } = description ?? {};
  const isOwn = commands.length > 0 || changes.length > 0 || object !== null;
  const hasBeside = Object.keys(beside).length > 0;
  return (
    <div className="hero">
      {view.mcp == null ? null : <ToolBlock tool={view.mcp} />}
      {object?.kind === "url" ? (
        <RequestLine method={description?.request?.method} {...object} host={strongIn(object.host, description)} />
      ) : null}
      {commands.map((command, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the commands of a call never change
        <CommandBlock key={index} command={command} hazards={hazards} />
      ))}
      {changes.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the changes of a call never change
        <div key={index} className="change">
          {changes.length > 1 ? <ChangeName change={change} cwd={cwd} /> : null}
          <ChangeBlock change={change} />
        </div>
      ))}
      {stands_for.map((one) => (
        <StandsForBlock key={`${one.name} ${one.file}`} stands_for={one} cwd={cwd} />
      ))}
      {hasBeside ? (
        <div className={isOwn ? "beside" : undefined}>
          <ArgumentsBlock args={beside} label={isOwn ? words.besides : words.theArguments} />
        </div>
      ) : null}
      {!isOwn && !hasBeside && description?.kind !== "mcp" ? (
        <p className="object">
          <VisibleText text={view.target_summary} />
        </p>
      ) : null}
      <PartEnd />
    </div>
  );
}

/** Of the host the domain that somebody has registered, where that is known: what comes before it is anybody's. */
function strongIn(
  [start, end]: readonly [number, number],
  description: HeroProps["view"]["description"],
): readonly [number, number] {
  const reached = description?.to?.find(({ kind, host }) => kind === "host" && host === description.request?.host);
  const domain = reached?.domain ?? null;
  if (domain === null || reached?.host == null) return [start, end];
  // In another spelling its letters are elsewhere.
  return reached.host.length === end - start ? [start + domain[0], start + domain[1]] : [start, end];
}

/** `GET https://host/path`, its domain strong. */
function RequestLine({
  method,
  text,
  host: [start, end],
}: {
  method: string | undefined;
  text: string;
  host: readonly [number, number];
}) {
  return (
    <div className="block mono request">
      {method === undefined ? null : (
        <span className="method">
          <VisibleText text={method} />{" "}
        </span>
      )}
      <VisibleText text={text.slice(0, start)} />
      <strong>
        <VisibleText text={text.slice(start, end)} />
      </strong>
      <VisibleText text={text.slice(end)} />
    </div>
  );
}

/** What a name in a command would run, read from its file. */
function StandsForBlock({ stands_for, cwd }: { stands_for: StandsFor; cwd: string | null }) {
  const words = useWords(cardWords);
  const { name, file, lines, total_lines, has_changed, tokens = [], marks = [], unread = [] } = stands_for;
  const text = lines.join("\n");
  const starts = lines.map((_, index) => lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0));
  const lineAt = (index: number) => {
    const [start = 0, line = ""] = [starts[index], lines[index]];
    return <ColouredText text={text} tokens={tokens} marks={marks} row={{ start, end: start + line.length }} />;
  };
  return (
    <div className="runs-file">
      {has_changed ? <p className="has-changed">{words.anotherScript}</p> : null}
      <p className="quiet">
        <PathText path={file} cwd={cwd} />
        {lines.length === 0 ? ` · ${words.unreadable}` : null}
        {lines.length === 1 && total_lines <= 1 ? (
          <span className="mono">
            {": "}
            <code className="only-line command">{lineAt(0)}</code>
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
          startsAt={Math.max(
            0,
            starts.findLastIndex((start) => start <= Math.min(...marks.map((mark) => mark.start))),
          )}
          label={visible(words.standsFor(name))}
          look="command numbered script"
          row={(index) => (
            <div key={index} className="line">
              <LineNumber number={index + 1} />
              <code>{lineAt(index)}</code>
            </div>
          )}
        />
      )}
      {unread.length === 0 ? null : <p className="quiet">{visible(words.notRead(unread))}</p>}
    </div>
  );
}
