import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { Clock } from "../../base/clocks/clock.ts";

/** So many milliseconds ago, as rows say it: in whole minutes, as it is asked for with each call. */
export function since(clock: Pick<Clock, "now">, ms: number): () => string {
  let last = { minute: Number.NaN, text: "" };
  return () => {
    const minute = Math.floor((clock.now() - ms) / 60_000);
    if (minute !== last.minute) last = { minute, text: isoSeconds(minute * 60_000) };
    return last.text;
  };
}
