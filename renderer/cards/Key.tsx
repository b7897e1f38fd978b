/** The key that presses a button, shown in it. Assistive software is told by `aria-keyshortcuts`. */
export function Key({ children }: { children: string }) {
  return (
    <span className="key" aria-hidden="true">
      {children}
    </span>
  );
}
