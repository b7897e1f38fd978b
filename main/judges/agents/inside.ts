import { resolve } from "node:path";
import { isAtOrBelow } from "@metnos-gate/shell-reading/files";
import { ToolRefused } from "./tool.ts";
import { WORKSPACE, type Workspace } from "./workspace.ts";

/** A path in the workspace, absolute, as its name says: where links lead is found out in the box. @throws ToolRefused */
export function inside(path: string, { folder }: Workspace): string {
  const absolute = resolve(folder, path);
  if (path.includes("\0") || ![folder, WORKSPACE].some((top) => isAtOrBelow(absolute, top)))
    throw new ToolRefused("this path is outside the workspace");
  return absolute;
}
