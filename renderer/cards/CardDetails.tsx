import { type ReactNode, useMemo } from "react";
import type { DescribedCommand } from "../../ipc/contract/description.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { confinedMeaning, toolText } from "../../ipc/words/box-words.ts";
import { saysSomething } from "../../ipc/words/judge-words.ts";
import { useHome } from "../gate/use-home.tsx";
import { RelativeTime } from "../parts/RelativeTime.tsx";
import { ReviewText } from "../parts/ReviewText.tsx";
import { Target } from "../parts/Target.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { boxWords } from "../words/box.ts";
import { type CardWords, cardWords } from "../words/cards.ts";
import { useLanguage, useWords } from "../words/language.ts";
import { mcpWords } from "../words/mcp.ts";
import { ArgumentsBlock } from "./ArgumentsBlock.tsx";
import { JUDGES_SAID } from "./CardNotes.tsx";
import { EndsProvider } from "./read-to-end.tsx";
import { WrittenText } from "./ToolBlock.tsx";

/** Everything about a request: what each part of a command touches, the judge, and the call as the agent sent it. */
export function CardDetails({ view }: { view: ApprovalView }) {
  const words = useWords(cardWords);
  const box = useWords(boxWords);
  const mcp = useWords(mcpWords);
  const language = useLanguage();
  const home = useHome();
  const commands = view.description?.commands ?? [];
  const said = view.reviews.filter(saysSomething).slice(0, JUDGES_SAID);
  const parts = commands.reduce((sum, command) => sum + command.parts.length, 0);
  return (
    <div className="details">
      {parts < 2 ? null : (
        <ol className="parts">
          {commands.flatMap((command) => command.parts.map((part) => <Part key={part.start} {...{ command, part }} />))}
        </ol>
      )}
      <dl>
        <Fact name={words.folder}>{view.cwd === null ? words.noFolder : <Target text={view.cwd} />}</Fact>
        <Fact name={words.asked}>
          <RelativeTime at={view.created_at} />
        </Fact>
        {view.user_words === null ? null : (
          <Fact name={words.youAsked}>
            <span className="user-words">
              <VisibleText text={view.user_words} keepNewlines />
            </span>
          </Fact>
        )}
        {/* A model's own words are below. */}
        {view.reviews.some(({ stage }) => stage === "judge") ? null : (
          <Fact name={words.judge}>
            <VisibleText text={judged(view, words)} />
          </Fact>
        )}
        {view.reviews.map((review, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what the judges found never changes
          <Fact key={index} name={review.stage === "judge" ? words.judge : words.validator}>
            <ReviewText review={review} isSaid={said.includes(review)} />
          </Fact>
        ))}
        {view.confined === null ? null : (
          <Fact name={box.box}>
            <VisibleText text={confinedMeaning(view.confined, home, language)} />
          </Fact>
        )}
        <Fact name={words.needs}>
          {view.capabilities.map(({ capability, target }) => (
            <span key={`${capability} ${target}`} className="stored">
              {/* The command itself is above, as it is. */}
              {capability} {capability === "code:exec" ? null : words.on}{" "}
              {capability === "code:exec" ? null : <Target text={target} />}
            </span>
          ))}
        </Fact>
        <Fact name={words.tool}>
          <span className="mono">
            <VisibleText text={toolText(view.executor, language)} />
          </span>
        </Fact>
      </dl>
      <EndsProvider ends={null}>
        {view.mcp === null || view.mcp.input_schema === "" ? null : (
          <>
            <p className="quiet">{mcp.arguments}</p>
            <WrittenText text={view.mcp.input_schema} label={mcp.arguments} />
          </>
        )}
        <WholeCall view={view} words={words} />
      </EndsProvider>
    </div>
  );
}

function WholeCall({ view, words }: { view: ApprovalView; words: CardWords }) {
  const args = useMemo(() => view.args ?? {}, [view.args]);
  if (Object.keys(args).length === 0) return <p className="quiet">{words.noArguments}</p>;
  return <ArgumentsBlock args={args} label={words.wholeCall} />;
}

function Part({ command, part }: { command: DescribedCommand; part: DescribedCommand["parts"][number] }) {
  const words = useWords(cardWords);
  return (
    <li>
      <code className="mono">
        <VisibleText text={command.text.slice(part.start, part.end)} />
      </code>
      <span className="quiet">
        {part.needs.map(({ capability, target }) => (
          <span key={`${capability} ${target}`} className="stored">
            {capability} {capability === "code:exec" ? null : <Target text={target} />}
          </span>
        ))}
        {part.needs.length === 0 ? <span className="stored">{words.touchesNothing}</span> : null}
        {part.unclear === null ? null : (
          <span className="stored">
            <VisibleText text={part.unclear} />
          </span>
        )}
      </span>
    </li>
  );
}

/** `score 0.80, intent matches`; the gate's own sentence where it names no notes, as one of an earlier version does. */
function judged({ judge: { score, reason, notes } }: ApprovalView, words: CardWords): string {
  if (notes === undefined && reason !== "") return reason;
  return [words.scored(score.toFixed(2)), ...(notes ?? []).map((note) => words.notes[note])].join(", ");
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt>
        <VisibleText text={name} />
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
