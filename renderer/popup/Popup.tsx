import { useEffect, useRef } from "react";
import { CardStack } from "../cards/CardStack.tsx";
import { bridge } from "../gate/open-link.ts";
import { Button } from "../parts/Button.tsx";
import { useShortcutKeys } from "../parts/shortcuts.tsx";
import { Alarms } from "../window/Alarms.tsx";
import { Reachable } from "../window/Away.tsx";
import { KeySheet } from "../window/KeySheet.tsx";
import { PauseBanner } from "../window/PauseBanner.tsx";
import { Notices } from "../window/Window.tsx";
import { useWords } from "../words/language.ts";
import { popupWords } from "../words/popup.ts";
import "../window/alarms.css";
import "./popup.css";

/** Waiting requests, near the tray: 380 px wide, as tall as its cards. */
export function Popup() {
  const words = useWords(popupWords);
  const content = useRef<HTMLElement>(null);
  useHeightTold(content);
  useShortcutKeys();
  useEffect(() => {
    // A card's open question closes first; then the popup. Nothing is answered.
    const close = (event: KeyboardEvent) => {
      if (event.key === "Escape" && bridge() !== undefined) window.close();
    };
    window.addEventListener("keydown", close);
    return () => window.removeEventListener("keydown", close);
  }, []);
  return (
    <main ref={content} className="popup">
      <h1 className="unseen">{words.title}</h1>
      <Alarms />
      <PauseBanner onLook={() => bridge()?.open("safety")} />
      <Notices />
      <Reachable>
        <CardStack nothing={<p className="quiet nothing">{words.nothing}</p>} />
      </Reachable>
      <KeySheet />
      <p className="foot">
        <Button look="plain" size="small" onClick={() => bridge()?.open("approvals")}>
          {words.openWindow}
        </Button>
      </p>
    </main>
  );
}

/** The window around the popup is made as tall as its content, up to its own bound. */
function useHeightTold(content: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = content.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => bridge()?.resize(Math.ceil(element.getBoundingClientRect().height)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [content]);
}
