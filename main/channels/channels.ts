import type { ChannelName, ChannelStatus, TelegramStatus } from "../../ipc/channels.ts";
import { GateError } from "../../ipc/gate-error.ts";
import type { OperatorApi } from "../../ipc/operator-api.ts";
import type { Env } from "../../ipc/paths.ts";
import type { Surface } from "../../ipc/surface.ts";
import type { Core } from "../core.ts";

/** What calls the user elsewhere than on this desktop, for the operator's methods. */
export interface Channels {
  status(): ChannelStatus[];
  /** @throws GateError `not_available`, `channel_failed` */
  test(name: ChannelName): Promise<void>;
  telegram: TelegramLinking;
  close(): Promise<void>;
}

/** Linking the user's own chat. */
export interface TelegramLinking {
  status(): TelegramStatus;
  /** @throws GateError `not_available` */
  link(): Promise<{ url: string; expires_at: string }>;
  /** @throws GateError `too_late` */
  confirm(id: string): TelegramStatus;
  /** @throws GateError `too_late` */
  reject(id: string): TelegramStatus;
  /** False where no chat was linked. */
  unlink(): boolean;
}

export interface ChannelParts {
  core: Core;
  /** The operator's contract, as this surface uses it. */
  operatorOn(surface: Surface): OperatorApi;
  env: Env;
  log(line: string): void;
}

/** Starts the channels that are configured. Never throws, waits for nothing: what can't be reached is tried again. */
export function startChannels(_parts: ChannelParts): Channels {
  const off = () => new GateError("not_available", "no token for Telegram is configured", "see docs/channels.md");
  const telegram: TelegramStatus = { bot: null, linked: null, link_expires_at: null, claim: null };
  return {
    status: () => [],
    test: () => Promise.reject(off()),
    telegram: {
      status: () => telegram,
      link: () => Promise.reject(off()),
      confirm: () => telegram,
      reject: () => telegram,
      unlink: () => false,
    },
    close: async () => undefined,
  };
}
