export { gitProblem } from "./git-program.ts";
export { Undo } from "./undo.ts";
