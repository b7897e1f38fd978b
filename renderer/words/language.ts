import { useEffect } from "react";
import { type InEach, isLanguage, type Language, languageOf } from "../../ipc/contract/language.ts";
import { useQuery } from "../gate/use-gate.tsx";

/** Each place has one file of words here: `const en = {...}; const it: typeof en = {...}; export const xWords: InEach<typeof en> = { en, it }`. */

/** The language that was chosen in the settings; until they are known, the browser's. */
export function useLanguage(): Language {
  const { data } = useQuery("settings.list", {});
  const chosen = data?.find(({ key }) => key === "language")?.value;
  return isLanguage(chosen) ? chosen : languageOf(navigator.language);
}

export function useWords<W>(words: InEach<W>): W {
  return words[useLanguage()];
}

/** Tells assistive software and the browser which language the page speaks. */
export function useDocumentLanguage(): void {
  const language = useLanguage();
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
}
