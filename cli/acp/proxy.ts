import type { Readable } from "node:stream";
import { isObject, type Json } from "../../ipc/base/json-object.ts";
import type { ProposedCall } from "../../ipc/client.ts";
import { hasKeyLike, knownKeys, leniently, UNCLEAR_KEY } from "../proxy/ambiguous-json.ts";
import type { LineOutput } from "../proxy/line-output.ts";
import { AllowedWrites } from "./allowed-writes.ts";
import { type AskIn, decide, type EditorQuestion, type Verdict } from "./decide.ts";
import { encoded, type Id, type Reading, readMessage, refusal } from "./message.ts";
import { ModeGuard } from "./mode-guard.ts";
import { skipsPermission } from "./modes.ts";
import { type Proposed, proposedCalls, terminalCall } from "./proposed-calls.ts";
import { AgentRequests, isOwnId, OwnRequests } from "./requests.ts";
import { folderOf, noteDenial, type Session, Sessions, wordsOf } from "./sessions.ts";
import { newCall, type ToolCall, ToolCalls } from "./tool-calls.ts";
import { UnaskedCalls, type UnaskedOptions } from "./unasked-calls.ts";

/** Between an editor and its agent, which speak the Agent Client Protocol: the gate decides what the agent asks for. */

export interface ProxyOptions extends Omit<UnaskedOptions, "callsOf" | "runsOf"> {
  askIn: AskIn;
  editor: LineOutput;
  /** Not read from while its answers don't fit. */
  agentOutput?: Readable;
}

const ASKED_AGAIN_MS = 5000;

