export { isGitThere } from "./git-program.ts";
export { Undo } from "./undo.ts";
