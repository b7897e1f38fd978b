/** What the model as judge says where it could not answer: sentences of the gate's own, in every record. Plain values: the page loads it. */
export const JUDGE_FALLBACKS = {
  "parse-fail": "llm-judge fallback (parse fail)",
  "router-missing": "llm-judge fallback (router missing)",
  "chat-failed": "llm-judge fallback (chat failed)",
} as const;
export type JudgeFallback = keyof typeof JUDGE_FALLBACKS;

/** Which of them a sentence is; undefined where it is none. */
export function fallbackSaid(sentence: string): JudgeFallback | undefined {
  const names = Object.keys(JUDGE_FALLBACKS) as JudgeFallback[];
  return names.find((name) => JUDGE_FALLBACKS[name] === sentence);
}
