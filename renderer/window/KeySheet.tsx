import { useState } from "react";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { type ShortcutGroup, useShortcutGroups, useShortcuts } from "../parts/shortcuts.tsx";
import { useWords } from "../words/language.ts";
import { partsWords } from "../words/parts.ts";
import { windowWords } from "../words/window.ts";

/** The sheet of all keys that do something here: `?` opens it. */
export function KeySheet() {
  const words = useWords(windowWords);
  const parts = useWords(partsWords);
  const groups = useShortcutGroups();
  const [isOpen, setOpen] = useState(false);
  useShortcuts([{ key: "?", says: words.keys.sheet, run: () => setOpen(true) }], words.keys.window);
  if (!isOpen) return null;
  const close = () => setOpen(false);
  return (
    <Dialog title={words.keys.title} onClose={close} ends={<Button onClick={close}>{parts.close}</Button>}>
      <div className="key-sheet">
        {together(groups).map(({ title, shortcuts }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {shortcuts.map(({ key, says, shown }) =>
                shown === null ? null : (
                  <div key={key}>
                    <dt>
                      <kbd>{shown ?? key}</kbd>
                    </dt>
                    <dd>{says}</dd>
                  </div>
                ),
              )}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** Groups of one title as one, each key once. */
function together(groups: readonly ShortcutGroup[]): ShortcutGroup[] {
  const titles = [...new Set(groups.map(({ title }) => title))];
  return titles.map((title) => {
    const all = groups.filter((group) => group.title === title).flatMap(({ shortcuts }) => shortcuts);
    return { title, shortcuts: all.filter(({ key }, at) => all.findIndex((one) => one.key === key) === at) };
  });
}
