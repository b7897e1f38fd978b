/** What the plugin knows of OpenCode's sessions: which of them are subagents', and what is asked in each. Bounded. */

const MAX_SESSIONS = 256;

interface Session {
  /** Of a subagent: the session that started it. */
  parent: string | undefined;
  agent: string | undefined;
  /** The user's last message. */
  turn: string | undefined;
  /** Calls that wait for an answer. */
  readonly waiting: Set<Waiting>;
}

export interface Waiting {
  isAbandoned: boolean;
}

export class Sessions {
  readonly #sessions = new Map<string, Session>();

  /** The session that the user sees: a subagent's belongs to the one that started it. */
  rootOf(id: string): { id: string; subagent: string | undefined; turn: string | undefined } {
    const first = this.#sessions.get(id);
    let root = id;
    for (let depth = 0; depth < 16; depth++) {
      const parent = this.#sessions.get(root)?.parent;
      if (parent === undefined) break;
      root = parent;
    }
    const subagent = root === id ? undefined : (first?.agent ?? "subagent");
    return { id: root, subagent, turn: this.#sessions.get(root)?.turn };
  }

  created(id: string, parent: string | undefined, agent: string | undefined): void {
    const session = this.#of(id);
    session.parent = parent === id ? undefined : parent;
    session.agent = agent ?? session.agent;
  }

  /** True if it is the user's own message, not what a subagent is given. */
  said(id: string, turn: string | undefined): boolean {
    const session = this.#of(id);
    session.turn = turn;
    return session.parent === undefined;
  }

  begin(id: string): Waiting {
    const waiting: Waiting = { isAbandoned: false };
    this.#of(id).waiting.add(waiting);
    return waiting;
  }

  end(id: string, waiting: Waiting): void {
    this.#sessions.get(id)?.waiting.delete(waiting);
  }

  /** Nothing runs in it any more, as after Escape: nobody waits for what is asked. */
  idle(id: string): void {
    for (const waiting of this.#sessions.get(id)?.waiting ?? []) waiting.isAbandoned = true;
  }

  #of(id: string): Session {
    const session = this.#sessions.get(id) ?? {
      parent: undefined,
      agent: undefined,
      turn: undefined,
      waiting: new Set(),
    };
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    for (const [oldest, { waiting }] of this.#sessions) {
      if (this.#sessions.size <= MAX_SESSIONS) break;
      if (waiting.size === 0) this.#sessions.delete(oldest);
    }
    return session;
  }
}
