import { visible } from "../../ipc/base/visible-text.ts";
import { Target } from "../parts/Target.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";

/** A path as it is called in the folder that the card names; whole on hover. */
export function PathText({ path, cwd }: { path: string; cwd: string | null }) {
  if (cwd === null || !path.startsWith(`${cwd}/`)) return <Target text={path} />;
  return (
    <span className="mono" title={visible(path)}>
      <VisibleText text={path.slice(cwd.length + 1)} />
    </span>
  );
}
