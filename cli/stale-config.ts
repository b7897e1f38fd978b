import { statSync } from "node:fs";
import { basename } from "node:path";
import { gatePaths } from "../ipc/base/paths.ts";

/** Dates are in whole seconds. */
const SECOND_MS = 1000;

/**
 * That gate.toml or policy_overrides.toml was changed after the running gate had read it; null where neither was.
 * @param startedAt the gate's, an ISO-8601 date
 */
export function staleConfigText(startedAt: string): string | null {
  const { configFile, policy_overrides } = gatePaths(process.env);
  const files = [
    { file: configFile, name: "gate.toml" },
    { file: policy_overrides, name: basename(policy_overrides) },
  ];
  const changed = files.filter(({ file }) => {
    const ms = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    return ms !== undefined && ms > Date.parse(startedAt) + SECOND_MS;
  });
  if (changed.length === 0) return null;
  const names = changed.map(({ name }) => name).join(" and ");
  return changed.length === 1
    ? `${names} was changed after this gate was started, and doesn't count yet`
    : `${names} were changed after this gate was started, and don't count yet`;
}
