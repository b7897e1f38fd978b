import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";

/** All keys, as `?` shows them. */
export function KeySheet({ onClose }: { onClose(): void }) {
  const words = useWords(cardWords);
  return (
    <Dialog title={words.keys.title} onClose={onClose} ends={<Button onClick={onClose}>{words.keys.close}</Button>}>
      <dl className="key-sheet">
        {Object.entries(words.keys.list).map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className="quiet">{words.keys.note}</p>
    </Dialog>
  );
}
