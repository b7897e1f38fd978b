import { type ReactNode, useEffect } from "react";
import { restartAll } from "../cards/use-press-filter.ts";
import { isSilent } from "../gate/link.ts";
import { useCommand } from "../gate/use-command.ts";
import { useLinkState } from "../gate/use-gate.tsx";
import { CommandToCopy } from "../parts/CommandToCopy.tsx";
import { holdClocks } from "../parts/clock.ts";
import { awayWords } from "../words/away.ts";
import { useWords } from "../words/language.ts";
import "./away.css";

/** What depends on the gate: while it doesn't answer, it is dimmed, nothing in it can be pressed, and its clocks are stopped. */
export function Reachable({ children }: { children: ReactNode }) {
  const isAway = isSilent(useLinkState());
  useEffect(() => {
    if (!isAway) return;
    holdClocks(true);
    window.addEventListener("keydown", keepFromPage, { capture: true });
    return () => {
      window.removeEventListener("keydown", keepFromPage, { capture: true });
      holdClocks(false);
      // What was begun while nothing could be answered is meant for no card.
      restartAll();
    };
  }, [isAway]);
  return (
    <div className={isAway ? "reachable away" : "reachable"} inert={isAway}>
      {children}
    </div>
  );
}

/** The browser's own keys work; the page's do nothing. */
function keepFromPage(event: KeyboardEvent): void {
  event.stopImmediatePropagation();
}

/** Why nothing can be pressed, and what to do. Nothing while the gate answers. */
export function AwayNotice() {
  const words = useWords(awayWords);
  const link = useLinkState();
  const inTerminal = useCommand();
  if (!isSilent(link)) return null;
  const { title, next, command } = words[link];
  return (
    <div className="notice away-notice" role="alert">
      <h2>{title}</h2>
      <p>{next}</p>
      {command === null ? null : <CommandToCopy command={inTerminal(command)} />}
    </div>
  );
}
