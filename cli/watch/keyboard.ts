import { type Key as InkKey, useInput, usePaste } from "ink";
import type { ReactNode } from "react";
import type { Key, KeyName } from "./keys.ts";

/** Passes each key on, by name or character; pasted text, or several characters at once, as one paste. */
export function Keyboard({ onKey, children }: { onKey: (key: Key) => void; children?: ReactNode }): ReactNode {
  useInput((input, key) => {
    for (const one of keysOf(input, key)) onKey(one);
  });
  usePaste((text) => onKey({ input: text, is_paste: true }));
  return children;
}

function keysOf(input: string, key: InkKey): Key[] {
  if (key.ctrl && input === "c") return [{ input: "", name: "quit" }];
  if (key.ctrl && input === "u") return [{ input: "", name: "clear" }];
  if (key.ctrl || key.meta) return key.escape && !key.ctrl ? [{ input: "", name: "escape" }] : [];
  const name = nameOf(key);
  if (name !== undefined) return [{ input: "", name }];
  if ([...input].length < 2) return input === "" ? [] : [{ input }];
  return [{ input, is_paste: true }];
}

function nameOf(key: InkKey): KeyName | undefined {
  if (key.return) return "enter";
  if (key.escape) return "escape";
  if (key.tab) return key.shift ? "back_tab" : "tab";
  if (key.upArrow) return "up";
  if (key.downArrow) return "down";
  if (key.leftArrow) return "left";
  if (key.rightArrow) return "right";
  if (key.pageUp) return "page_up";
  if (key.pageDown) return "page_down";
  if (key.home) return "home";
  if (key.end) return "end";
  if (key.backspace) return "backspace";
  return key.delete ? "delete" : undefined;
}
