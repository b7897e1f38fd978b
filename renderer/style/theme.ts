import { useStored } from "../parts/use-stored.ts";

/** Light, dark, or as the system says. For this page only: another surface may differ. */

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "theme";
const listeners = new Set<() => void>();

function storedTheme(): Theme {
  try {
    const stored = window.localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === stored) ?? "system";
  } catch {
    return "system"; // storage is switched off in this browser
  }
}

/** Puts the theme on the page; called before the first drawing. */
export function applyTheme(theme: Theme = storedTheme()): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  try {
    window.localStorage.setItem(KEY, theme);
  } catch {
    // not kept, but in force until the page is closed
  }
  applyTheme(theme);
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useStored(
    listeners,
    () => THEMES.find((theme) => theme === document.documentElement.dataset.theme) ?? "system",
  );
}

// Another window of this page chose another theme.
window.addEventListener("storage", ({ key }) => {
  if (key === KEY) applyTheme();
});
