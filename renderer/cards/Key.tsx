/** The key that presses a button, shown in it. Assistive software has it from `aria-keyshortcuts`. */
export function Key({ children }: { children: string }) {
  return (
    <span className="key" aria-hidden="true">
      {children}
    </span>
  );
}
