import { visible } from "../../ipc/base/visible-text.ts";
import type { Answer, ApprovalView } from "../../ipc/contract/operator-api.ts";
import { Button } from "../parts/Button.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import type { FilteredPresses } from "./use-press-filter.ts";

interface RefuseRowProps {
  view: ApprovalView;
  guarded: FilteredPresses;
  onAnswer(answer: Answer): void;
}

/** A no that holds for the session: it is denied from then on without asking. */
export function RefuseRow({ view, guarded, onAnswer }: RefuseRowProps) {
  const words = useWords(cardWords);
  if (view.refusals.length === 0) return null;
  return (
    <div className="refuse">
      <p className="quiet">{words.denyForSession}</p>
      <div className="row">
        {view.refusals.map(({ refuse, targets }) => (
          <Button
            key={refuse}
            size="small"
            title={
              targets.length === 0
                ? undefined
                : visible(targets.map(({ capability, target }) => `${capability} ${words.on} ${target}`).join("; "))
            }
            onClick={guarded.answers(() => onAnswer({ token: view.token, decision: "rejected", refuse }))}
          >
            {refuse === "call" ? words.refuseCall : <VisibleText text={words.refuseTarget(refusedText(targets))} />}
          </Button>
        ))}
      </div>
    </div>
  );

  function refusedText(targets: ApprovalView["refusals"][number]["targets"]): string {
    const [first, ...more] = targets;
    if (first === undefined) return "";
    const name = first.target.split("/").filter(Boolean).at(-1) ?? first.target;
    return `${words.doing(first.capability)} ${name}${more.length > 0 ? ` ${words.andMore(more.length)}` : ""}`;
  }
}
