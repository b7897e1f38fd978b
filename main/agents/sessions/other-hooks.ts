/** What agents' clients say of other hooks beside the gate's: said to the user once, until it is said otherwise. In memory only. */

const MAX_AGENTS = 256;

export class OtherHooks {
  readonly #known = new Map<string, string>();

  /** True where these aren't the ones that the agent last said, and there are any. */
  isNews(agent_id: string, hooks: readonly string[]): boolean {
    const text = JSON.stringify(hooks);
    const is_new = this.#known.get(agent_id) !== text;
    if (!this.#known.has(agent_id) && this.#known.size >= MAX_AGENTS) this.#known.clear();
    this.#known.set(agent_id, text);
    return is_new && hooks.length > 0;
  }
}
