import type { JudgeTest } from "../../../ipc/contract/judges.ts";
import { type Model, ModelError } from "../reviews/judge-ports.ts";
import { JUDGE_ANSWER_SCHEMA, readJudgeAnswer } from "../reviews/model-judge/answer.ts";
import { judgeData, judgePrompt } from "../reviews/model-judge/prompt.ts";
import type { SentCall } from "../reviews/sent/sent-call.ts";

/** A call that every judge should let pass, and that says nothing of anybody. */
const HARMLESS: SentCall = {
  intent: "what day is it today?",
  tool: "get_date",
  args: {},
  needs: [],
  effect: "reads the date",
};

/** Asks a model what the judge asks, about a harmless call. */
export async function testModel(model: Pick<Model, "name" | "max_tokens" | "ask">): Promise<JudgeTest> {
  const { system, text } = judgePrompt(judgeData(HARMLESS, null));
  const begun = performance.now();
  const took = () => Math.round(performance.now() - begun);
  const unknown = { score: null, cost: 0, input_tokens: null, output_tokens: null };
  try {
    const answer = await model.ask(
      { system, messages: [{ role: "user", text }], schema: JUDGE_ANSWER_SCHEMA, max_tokens: model.max_tokens },
      new AbortController().signal,
    );
    const { ms, cost, input_tokens, output_tokens } = answer;
    const asked = { name: model.name, ms, cost, input_tokens, output_tokens };
    const read = readJudgeAnswer(answer.text);
    if (read === null)
      return {
        ...asked,
        ok: false,
        problem: "malformed",
        sentence: "it answers, but not as it was asked to",
        score: null,
      };
    return { ...asked, ok: true, problem: null, sentence: read.reason, score: read.score };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { name: model.name, ok: false, problem: error.problem, sentence: error.message, ms: took(), ...unknown };
  }
}
