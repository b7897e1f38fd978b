import type { ComponentProps } from "react";

interface ButtonProps extends Omit<ComponentProps<"button">, "className" | "type"> {
  /** `plain` looks like a link; `danger` is for what can't be undone, never for an answer to a card. */
  look?: "normal" | "plain" | "danger";
  size?: "normal" | "small";
}

export function Button({ look = "normal", size = "normal", ...rest }: ButtonProps) {
  const names = ["button", look === "normal" ? "" : look, size === "small" ? "small" : ""].filter(Boolean).join(" ");
  return <button type="button" className={names} {...rest} />;
}
