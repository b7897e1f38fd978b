import { useEffect, useState } from "react";
import { useWords } from "../words/language.ts";
import { partsWords } from "../words/parts.ts";
import { Button } from "./Button.tsx";

const SAID_MS = 2000;

/** A command for a terminal, and a button that copies it where the browser lets it. */
export function CommandToCopy({ command }: { command: string }) {
  const words = useWords(partsWords);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const end = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(end);
  }, [isCopied]);
  const copy = () =>
    navigator.clipboard.writeText(command).then(
      () => setCopied(true),
      () => setCopied(false), // not allowed: the text can be selected
    );
  return (
    <div className="command-to-copy">
      <code>{command}</code>
      <Button size="small" onClick={() => void copy()}>
        {isCopied ? words.copied : words.copy}
      </Button>
    </div>
  );
}
