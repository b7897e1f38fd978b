import { shortened } from "../../ipc/base/visible-text.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { bundleText, isHazardous, type NoticeText, requestText } from "../../ipc/words/notice-text.ts";

/** Notifications of this browser: one for each request, or one for an agent that has many. They hold no answer. */

/** More of one agent become one notification. */
const MOST_OF_AGENT = 3;
const MOST_COLUMNS = 200;
const PRODUCT = "Metnos Gate";

interface Shown {
  notification: Notification;
  tokens: readonly string[];
}

export class BrowserNotices {
  /** By what is shown: a request's token, or an agent. */
  readonly #shown = new Map<string, Shown>();
  /** Those that the user has seen here, or on another way: they are not shown again. */
  readonly #known = new Set<string>();
  readonly #open: (place: string) => void;

  /** @param open the page's place to show when a notification is pressed */
  constructor(open: (place: string) => void) {
    this.#open = open;
  }

  /**
   * What waits now. Shows what is new, closes what has ended.
   * @param isSeen the user looks at the page: nothing is shown then
   */
  update(waiting: readonly ApprovalView[], isSeen: boolean, language: Language): void {
    const tokens = new Set(waiting.map(({ token }) => token));
    for (const [key, { tokens: of }] of this.#shown) if (!of.some((token) => tokens.has(token))) this.#close(key);
    for (const token of this.#known) if (!tokens.has(token)) this.#known.delete(token);
    if (isSeen) {
      for (const token of tokens) this.#known.add(token);
      for (const key of [...this.#shown.keys()]) this.#close(key);
      return;
    }
    const byAgent = Map.groupBy(waiting, ({ agent_id }) => agent_id);
    for (const [agentId, views] of byAgent) {
      const fresh = views.filter(({ token }) => !this.#known.has(token));
      for (const { token } of fresh) this.#known.add(token);
      const isBundle = views.length > MOST_OF_AGENT || this.#shown.has(`agent:${agentId}`);
      if (isBundle) this.#showBundle(agentId, views, fresh.length > 0, language);
      else for (const view of fresh) this.#showRequest(view, language);
    }
  }

  /** What they say may no longer be true: the gate doesn't answer. What waits when it is back is shown anew. */
  forget(): void {
    for (const key of [...this.#shown.keys()]) this.#close(key);
    this.#known.clear();
  }

  #showRequest(view: ApprovalView, language: Language): void {
    this.#show(view.token, [view], requestText(view, language), `approvals/${view.token}`);
  }

  #showBundle(agentId: string, views: readonly ApprovalView[], isNew: boolean, language: Language): void {
    const key = `agent:${agentId}`;
    for (const { token } of views) this.#close(token);
    const shown = this.#shown.get(key);
    // One that was closed by the user comes back with the next request only.
    if (!isNew && (shown === undefined || shown.tokens.length === views.length)) return;
    const [first] = views;
    if (first !== undefined) this.#show(key, views, bundleText(first.agent_name, views, language), "approvals");
  }

  #show(key: string, views: readonly ApprovalView[], { title, lines }: NoticeText, place: string): void {
    const notification = notificationOf(title, {
      body: [...lines.map((line) => shortened(line, MOST_COLUMNS)), PRODUCT].join("\n"),
      // Another tab of this page shows the same: the browser keeps one.
      tag: key,
      requireInteraction: views.some(isHazardous),
    });
    if (notification === null) return;
    this.#shown.set(key, { notification, tokens: views.map(({ token }) => token) });
    notification.onclick = () => {
      window.focus();
      this.#open(place);
      this.#close(key);
    };
    notification.onclose = () => {
      if (this.#shown.get(key)?.notification === notification) this.#shown.delete(key);
    };
  }

  #close(key: string): void {
    const shown = this.#shown.get(key);
    this.#shown.delete(key);
    shown?.notification.close();
  }
}

/** Null where the browser shows none from a page. */
function notificationOf(title: string, options: NotificationOptions): Notification | null {
  try {
    return new Notification(title, options);
  } catch {
    return null; // on a phone only a service worker may
  }
}
