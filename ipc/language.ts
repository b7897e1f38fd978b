/** The languages that every surface speaks. */
export const LANGUAGES = ["en", "it"] as const;
export type Language = (typeof LANGUAGES)[number];
