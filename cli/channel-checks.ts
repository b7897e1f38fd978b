import type { ChannelStatus } from "../ipc/channels.ts";
import type { Check } from "./check.ts";

/** Each channel that is configured: whether it works. The desktop's is only said. */
export function channelChecks(channels: readonly ChannelStatus[]): Check[] {
  return channels
    .filter(({ state }) => state !== "off")
    .map(({ name, state, text, route }) => {
      const check = `channel ${name}`;
      if (state === "on") return { check, ok: true, detail: route.en };
      return { check, ok: false, detail: text, fix: "see docs/channels.md" };
    });
}
