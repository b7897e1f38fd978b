export type { JudgeParts, Judges } from "./judge-parts.ts";
export { openJudges } from "./judges.ts";
