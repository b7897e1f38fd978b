import { type RefObject, useLayoutEffect, useState } from "react";

/** The width of an element's inside, in CSS pixels; 0 before it is known. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observed = element.current;
    if (observed === null) return;
    setWidth(observed.clientWidth);
    const observer = new ResizeObserver(() => setWidth(observed.clientWidth));
    observer.observe(observed);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
