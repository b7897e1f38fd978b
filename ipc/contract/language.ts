/** The languages of every surface. */
export const LANGUAGES = ["en", "it"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Words, in every language: a file of words says that it has them, so that a language that is missing is an error there. */
export type InEach<W> = Readonly<Record<Language, W>>;

/** What is made alike for each of them. */
export function inEach<W>(make: (language: Language) => W): InEach<W> {
  return Object.fromEntries(LANGUAGES.map((language) => [language, make(language)])) as InEach<W>;
}

/** The one that a system's or a browser's locale names (`it-CH`), else English. */
export function languageOf(locale: string): Language {
  return LANGUAGES.find((language) => locale.startsWith(language)) ?? "en";
}

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.some((language) => language === value);
}
