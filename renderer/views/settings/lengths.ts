import type { Language } from "../../../ipc/language.ts";

/** How long a request may wait, in seconds, as it is offered. The gate's file takes any other. */
export const TTL_CHOICES = [60, 120, 300, 600, 900, 1800, 3600, 4 * 3600, 24 * 3600] as const;

/** `10 minutes` */
export function lengthText(seconds: number, language: Language): string {
  const [count, unit] =
    seconds % 3600 === 0
      ? [seconds / 3600, "hour"]
      : seconds % 60 === 0
        ? [seconds / 60, "minute"]
        : [seconds, "second"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
}
