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
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) seen.current();
    });
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, []);
  return <div ref={mark} className="end-mark" />;
}
