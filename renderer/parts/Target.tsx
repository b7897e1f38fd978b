import { shortened, shortenHome, visible } from "../../ipc/base/visible-text.ts";
import { useHome } from "../gate/use-home.tsx";
import { VisibleText } from "./VisibleText.tsx";

/** What a call touches or a grant covers: a path with the home folder as `~`, a host, a name. Where it is shortened, whole on hover. */
export function Target({ text, width }: { text: string; width?: number }) {
  const home = useHome();
  const whole = home === null ? text : shortenHome(text, home);
  const shown = width === undefined ? whole : shortened(whole, width);
  return (
    <span className="mono" title={shown === text ? undefined : visible(text)}>
      <VisibleText text={shown} />
    </span>
  );
}
