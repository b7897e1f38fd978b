import type { ChannelStatus, TelegramClaim, TelegramStatus } from "../../ipc/contract/channels.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { inEach } from "../../ipc/contract/language.ts";
import type { OperatorEvent } from "../../ipc/contract/operator-api.ts";
import type { OwnMethods } from "./partial-operator.ts";

/** The gate's side of its channels, as the contract has it: one link, one claim, one chat. What surfaces asked of it is kept. */
export class TelegramLinking {
  channels: ChannelStatus[] = [
    { name: "desktop", state: "on", text: "", route: inEach(() => "at once") },
    {
      name: "telegram",
      state: "waiting",
      text: "",
      route: inEach(() => "when nobody answered for 60 s"),
    },
    { name: "ntfy", state: "off", text: "", route: inEach(() => "at once") },
  ];
  status: TelegramStatus = { bot: "ada_gate_bot", linked: null, link_expires_at: null, claim: null };
  readonly asked: string[] = [];
  tell: (event: OperatorEvent) => void = () => undefined;

  readonly methods: OwnMethods = {
    "channels.status": () => Promise.resolve(this.channels),
    "channels.test": ({ channel }: { channel: string }) => {
      this.asked.push(`test ${channel}`);
      return Promise.resolve({ sent: true });
    },
    "telegram.status": () => Promise.resolve(this.status),
    "telegram.link": () => {
      this.asked.push("link");
      const expiresAt = new Date(Date.now() + 600_000).toISOString();
      this.becomes({ link_expires_at: expiresAt, claim: null });
      return Promise.resolve({ url: `https://t.me/ada_gate_bot?start=${"c0ffee".repeat(5)}cc`, expires_at: expiresAt });
    },
    "telegram.confirm": ({ id }: { id: string }) => this.#end("confirm", id),
    "telegram.reject": ({ id }: { id: string }) => this.#end("reject", id),
    "telegram.unlink": () => {
      this.asked.push("unlink");
      this.becomes({ linked: null });
      return Promise.resolve({ unlinked: true });
    },
  };

  becomes(change: Partial<TelegramStatus>): void {
    this.status = { ...this.status, ...change };
    this.tell({ type: "channels.changed", data: {} });
  }

  claimed(change: Partial<TelegramClaim> = {}): void {
    const claim = {
      id: "claim-1",
      user_id: 123,
      name: "Anna",
      username: "anna",
      claimed_at: "2026-11-22T00:00:00Z",
      is_renamed: false,
    };
    this.becomes({ link_expires_at: null, claim: { ...claim, ...change } });
  }

  #end(how: "confirm" | "reject", id: string): Promise<TelegramStatus> {
    this.asked.push(`${how} ${id}`);
    const { claim } = this.status;
    if (claim?.id !== id) return Promise.reject(new GateError("too_late", "this claim has ended", "make another link"));
    const { user_id, name } = claim;
    const linked = how === "confirm" ? { user_id, name, linked_at: new Date().toISOString() } : null;
    this.becomes({ claim: null, linked });
    return Promise.resolve(this.status);
  }
}
