import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { verbAsked } from "../../ipc/words/box-words.ts";
import type { CardFacts } from "../../ipc/words/card-facts.ts";
import type { ShownCall } from "../../ipc/words/shown-call.ts";
import { Target } from "../parts/Target.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { type CardWords, cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { changeText } from "./ChangeName.tsx";
import { TimeLeft } from "./Countdown.tsx";
import { PathText } from "./PathText.tsx";

interface CardHeadProps {
  view: ApprovalView;
  facts: CardFacts;
  shown: ShownCall;
  title_id: string;
}

/** The question, what it is about where that fits in a line, the folder, who asks and how long there is. */
export function CardHead({ view, facts, shown, title_id }: CardHeadProps) {
  const words = useWords(cardWords);
  const { cwd, description } = view;
  const [change, ...others] = description?.changes ?? [];
  const path =
    others.length > 0 ? undefined : (change?.path ?? (shown.object?.kind === "path" ? shown.object.text : undefined));
  return (
    <header className="head">
      <div className="asked">
        <h2 id={title_id} className="question">
          <VisibleText text={questionText(view, facts, words)} />
        </h2>
        {/* Its question is about all of these calls: what each of them does. */}
        {view.repeated === null ? null : (
          <span>
            <VisibleText text={view.action_verb} />
          </span>
        )}
        {path === undefined ? null : (
          <span className="head-object">
            <PathText path={path} cwd={cwd} />
          </span>
        )}
        {cwd === null ? null : (
          <span className="quiet">
            {words.inFolder} <Target text={cwd} width={44} />
          </span>
        )}
        {change === undefined || others.length > 0 ? null : (
          <span className="quiet figures">{changeText(change, words)}</span>
        )}
      </div>
      <p className="who">
        <span className="agent">
          <VisibleText text={view.agent_name} />
        </span>
        {view.subagent === null ? null : (
          <span className="subagent">
            {" ("}
            <VisibleText text={view.subagent} />)
          </span>
        )}
        <span aria-hidden="true"> · </span>
        <TimeLeft token={view.token} expires_at={view.expires_at} />
      </p>
    </header>
  );
}

function questionText(view: ApprovalView, { again }: CardFacts, words: CardWords): string {
  if (again !== null) return `${again.said}. ${again.question}`;
  const mcp = view.description?.mcp ?? null;
  return mcp === null
    ? words.question(verbAsked(view))
    : words.toolQuestion(mcp.server, mcp.tool.replaceAll("_", " ").trim());
}
