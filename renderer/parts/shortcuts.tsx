import { useEffect, useRef, useSyncExternalStore } from "react";

/** Single keys that do something while a part of the page is there. */
export interface Shortcut {
  /** As `KeyboardEvent.key` says it: `d`, `?`, `/`. */
  key: string;
  /** What it does, in the sheet of keys. */
  says: string;
  run(): void;
  /** How the sheet shows it, where that isn't the key: `1 to 7`. Null leaves it out, as a row for several keys has it. */
  shown?: string | null;
}

export interface ShortcutGroup {
  title: string;
  shortcuts: readonly Shortcut[];
}

let groups: readonly ShortcutGroup[] = [];
const listeners = new Set<() => void>();

function change(next: readonly ShortcutGroup[]): void {
  groups = next;
  for (const listener of listeners) listener();
}

/** Holds these keys while the component is there. A later one wins over an earlier one with the same key. */
export function useShortcuts(shortcuts: readonly Shortcut[], title: string): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const names = shortcuts.map(({ key, says, shown }) => `${key} ${says} ${shown}`).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: registered anew only where the keys or their words differ
  useEffect(() => {
    const group: ShortcutGroup = {
      title,
      shortcuts: latest.current.map((shortcut, index) => ({ ...shortcut, run: () => latest.current[index]?.run() })),
    };
    change([...groups, group]);
    return () => change(groups.filter((one) => one !== group));
  }, [names, title]);
}

/** What can be pressed now, by group. */
export function useShortcutGroups(): readonly ShortcutGroup[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => groups,
  );
}

/** Text is typed there: a key belongs to it. */
const FIELDS = "input:not([type=checkbox]):not([type=radio]), select, textarea, [contenteditable]";

/** Runs the keys of this page. Once, by whatever holds the whole page. */
export function useShortcutKeys(): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
      const { target } = event;
      if (target instanceof Element && target.closest(FIELDS) !== null) return;
      // A modal question has the keyboard to itself.
      if (document.querySelector("dialog[open]") !== null) return;
      const found = groups.flatMap(({ shortcuts }) => shortcuts).findLast(({ key }) => key === event.key);
      if (found === undefined) return;
      event.preventDefault();
      found.run();
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, []);
}
