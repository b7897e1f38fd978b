import type { Json } from "../../ipc/base/json-object.ts";
import type { Level } from "../../ipc/client.ts";
import type { LineOutput } from "../proxy/line-output.ts";
import type { Verdict } from "./decide.ts";
import { encoded, type Id, refusal } from "./message.ts";
import {
  type ModeKind,
  modeKind,
  modesIn,
  type SessionModes,
  settingKind,
  settingsIn,
  skipsPermission,
} from "./modes.ts";
import type { Proposed } from "./proposed-calls.ts";
import type { OwnRequests } from "./requests.ts";
import type { Session } from "./sessions.ts";

/** Keeps sessions out of the modes in which their agent asks nobody, but for agents at level Full. */

export interface ModeGuardOptions {
  gate: { level(): Promise<Level> };
  editor: LineOutput;
  agent: LineOutput;
  requests: OwnRequests;
  askUser(call: Proposed, session: Session): Promise<Verdict>;
  say(text: string): void;
}

/** An agent that doesn't change its mode by then isn't used. In milliseconds. */
const CHANGE_MS = 10_000;
/** Of messages that wait behind the one that opens their session. */
const MAX_WAITING = 1000;
/** An agent that leaves its mode more often than this is only reported. */
const MAX_RETURNS = 3;

export class ModeGuard {
  readonly #options: ModeGuardOptions;
  /** Messages of sessions whose opening isn't answered yet: they come behind the answer. */
  readonly #waiting = new Map<string, Buffer[]>();

  constructor(options: ModeGuardOptions) {
    this.#options = options;
  }

  setMode(id: Id, session: Session | undefined, { modeId }: Json, line: Buffer): Buffer | undefined {
    const mode = typeof modeId === "string" ? modeId : "";
    return this.#choose(modeKind(mode), { id, session, line, what: `the mode ${JSON.stringify(mode)}` });
  }

  setSetting(id: Id, session: Session | undefined, { configId, value }: Json, line: Buffer): Buffer | undefined {
    const config = typeof configId === "string" ? configId : "";
    const kind = settingKind(config, session?.categories.get(config), value);
    return this.#choose(kind, { id, session, line, what: `${JSON.stringify(config)} as ${JSON.stringify(value)}` });
  }

