import { EventEmitter, once } from "node:events";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import type { Called, ChannelNote, Gathered } from "../../main/core/channel.ts";
import type { Screen } from "../../main/surfaces/delivery/when-due.ts";

/** A channel whose other side is the test: what it was called with, in order and in words. */
export class RecordedChannel implements Called {
  readonly calls: string[] = [];
  readonly gathered: Gathered[] = [];
  readonly notes: ChannelNote[] = [];
  readonly #called = new EventEmitter();

  ask(view: ApprovalView): void {
    this.#note(`ask ${commandOf(view)}`);
  }

  gather(gathered: Gathered): void {
    this.gathered.push(gathered);
    this.#note(`gather ${gathered.agent_name} ${gathered.views.map(commandOf).join(", ")}`.trim());
  }

  ended(view: ApprovalView): void {
    this.#note(`ended ${view.target_summary.split("  ")[0]} ${view.status}`);
  }

  note(note: ChannelNote): void {
    this.notes.push(note);
    this.#note(`note ${note.kind} ${note.title}`);
  }

  /** Once so many calls were made. */
  async until(count: number): Promise<string[]> {
    while (this.calls.length < count) await once(this.#called, "call");
    return this.calls;
  }

  /** Once the last call is this one. */
  async untilLast(call: string): Promise<void> {
    while (this.calls.at(-1) !== call) await once(this.#called, "call");
  }

  #note(call: string): void {
    this.calls.push(call);
    this.#called.emit("call");
  }
}

function commandOf({ args }: ApprovalView): string {
  return String(args?.command ?? args?.path ?? "");
}

/** A screen that the test locks. */
export class TestScreen implements Screen {
  isLocked = false;
  readonly #changed = new EventEmitter();

  subscribe(changed: () => void): () => void {
    this.#changed.on("changed", changed);
    return () => this.#changed.off("changed", changed);
  }

  set(isLocked: boolean): void {
    this.isLocked = isLocked;
    this.#changed.emit("changed");
  }
}