export class AcpProxy {
  readonly #options: ProxyOptions;
  readonly #sessions = new Sessions();
  readonly #calls = new ToolCalls();
  readonly #requests = new AgentRequests();
  readonly #writes = new AllowedWrites();
  readonly #toEditor: OwnRequests;
  readonly #toAgent: OwnRequests;
  readonly #modes: ModeGuard;
  readonly #unasked: UnaskedCalls;
  /** Of the protocol, as the agent has chosen it. */
  #version = 1;

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.#toEditor = new OwnRequests(options.editor);
    this.#toAgent = new OwnRequests(options.agent);
    const askUser = (call: Proposed, session: Session) => this.#decide([call], session, new AbortController().signal);
    this.#modes = new ModeGuard({ ...options, requests: this.#toAgent, askUser });
    this.#unasked = new UnaskedCalls({
      ...options,
      callsOf: (call) => this.#proposed(call),
      runsOf: (call) => whatRuns(proposedCalls(call), this.#sessions.of(call.session)),
    });
  }

  /** What is passed on to the editor of a line of the agent's: the same, or nothing. Never throws. */
  readonly fromAgent = (line: Buffer): Buffer | undefined => {
    const message = readMessage(line);
    switch (message.kind) {
      case "blank":
        return line;
      case "unreadable":
        return this.#drop("the agent", message, this.#options.agent);
      case "response":
        return this.#agentAnswered(message, line);
      case "notification":
        return this.#agentNotified(message, line);
      case "request":
        return this.#agentAsked(message, line);
    }
  };

  /** What is passed on to the agent of a line of the editor's. Never throws. */
  readonly fromEditor = (line: Buffer): Buffer | undefined => {
    const message = readMessage(line);
    switch (message.kind) {
      case "blank":
        return line;
      case "unreadable":
        return this.#drop("the editor", message, this.#options.editor);
      case "response":
        if (isOwnId(message.id)) this.#toEditor.answered(message.id, message);
        // An answer that nobody has asked the editor for would be one in the gate's place.
        return this.#requests.answered(message.id) ? line : undefined;
      case "notification":
        if (message.method === "session/cancel") this.#cancelled(message.params);
        return choiceOfMode(message.method) !== undefined
          ? this.#drop("the editor", NO_ID, this.#options.editor)
          : line;
      case "request":
        return this.#editorAsked(message, line);
    }
  };

  /** A line that is too long to be looked at. */
  readonly tooLong = (who: string): void => {
    this.#options.say(`a line of ${who} was dropped: it is too long to be looked at`);
  };

  /** Withdraws what waits. */
  close(): void {
    for (const { id, isOpened } of this.#sessions.all) if (isOpened) this.#options.gate.ended(id);
    this.#requests.withdraw("all", "the editor or the agent has ended");
  }

  #drop(who: string, { why, id }: Dropped, back: LineOutput): undefined {
    this.#options.say(`a line of ${who} was dropped: ${why}`);
    if (id !== undefined) back.send(refusal(id, `the request was not passed on: ${why}`), this.#options.agentOutput);
  }

  #agentAnswered({ id, result, is_error }: Extract<Reading, { kind: "response" }>, line: Buffer): Buffer | undefined {
    if (isOwnId(id)) {
      this.#toAgent.answered(id, { result, is_error });
      return undefined;
    }
    if (isObject(result) && Number.isInteger(result.protocolVersion)) this.#version = Number(result.protocolVersion);
    this.#turnEnded(this.#sessions.promptAnswered(id));
    const session = this.#sessions.answered(id, is_error ? undefined : result);
    return session === undefined || !isObject(result) ? line : this.#modes.opened(id, session, result, line);
  }

  /** Of the sessions that an agent has by itself nobody knows the turns. */
  #turnEnded(session: string | undefined): void {
    if (session === undefined) return;
    const others = new Set(this.#sessions.all.filter(({ isOpened }) => isOpened).map(({ id }) => id));
    this.#calls.endTurn((id) => id === session || !others.has(id));
  }

  #agentNotified({ method, params }: { method: string; params: Json }, line: Buffer): Buffer | undefined {
    if (isRequestOfAgent(method)) return this.#drop("the agent", NO_ID, this.#options.agent);
    if (method === "$/cancel_request") {
      const id = params.requestId as Id;
      return this.#requests.withdraw({ id }, "the agent has withdrawn it") ? undefined : line;
    }
    const { sessionId, update } = params;
    if (method !== "session/update" || typeof sessionId !== "string" || !isObject(update)) return line;
    const { sessionUpdate } = update;
    if (sessionUpdate === "tool_call" || sessionUpdate === "tool_call_update") {
      // What has run before this connection was.
      if (this.#sessions.isLoading(sessionId)) return this.#modes.inOrder(sessionId, line);
      const isBegun = sessionUpdate === "tool_call";
      const call = this.#calls.merge(sessionId, update, { characters: line.length, isBegun });
      if (call !== undefined) this.#unasked.look(call);
    } else if (sessionUpdate === "current_mode_update" && typeof update.currentModeId === "string") {
      this.#modes.changed(this.#sessions.of(sessionId), update.currentModeId);
    } else if (sessionUpdate === "config_option_update") {
      this.#modes.listed(this.#sessions.of(sessionId), update.configOptions);
    } else if (sessionUpdate === "subagent_update" && typeof update.sessionId === "string") {
      this.#sessions.of(update.sessionId, sessionId);
    }
    return this.#modes.inOrder(sessionId, line);
  }

  #agentAsked(
    { id, method, params, isExact }: Extract<Reading, { kind: "request" }>,
    line: Buffer,
  ): Buffer | undefined {
    const kind = methodKind(method);
    const isGated = kind === "decided";
    const session = typeof params.sessionId === "string" ? params.sessionId : "";
    const taken = isGated ? this.#requests.hold(id, session) : (this.#requests.pass(id) ?? { passed: true });
    const unknown = kind === "unknown" ? "nobody knows what it does with the editor's files or terminals" : undefined;
    const ofAgent = isOwnId(id) ? "its id is none of the agent's" : unknown;
    const refused = "refused" in taken ? taken.refused : ofAgent;
    if (refused !== undefined) {
      this.#refuse(id, method, refused);
      return undefined;
    }
    if (!("signal" in taken)) return line;
    const lost = isExact ? unclearParams(params) : "a number in it is not the same once it is read";
    const work =
      method === PERMISSION
        ? this.#permission(id, { params, line }, lost, taken.signal)
        : this.#request(id, { method, params, line }, lost, taken.signal);
    work.catch((error: unknown) => {
      this.#requests.release(id);
      this.#refuse(id, method, `the proxy failed (${error instanceof Error ? error.name : "unknown"})`);
    });
    return undefined;
  }

  #refuse(id: Id, method: string, why: string): void {
    const answer =
      method === PERMISSION ? encoded({ id, result: { outcome: { outcome: "cancelled" } } }) : refusal(id, why);
    this.#options.agent.send(answer, this.#options.agentOutput);
    this.#options.say(`${method} was refused: ${why}`);
  }

  /** The agent asks for the user's permission. */
  async #permission(
    id: Id,
    { params, line }: { params: Json; line: Buffer },
    lost: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { call, session, calls, isCommand } = this.#askedFor(params, line.length);
    // What is said of it while the question waits isn't what the user answers.
    const asked = { ...call };
    const options = onceOptions(params.options);
    // Some ask twice about one call: where it may work, and then whether it may run.
    const again = JSON.stringify(calls);
    const isAskedAgain = call.allowed?.what === again && performance.now() < call.allowed.until;
    call.decision = "waiting";
    const question = () => this.#editorQuestion(session, asked, options);
    const given: Verdict = isAskedAgain
      ? { isAllowed: lost === undefined, reason: "", ...(call.isOfEditor ? { isOfEditor: true } : {}) }
      : lost === undefined
        ? await this.#decide(calls, session, signal, call, question)
        : { isAllowed: false, reason: lost };
    this.#requests.release(id);
    const isOther = !isCommand && whatRuns(proposedCalls(call), session) !== whatRuns(calls, session);
    const verdict = isOther && given.isAllowed ? { isAllowed: false, reason: CHANGED } : given;
    const isAllowed = verdict.isAllowed && !signal.aborted && options.some(({ kind }) => kind === "allow_once");
    call.decision = isAllowed ? "allowed" : "denied";
    call.isOfEditor = verdict.isOfEditor === true;
    // Once: a third question is a new one.
    call.allowed = isAllowed && !isAskedAgain ? { what: again, until: performance.now() + ASKED_AGAIN_MS } : undefined;
    if (isAllowed) {
      call.isInputChanged = false;
      call.allowedRuns = whatRuns(proposedCalls(call), session);
      this.#writes.allow(asked);
    }
    const outcome = outcomeFor(options, signal.aborted ? "cancelled" : isAllowed ? "allow_once" : "reject_once");
    this.#options.agent.send(encoded({ id, result: { outcome } }), this.#options.agentOutput);
    if (!isAllowed && !signal.aborted)
      this.#denied(
        session,
        call.title,
        verdict.isAllowed ? "the agent offers no permission for this call alone" : verdict.reason,
      );
  }

  /** What a question is about: in version 2 of the protocol it may be a command alone. */
  #askedFor(params: Json, length: number): AskedFor {
    const session = this.#sessions.of(typeof params.sessionId === "string" ? params.sessionId : "");
    const subject = isObject(params.subject) ? params.subject : {};
    const said = isObject(params.toolCall) ? params.toolCall : isObject(subject.toolCall) ? subject.toolCall : {};
    const all = { ...(typeof params.title === "string" ? { title: params.title } : {}), ...said };
    const saidOnce = { characters: length, isBegun: true };
    const call = this.#calls.merge(session.id, all, saidOnce) ?? this.#calls.with(session.id, all);
    const { type, command, cwd } = subject;
    const isCommand = type === "command" && typeof command === "string";
    const calls = isCommand
      ? [{ intent: "", executor: "shell_exec", args: { command }, ...(typeof cwd === "string" ? { cwd } : {}) }]
      : proposedCalls(call);
    return { call, session, calls, isCommand };
  }

  /** The agent wants a file, or a terminal, of the editor's. */
  async #request(
    id: Id,
    { method, params, line }: { method: string; params: Json; line: Buffer },
    lost: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const session = this.#sessions.of(typeof params.sessionId === "string" ? params.sessionId : "");
    const proposed = requestCall(method, params);
    const title = `${method} ${String(params.path ?? params.command)}`;
    // Its number may be the id of a call of the model's.
    const call = { ...newCall(session.id, `metnos-gate-${method}-${String(id)}`), title };
    const question = () => this.#editorQuestion(session, call, OWN_OPTIONS);
    const isKnown =
      method === WRITE_FILE
        ? this.#writes.take(params)
        : method === READ_FILE && this.#writes.isKnown(params) && !(await this.#isDenied(proposed, session));
    const verdict = isKnown
      ? { isAllowed: lost === undefined, reason: lost ?? "" }
      : lost === undefined
        ? await this.#decide([proposed], session, signal, undefined, question)
        : { isAllowed: false, reason: lost };
    this.#requests.release(id);
    const refused = verdict.isAllowed && !signal.aborted ? this.#requests.pass(id)?.refused : verdict.reason;
    if (refused === undefined) this.#options.editor.send(line);
    else {
      this.#options.agent.send(refusal(id, refused), this.#options.agentOutput);
      if (!signal.aborted) this.#denied(session, title, refused);
    }
  }

  /** Whether the gate would deny it without asking anybody. */
  async #isDenied(proposed: Proposed, session: Session): Promise<boolean> {
    const { executor, args, context } = this.#inContext(proposed, session, undefined);
    const plan = this.#options.gate.plan("", [{ executor, args, ...(context === undefined ? {} : { context }) }]);
    return await plan.then(
      ([decision]) => decision === undefined || decision.outcome === "denied",
      () => true,
    );
  }

  #decide(
    calls: readonly Proposed[],
    session: Session,
    signal: AbortSignal,
    call?: ToolCall,
    question?: () => EditorQuestion,
  ): Promise<Verdict> {
    const { gate, askIn } = this.#options;
    const proposed = calls.map((one, index) => this.#inContext(one, session, call && callId(call.id, index)));
    const deciding = { gate, signal, askIn: question === undefined ? ("gate" as const) : askIn };
    return decide(proposed, { ...deciding, askEditor: question ?? noQuestion });
  }

  #proposed(call: ToolCall): ProposedCall[] {
    const session = this.#sessions.of(call.session);
    return proposedCalls(call).map((one, index) => this.#inContext(one, session, callId(call.id, index)));
  }

  #inContext({ cwd, ...call }: Proposed, session: Session, callId: string | undefined): ProposedCall {
    const folder = folderOf(session, cwd);
    const turn = session.turn === 0 ? {} : { turn: String(session.turn) };
    return {
      ...call,
      context: {
        ...(folder === undefined ? {} : { cwd: folder.slice(0, 4096) }),
        ...(session.id === "" ? {} : { session: session.id.slice(0, 128) }),
        ...(callId === undefined ? {} : { call_id: callId }),
        ...turn,
      },
    };
  }

  /** The agent's question as the editor's user gets it: without the answers that hold for longer than this call. */
  #editorQuestion(session: Session, call: ToolCall, options: readonly PermissionOption[]): EditorQuestion {
    const shown = {
      toolCallId: call.id,
      title: call.title,
      ...(call.kind === "" ? {} : { kind: call.kind }),
      ...(call.rawInput === undefined ? {} : { rawInput: call.rawInput }),
    };
    const subject =
      this.#version >= 2 ? { title: call.title, subject: { type: "tool_call", toolCall: shown } } : { toolCall: shown };
    const offered = options.map((option) => option.offered);
    const { id, answer } = this.#toEditor.ask(PERMISSION, { sessionId: session.id, ...subject, options: offered });
    const chosen = answer.then((given) => {
      const outcome =
        given !== undefined && !given.is_error && isObject(given.result) ? given.result.outcome : undefined;
      if (!isObject(outcome) || outcome.outcome !== "selected") return undefined;
      const option = options.find((one) => one.id === outcome.optionId);
      return option === undefined ? undefined : option.kind === "allow_once";
    });
    return { answer: chosen, withdraw: () => this.#toEditor.withdraw(id) };
  }

  /** The user sees why in the conversation; the model reads it with the next message, since an answer holds no reason. */
  #denied(session: Session, title: string, reason: string): void {
    const what = title.replace(/\s+/g, " ").slice(0, 200);
    noteDenial(session, `"${what}" was denied: ${reason}`);
    this.#options.say(`denied: ${what}: ${reason}`);
    if (this.#version !== 1 || session.id === "") return;
    const content = { type: "text", text: `\n\nMetnos Gate: denied: ${reason}\n\n` };
    const update = { sessionUpdate: "agent_message_chunk", content };
    this.#options.editor.send(encoded({ method: "session/update", params: { sessionId: session.id, update } }));
  }

  #cancelled({ sessionId }: Json): void {
    if (typeof sessionId === "string") this.#requests.withdraw({ session: sessionId }, "cancelled in the editor");
  }

  #editorAsked(
    { id, method, params, isExact }: Extract<Reading, { kind: "request" }>,
    line: Buffer,
  ): Buffer | undefined {
    this.#sessions.asked(id, method, params);
    const session = typeof params.sessionId === "string" ? this.#sessions.of(params.sessionId) : undefined;
    const choice = choiceOfMode(method);
    const why = choice === "unclear" ? "its method is another one to some agents" : choice && unclearParams(params);
    if (why !== undefined) return this.#drop("the editor", { why, id }, this.#options.editor);
    switch (method) {
      case "session/set_mode":
        return this.#modes.setMode(id, session, params, line);
      case "session/set_config_option":
        return this.#modes.setSetting(id, session, params, line);
      case "session/close":
      case "session/delete":
        if (session !== undefined) this.#options.gate.ended(session.id);
        return line;
      case "session/prompt":
        return session === undefined ? line : (this.#prompted(id, session, params, isExact) ?? line);
      default:
        return line;
    }
  }

  /** @returns the message with what was denied since the last one, if something was */
  #prompted(id: Id, session: Session, params: Json, isExact: boolean): Buffer | undefined {
    session.turn += 1;
    this.#options.gate.prompted(session.id, session.turn, wordsOf(params));
    const { denials } = session;
    if (denials.length === 0 || !Array.isArray(params.prompt) || !isExact) return undefined;
    session.denials = [];
    const text = ["[Metnos Gate, since the last message:", ...denials].join("\n- ");
    return Buffer.from(
      encoded({
        id,
        method: "session/prompt",
        params: { ...params, prompt: [...params.prompt, { type: "text", text: `${text}]` }] },
      }),
    );
  }
}

