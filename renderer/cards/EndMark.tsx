import { useEffect, useRef } from "react";

/** The last line of a text: calls back once it is on the screen, wherever it was scrolled. */
export function EndMark({ onSeen }: { onSeen(): void }) {
  const mark = useRef<HTMLDivElement>(null);
  const seen = useRef(onSeen);
  useEffect(() => {
    seen.current = onSeen;
  });
  useEffect(() => {
    if (mark.current === null) return;
    // What lies below the card's answers, which stay in sight, isn't seen.
    const answers = mark.current.closest("article")?.querySelector<HTMLElement>("[data-answers]");
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) seen.current();
      },
      { rootMargin: `0px 0px -${answers?.offsetHeight ?? 0}px 0px` },
    );
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, []);
  return <div ref={mark} className="end-mark" />;
}
