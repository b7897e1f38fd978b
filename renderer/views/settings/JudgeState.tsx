import type { JudgeStatus, ModelStatus } from "../../../ipc/contract/judges.ts";
import { measuredText, modelProblemText, modelUseText } from "../../../ipc/words/judge-words.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { judgeWords } from "../../words/judges.ts";
import { useLanguage, useWords } from "../../words/language.ts";

/** The judges as they are: each model with its use of the day and how good it was found to be, then the validators. */
export function JudgeState() {
  const { data, error } = useQuery("judge.status", {});
  if (data === undefined) return <Failure error={error} />;
  const { kind, models, validators } = data;
  // Where the rules alone judge, the settings above have said it.
  if (kind === "rule-based-v1" && models.length === 0 && validators.length === 0) return null;
  return <Judges status={data} />;
}

function Judges({ status }: { status: JudgeStatus }) {
  const words = useWords(judgeWords);
  const { kind, kind_now, model, models, validators, llm_threshold } = status;
  return (
    <div className="judge-state">
      <h3>{words.status}</h3>
      {kind === kind_now ? null : <p className="why-not">{words.nowRules}</p>}
      {kind === "llm-v1" && model === null ? <p className="why-not">{words.noModel}</p> : null}
      <ul>
        {models.map((one) => (
          <Model
            key={one.name}
            model={one}
            threshold={kind === "llm-v1" && one.name === model ? llm_threshold : null}
          />
        ))}
      </ul>
      {validators.length === 0 ? null : <Validators validators={validators} />}
      <p className="quiet">{words.elsewhere}</p>
    </div>
  );
}

/** @param threshold of the judge that asks it; null where none does */
function Model({ model, threshold }: { model: ModelStatus; threshold: number | null }) {
  const words = useWords(judgeWords);
  const language = useLanguage();
  const notes = [
    ...(threshold === null ? [] : [words.usedBy(threshold.toLocaleString(language))]),
    ...(model.is_online ? [words.online] : []),
  ];
  return (
    <li>
      <p>
        <b>
          <VisibleText text={words.model(model.name, model.model, model.host)} />
        </b>
        {notes.length === 0 ? null : <span className="quiet"> ({notes.join(", ")})</span>}
      </p>
      {model.problem === null ? null : (
        <p className="why-not">{words.cannot(modelProblemText(model.problem, language))}</p>
      )}
      <p className="figures">{modelUseText(model, language)}</p>
      <p className={model.measured === null ? undefined : "quiet"}>
        <VisibleText text={measuredText(model.measured, language)} />
      </p>
    </li>
  );
}

function Validators({ validators }: { validators: JudgeStatus["validators"] }) {
  const words = useWords(judgeWords);
  const language = useLanguage();
  const figure = (value: number) => value.toLocaleString(language, { minimumFractionDigits: 2 });
  return (
    <>
      <h3>{words.validators}</h3>
      <ol>
        {validators.map(({ judge_agent, criteria, min_score, min_confidence }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are in gate.toml's order
          <li key={index}>
            <p>
              <b>
                <VisibleText text={judge_agent} />
              </b>
              <span className="quiet">
                {" "}
                {words.atLeast(figure(min_score))}
                {min_confidence === 0 ? null : ` ${words.confidentAtLeast(figure(min_confidence))}`}
              </span>
            </p>
            <p className="criteria">
              <VisibleText text={criteria} keepNewlines />
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}
