export type { JudgeParts, Judges } from "./judge-parts.ts";
export { CurrentJudges } from "./judges.ts";

/** What takes secrets out of a text: see there. Loaded when it is asked for. */
export async function secretsMask(): Promise<(text: string) => string> {
  return (await import("./reviews/sent/masked-secrets.ts")).withoutSecrets;
}
