import type { Language } from "../../ipc/contract/language.ts";

/** `20 Dec`, with the year where it isn't this one. */
export function shortDate(at: Date, language: Language): string {
  const sameYear = at.getFullYear() === new Date().getFullYear();
  return new Intl.DateTimeFormat(language, {
    day: "numeric",
    month: "short",
    ...(sameYear ? {} : { year: "numeric" }),
  }).format(at);
}
