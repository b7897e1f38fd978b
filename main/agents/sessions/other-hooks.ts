/** What agents' clients say of other hooks beside the gate's: said to the user once, until it is said otherwise. In memory only. */

const MAX_AGENTS = 256;

export class OtherHooks {
  readonly #known = new Map<string, string>();

  /** True where these aren't the ones that the agent last said, and there are any. */
  isNews(agentId: string, hooks: readonly string[]): boolean {
    const text = JSON.stringify(hooks);
    const isNew = this.#known.get(agentId) !== text;
    if (!this.#known.has(agentId) && this.#known.size >= MAX_AGENTS) this.#known.clear();
    this.#known.set(agentId, text);
    return isNew && hooks.length > 0;
  }
}