interface AskedFor {
  call: ToolCall;
  session: Session;
  calls: Proposed[];
  /** The question is about a command alone. */
  isCommand: boolean;
}

/** Without what is said about it: some say more of a call once they have asked. */
function whatRuns(calls: readonly Proposed[], session: Session): string {
  return JSON.stringify(calls.map(({ executor, args, cwd }) => [executor, args, folderOf(session, cwd) ?? null]));
}

const CHANGED = "the agent has changed what it asked about while the question waited; it can ask again";

type Dropped = Pick<Extract<Reading, { kind: "unreadable" }>, "why" | "id">;

const NO_ID: Dropped = { why: "it is a request, and has no id" };

const OWN_OPTIONS: readonly PermissionOption[] = (["allow_once", "reject_once"] as const).map((kind) => {
  const name = kind === "allow_once" ? "Allow" : "Deny";
  return { id: kind, kind, offered: { optionId: kind, name, kind } };
});

const noQuestion = (): EditorQuestion => ({ answer: Promise.resolve(undefined), withdraw: () => undefined });

/** The gate's name for one of the calls that a call of the agent's stands for. */
function callId(id: string, index: number): string | undefined {
  const name = index === 0 ? id : `${id}.${index}`;
  return name === "" || name.length > 128 ? undefined : name;
}

