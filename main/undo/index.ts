export { Undo } from "./undo.ts";
