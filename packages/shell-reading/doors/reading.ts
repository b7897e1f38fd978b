/** A command line as a shell would read it: its commands, what they touch, and what the line needs. */

export { type LineNeeds, needsOfLine } from "../clear/line-needs.ts";
export { plainWords } from "../clear/plain-words.ts";
export { type Effects, effectsOf } from "../commands/effects.ts";
export { downloadedScripts, programHazards } from "../commands/hazards.ts";
export { reachOf } from "../commands/line-reach.ts";
export { isDevice } from "../commands/looking.ts";
export { type MaskedTexts, maskedTexts } from "../commands/masked-texts.ts";
export { foldersNamed, isTextOnly, type PathWord, pathWords, treesRead } from "../commands/path-words.ts";
export {
  absolutePath,
  canContain,
  canMatch,
  canMatchAtOrBelow,
  canMatchPath,
  type PathPattern,
  pathOf,
  pathOfPieces,
  type Segment,
  segmentsOf,
} from "../paths.ts";
export type { ReadContext, Reading, SimpleCommand, Span, Word } from "../reading.ts";
export { FROM_INPUT } from "../shell/lists.ts";
export { readArgv, readCommand } from "../shell/read-command.ts";
export { tokensOf, tokensOfWords } from "../shell/tokens.ts";
export { type LineNeed, type LineTarget, pathTarget, urlTarget } from "../targets/target.ts";
export { programName } from "../word.ts";