function requestCall(method: string, params: Json): Proposed {
  if (method === TERMINAL) return terminalCall(params);
  if (method === READ_FILE) return { intent: "", executor: "fs_read", args: { path: params.path } };
  return { intent: "", executor: "fs_write", args: { path: params.path, content: params.content } };
}

// Which of the agent's requests are decided on, and which reach the editor as they are.

const PERMISSION = "session/request_permission";
const READ_FILE = "fs/read_text_file";
const WRITE_FILE = "fs/write_text_file";
const TERMINAL = "terminal/create";

const DECIDED = new Set([PERMISSION, READ_FILE, WRITE_FILE, TERMINAL]);
/** Of terminals that were allowed. */
const OF_TERMINALS = new Set(["terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"]);
const MODES = new Set(["session/set_mode", "session/set_config_option"]);
const PARAMS = knownKeys(
  ...["sessionId", "path", "content", "line", "limit", "command", "args", "env", "cwd"],
  ...["toolCall", "options", "title", "subject", "modeId", "configId", "value"],
);

type MethodKind =
  | "decided"
  | "passed"
  /** It would use the editor's files or terminals, and nobody knows how. */
  | "unknown";

/** What becomes of a method of the agent's. */
function methodKind(method: string): MethodKind {
  if (DECIDED.has(method)) return "decided";
  const read = leniently(method);
  const isOfEditor = DECIDED.has(read) || /^(?:fs|terminal)\//.test(read);
  return isOfEditor && !OF_TERMINALS.has(method) ? "unknown" : "passed";
}

