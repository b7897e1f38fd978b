/**
 * What a model answers, without what it thought first: `<think>...</think>`. A draft in its thoughts is no answer.
 * Null where they don't end: the answer was cut off before it began.
 */
export function withoutThoughts(text: string): string | null {
  const begun = /^\s*<(think|thinking|thought|reasoning)>/i.exec(text);
  if (begun === null) return text;
  const end = `</${(begun[1] ?? "").toLowerCase()}>`;
  const at = text.toLowerCase().indexOf(end, begun[0].length);
  return at === -1 ? null : text.slice(at + end.length);
}
