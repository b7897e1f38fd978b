import { useStored } from "../parts/use-stored.ts";

/** What this browser does to call its user: kept in it alone. Nothing until it was chosen. */

export type Choice = "notify" | "sound";

const KEY: Readonly<Record<Choice, string>> = { notify: "notify", sound: "sound" };
const listeners = new Set<() => void>();

export function isChosen(choice: Choice): boolean {
  try {
    return window.localStorage.getItem(KEY[choice]) === "on";
  } catch {
    return false; // storage is switched off in this browser
  }
}

export function choose(choice: Choice, isOn: boolean): void {
  try {
    if (isOn) window.localStorage.setItem(KEY[choice], "on");
    else window.localStorage.removeItem(KEY[choice]);
  } catch {
    return; // it can't be kept, so it stays off
  }
  for (const listener of listeners) listener();
}

export function useChoice(choice: Choice): boolean {
  return useStored(listeners, () => isChosen(choice));
}
