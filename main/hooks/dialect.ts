import type { Env } from "../../ipc/base/paths.ts";
import type { KnownAgent } from "../../ipc/contract/agent-kind.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";

/** What differs between the clients whose hooks call the gate: how a call is said to a hook, and how its answer is said to the client. */

/** Where a hook's payload is read, and answered. */
export interface HookPlace {
  /** The variables that the hook was given. */
  readonly env: Env;
  /** In the gate: what could keep it from its other work throws `LeftToProgram`. */
  readonly isGate: boolean;
  /** The process that reads the answer, where it is known. */
  readonly reader?: number | undefined;
}

/** What is left to the hook's own program, which nobody else waits for. */
export class LeftToProgram extends Error {
  constructor() {
    super("left to the hook's own program");
    this.name = "LeftToProgram";
  }
}

type Permission = "allow" | "deny" | "ask";

export interface HookAnswer {
  permission: Permission;
  reason: string;
  /** What the client itself is to show to the user, where it may show a denial as nothing, or its own prompt without a reason. */
  notice?: string;
  /** What the tool is to be called with instead. */
  updatedInput?: object;
}

/** A call as a client's hook got it. */
export interface HookCall {
  /** The client's own id of its session; empty where it has none. */
  session_id: string;
  call: ProposedCall;
  /** Present where another command line can be run in the place of the call's. */
  rewritable: Rewritable | undefined;
}

export interface Rewritable {
  /** Every field as it came, the command among them. */
  input: Readonly<Record<string, unknown>>;
  line: string;
  cwd: string;
  /** The file in which the client keeps what is said in its session, and the call's turn in it; where it names them. */
  transcript?: { file: string; turn: string };
}

/** One client's hook. Nothing here throws but `LeftToProgram`: what can't be read is refused, with the reason. */
export interface HookDialect {
  /** As the agent is paired, and as `hook NAME` names it. */
  readonly agent: KnownAgent;
  /** Below the time after which the client gives a hook up, and continues without it. In seconds. */
  readonly wait_seconds: number;
  /** The answer while no gate runs, where the guard denies nothing and no option says another: `ask` only where the client then asks. */
  readonly offline: "ask" | "deny";
  /** The call, or why there is none that can be passed on as it was sent. */
  read(input: string, env: Env): HookCall | { refused: string };
  /** What the client is answered, as JSON. `{}` means nothing to object to, where the client takes silence for that. */
  write(answer: HookAnswer): object;
  /** True where the client can be given another command line for this call. @param reader the process that reads the answer, if the launcher named it */
  canConfine(call: HookCall, asked: { state_dir: string } & HookPlace): boolean;
  /** The call's input with the confined command in the place of its own. */
  rewritten(call: Rewritable, argv: readonly string[]): object;
  /** What the client is answered after a call, and in its session: `hook claude-code after`. Never rejects, but with `LeftToProgram`. */
  readonly events: Readonly<Record<"after" | "session", (input: string, place: HookPlace) => Promise<object>>>;
}
