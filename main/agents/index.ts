export { type AgentPause, AgentPauses, Listeners } from "./agent-pauses.ts";
export { AGENTS_SCHEMA, type Agent, AgentDirectory } from "./agents.ts";
export { agentsOnPath, KNOWN_AGENTS } from "./agents-on-path.ts";
export { GATE, KeptPauses } from "./kept-pauses.ts";
export { type Ending, endOf, PauseBook, timeLeft } from "./pause-book.ts";
export { OtherHooks } from "./sessions/other-hooks.ts";
export { UserWords } from "./sessions/user-words.ts";