/** True of a message without an id that some editors would act on all the same, and nobody could refuse. */
function isRequestOfAgent(method: string): boolean {
  return methodKind(method) !== "passed" || OF_TERMINALS.has(method);
}

/** Whether a method of the editor's chooses a mode: to every agent, or only to one that reads it leniently. */
function choiceOfMode(method: string): "clear" | "unclear" | undefined {
  if (MODES.has(method)) return "clear";
  return MODES.has(leniently(method)) ? "unclear" : undefined;
}

/** Why parameters can't be decided on; undefined where they can. */
function unclearParams(params: Json): string | undefined {
  return hasKeyLike(params, PARAMS) ? UNCLEAR_KEY : undefined;
}

// The answers that an agent offers with its question.

interface PermissionOption {
  id: string;
  kind: "allow_once" | "reject_once";
  /** As it was offered. */
  offered: Json;
}

/**
 * Those that hold for this one call. One that is remembered (`allow_always`) would write a rule of the agent's own, past the gate; one
 * that changes the mode would end the asking; of an id that is offered twice nobody knows what it means.
 */
function onceOptions(options: unknown): PermissionOption[] {
  const offered = Array.isArray(options) ? options.filter(isObject) : [];
  return offered.flatMap((option): PermissionOption[] => {
    const { optionId: id, kind } = option;
    if (typeof id !== "string" || (kind !== "allow_once" && kind !== "reject_once")) return [];
    if (offered.filter(({ optionId }) => optionId === id).length > 1) return [];
    if (kind === "allow_once" && skipsPermission(id)) return [];
    return [{ id, kind, offered: option }];
  });
}

/** What the agent is answered: an option that it has offered, or that nobody chose one. */
function outcomeFor(options: readonly PermissionOption[], kind: PermissionOption["kind"] | "cancelled"): Json {
  const found = options.find((option) => option.kind === kind);
  return found === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: found.id };
}
