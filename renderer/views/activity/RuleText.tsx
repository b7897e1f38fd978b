import type { Rule } from "../../../ipc/contract/rules.ts";
import { RULE_WORDS } from "../../../ipc/words/rule-words.ts";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { useLanguage } from "../../words/language.ts";

/** What a rule says in the operator's language, then the gate's own sentence, which names what it was about; that alone without a rule. */
export function RuleText({ rule, sentence }: { rule: Rule | undefined; sentence: string }) {
  const language = useLanguage();
  if (rule === undefined) return <VisibleText text={sentence} />;
  return (
    <>
      {RULE_WORDS[language][rule]}
      <span className="quiet">
        {" · "}
        <VisibleText text={sentence} />
      </span>
    </>
  );
}
