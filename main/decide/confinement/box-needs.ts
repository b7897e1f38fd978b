import { pathTarget, type ResolvedRequirement } from "../../shell-reading/targets/target.ts";
import type { Declaration } from "./declaration.ts";

/**
 * What a confined call needs: what its box lets through, whatever the program is. The agent's own words can still add a need, and
 * what is asked about by name stays. Hosts aren't among them: each is asked about when it is reached.
 * @param reads the needs that ask for what it reads beside the project
 * @param stated the call's own
 */
export function boxNeeds(
  { kind, project, writes, network }: Declaration,
  reads: readonly ResolvedRequirement[],
  stated: readonly ResolvedRequirement[],
  home: string,
): ResolvedRequirement[] {
  const tree = (capability: "fs:read" | "fs:write", folder: string): ResolvedRequirement => ({
    capability,
    target: pathTarget(folder, home, undefined, true),
  });
  const others = stated.filter(({ capability, target, ask_each_time, beyond_grants }) => {
    if (capability === "fs:read" || capability === "fs:write")
      return ask_each_time !== undefined || beyond_grants !== undefined;
    if (capability === "network:http") return !network && target.kind !== "host";
    return capability !== "code:exec";
  });
  const all = [
    ...[project, ...writes].flatMap((folder) =>
      kind === "looking" ? [tree("fs:read", folder)] : [tree("fs:read", folder), tree("fs:write", folder)],
    ),
    ...reads,
    ...others,
  ];
  return [...new Map(all.map((need) => [JSON.stringify(need), need])).values()];
}
