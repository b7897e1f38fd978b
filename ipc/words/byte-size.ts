import type { Language } from "../contract/language.ts";

const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** `1.2 MB`: powers of a thousand, as disks are sold, with one digit at the most. */
export function byteSize(bytes: number, language: Language): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1000 ** power).toLocaleString(language, { maximumFractionDigits: 1 })} ${UNITS[power]}`;
}