  #choose(kind: ModeKind, choice: Choice): Buffer | undefined {
    if (kind === "asks") return choice.line;
    this.#chosen(kind, choice).catch(() => this.#refuse(choice, "the gate could not be asked"));
    return undefined;
  }

  async #chosen(kind: ModeKind, choice: Choice): Promise<void> {
    const { agent, askUser } = this.#options;
    if (await this.#isFull()) return agent.send(choice.line);
    if (kind === "skips") return this.#refuse(choice, "in it the agent asks nobody: only at level Full");
    if (choice.session === undefined) return this.#refuse(choice, "it is of no session");
    const { isAllowed, reason } = await askUser(
      { intent: "", executor: "acp_mode", args: { title: `set ${choice.what}` } },
      choice.session,
    );
    if (isAllowed) agent.send(choice.line);
    else this.#refuse(choice, reason);
  }

  #refuse({ id, what }: Choice, why: string): void {
    this.#options.say(`${what} was refused: ${why}`);
    this.#options.editor.send(refusal(id, `${what} was refused: ${why}`));
  }

  async #isFull(): Promise<boolean> {
    return (await this.#options.gate.level()) === "Full";
  }

  /** A session is open. @returns its line, or nothing where it has to leave its mode first */
  opened(id: Id, session: Session, result: Json, line: Buffer): Buffer | undefined {
    const skipping = skippingModeIn(session, result);
    if (skipping === undefined) return line;
    this.#waiting.set(session.id, []);
    this.#leave(session, skipping)
      .catch(() => false)
      .then((hasLeft) => this.#release(id, session, skipping, hasLeft ? line : undefined))
      .catch(() => this.#options.say("a session could not be opened"));
    return undefined;
  }

  /** True once the agent has left the mode, or may stay in it. */
  async #leave(session: Session, { mode, config }: Skipping): Promise<boolean> {
    if (await this.#isFull()) return true;
    const [asking] = session.askingModes;
    if (asking === undefined) return false;
    const { say, requests } = this.#options;
    say(
      `the agent is in the mode ${JSON.stringify(mode)}, in which it asks nobody: it is set to ${JSON.stringify(asking)}`,
    );
    const { id, answer } =
      config === undefined
        ? requests.ask("session/set_mode", { sessionId: session.id, modeId: asking })
        : requests.ask("session/set_config_option", {
            sessionId: session.id,
            configId: config,
            type: "id",
            value: asking,
          });
    const timer = setTimeout(() => requests.withdraw(id), CHANGE_MS);
    const given = await answer;
    clearTimeout(timer);
    return given !== undefined && !given.is_error;
  }

  #release(id: Id, session: Session, { mode, config }: Skipping, line: Buffer | undefined): void {
    const { editor } = this.#options;
    const waiting = this.#waiting.get(session.id) ?? [];
    this.#waiting.delete(session.id);
    if (line === undefined) {
      const why = `the agent starts in the mode ${JSON.stringify(mode)}, in which it asks nobody, and can't be set to another one`;
      editor.send(refusal(id, why));
      return;
    }
    for (const one of [line, ...waiting]) editor.send(one);
    const [asking] = session.askingModes;
    if (config !== undefined || asking === undefined) return;
    const update = { sessionUpdate: "current_mode_update", currentModeId: asking };
    this.#options.gate.level().then(
      (level) => {
        if (level !== "Full")
          editor.send(encoded({ method: "session/update", params: { sessionId: session.id, update } }));
      },
      () => undefined, // the editor shows another mode than the agent is in
    );
  }

  /** A message of a session: kept where its opening is not answered yet. */
  inOrder(session: string, line: Buffer): Buffer | undefined {
    const waiting = this.#waiting.get(session);
    if (waiting === undefined || waiting.length >= MAX_WAITING) return line;
    waiting.push(Buffer.from(line));
    return undefined;
  }

  /** The agent has changed its mode by itself. */
  changed(session: Session, mode: string): void {
    if (modeKind(mode) !== "skips" || session.returns >= MAX_RETURNS) return;
    session.returns += 1;
    this.#leave(session, { mode, config: undefined }).catch(() =>
      this.#options.say("the gate could not be asked about a mode"),
    );
  }

  /** The agent lists its settings anew. */
  listed(session: Session, options: unknown): void {
    const settings = settingsIn(options);
    session.categories = new Map(settings.map(({ id, category }) => [id, category]));
    const skipping = settings.find(({ id, category, value }) => settingKind(id, category, value) === "skips");
    if (skipping !== undefined && typeof skipping.value === "string") this.changed(session, skipping.value);
  }
}

interface Choice {
  id: Id;
  session: Session | undefined;
  line: Buffer;
  what: string;
}

interface Skipping {
  mode: string;
  /** The setting that holds it, where it isn't the session's mode. */
  config: string | undefined;
}

function skippingModeIn(session: Session, { modes, configOptions }: Json): Skipping | undefined {
  const found = modesIn(modes);
  if (found !== undefined && isSkipping(found)) return { mode: found.current, config: undefined };
  const setting = settingsIn(configOptions).find(
    ({ id, category, value }) => settingKind(id, category, value) === "skips",
  );
  if (setting === undefined) return undefined;
  // Said of both, the setting is what counts.
  session.askingModes = setting.values.filter((value) => modeKind(value) === "asks");
  return { mode: String(setting.value), config: setting.id };
}

function isSkipping({ current, currentName }: SessionModes): boolean {
  const kind = modeKind(current);
  return kind === "skips" || (kind === "unknown" && skipsPermission(currentName));
}
