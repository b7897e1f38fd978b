import { isAbsolute } from "node:path";
import { isObject, type Json } from "../../ipc/base/json-object.ts";
import type { Id } from "./message.ts";
import { askingModes, modesIn, settingsIn } from "./modes.ts";

/** What is known of the sessions on a connection: their folders, what the user has asked for, what was denied in them. */

export interface Session {
  id: string;
  /** The editor has opened it; the others are the agent's own. */
  isOpened: boolean;
  cwd: string | undefined;
  /** Number of the user's message. */
  turn: number;
  /** Categories of its settings, by id, as the agent has listed them. */
  categories: ReadonlyMap<string, string | undefined>;
  /** Modes that it could be returned to, the best first; how often it was. */
  askingModes: readonly string[];
  returns: number;
  /** What the model reads with the user's next message. */
  denials: string[];
}

const OPENING = new Set(["session/new", "session/load", "session/resume", "session/fork"]);
const MAX_SESSIONS = 200;
const MAX_DENIALS = 20;

export class Sessions {
  readonly #sessions = new Map<string, Session>();
  /** Requests of the editor that open one, and are not answered yet. */
  readonly #opening = new Map<Id, Opening>();
  /** The user's messages that aren't answered yet, with their sessions. */
  readonly #prompts = new Map<Id, string>();

  /** A request of the editor. */
  asked(id: Id, method: string, params: Json): void {
    if (method === "session/prompt" && typeof params.sessionId === "string" && this.#prompts.size < MAX_SESSIONS)
      this.#prompts.set(id, params.sessionId);
    if (!OPENING.has(method) || this.#opening.size >= MAX_SESSIONS) return;
    const cwd = typeof params.cwd === "string" ? params.cwd : undefined;
    const named = method === "session/fork" ? undefined : params.sessionId;
    const isLoaded = method === "session/load";
    this.#opening.set(id, { cwd, session: typeof named === "string" ? named : undefined, isLoaded });
  }

  /** True while the agent repeats to the editor what was in a session before. */
  isLoading(id: string): boolean {
    return [...this.#opening.values()].some(({ session, isLoaded }) => isLoaded && session === id);
  }

  /** An answer of the agent's. @returns the session whose turn it ends, if it is one to the user's message */
  promptAnswered(id: Id): string | undefined {
    const session = this.#prompts.get(id);
    this.#prompts.delete(id);
    return session;
  }

  /** An answer of the agent's. @returns the session that it opens, if it is one to such a request */
  answered(id: Id, result: unknown): Session | undefined {
    const opening = this.#opening.get(id);
    this.#opening.delete(id);
    if (opening === undefined || !isObject(result)) return undefined;
    const named = result.sessionId ?? opening.session;
    if (typeof named !== "string") return undefined;
    const session = this.of(named);
    session.isOpened = true;
    session.cwd = opening.cwd ?? session.cwd;
    session.askingModes = askingModes(modesIn(result.modes)?.available ?? []);
    session.categories = new Map(settingsIn(result.configOptions).map(({ id, category }) => [id, category]));
    return session;
  }

  /** The session, also one that the agent has opened by itself: it works where its parent does. */
  of(id: string, parent?: string): Session {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const folders = new Set(this.all.filter(({ isOpened }) => isOpened).map(({ cwd }) => cwd));
    // Where all sessions work in one folder, so does this one.
    const cwd = parent === undefined ? (folders.size === 1 ? [...folders][0] : undefined) : this.of(parent).cwd;
    const session: Session = {
      id,
      isOpened: false,
      cwd,
      turn: 0,
      categories: new Map(),
      askingModes: [],
      returns: 0,
      denials: [],
    };
    if (this.#sessions.size >= MAX_SESSIONS) this.#forgetOne();
    this.#sessions.set(id, session);
    return session;
  }

  /** However many the agent makes up, those of the editor stay as long as they can. */
  #forgetOne(): void {
    const [oldest] = this.#sessions.keys();
    const own = [...this.#sessions.values()].find(({ isOpened }) => !isOpened)?.id;
    this.#sessions.delete(own ?? oldest ?? "");
  }

  get all(): Session[] {
    return [...this.#sessions.values()];
  }
}

interface Opening {
  cwd: string | undefined;
  session: string | undefined;
  /** What was said in it comes before the answer. */
  isLoaded: boolean;
}

/** Where a call of the session runs, as it was written: `link/..` isn't where the link is. */
export function folderOf(session: Session, cwd: string | undefined): string | undefined {
  if (cwd === undefined) return session.cwd;
  return session.cwd === undefined || isAbsolute(cwd) ? cwd : `${session.cwd}/${cwd}`;
}

export function noteDenial(session: Session, text: string): void {
  if (session.denials.length < MAX_DENIALS) session.denials.push(text);
}

/** The words of the user's message. */
export function wordsOf({ prompt }: Json): string {
  if (!Array.isArray(prompt)) return "";
  return prompt
    .filter(isObject)
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("\n");
}
