import { CAPABILITY_REGISTRY } from "../../targets/capabilities.ts";
import { hostMatches, normaliseHostPattern } from "../../targets/host.ts";
import { grantTarget, pathMatches } from "../../targets/pattern.ts";
import { isUnresolvable } from "../../targets/target.ts";
import { declaredCapability } from "../executors/needs.ts";
import { type Denial, denied, passed, type Validated } from "./examination.ts";

/** Does the call stay inside the executor's declared perimeter? */
export function scope(x: Validated): Denial | null {
  const { manifest, is_described } = x.executor;
  const declared = declaredCapability(x.call);
  const isKnown = declared === undefined || manifest.needs.some(({ capability }) => capability === declared);
  if (
    is_described &&
    !manifest.critical &&
    declared !== undefined &&
    !isKnown &&
    CAPABILITY_REGISTRY[declared].critical
  ) {
    return denied(x, "scope", `${manifest.name} only reads, and this call says it needs ${declared}`, {
      rule: "scope.undeclared-capability",
      matched: `declared capability ${declared}`,
      instead: "use an executor that is made for it",
    });
  }
  for (const { capability, target } of x.needs) {
    if (target.kind === "path" && manifest.scope.paths !== undefined) {
      const { lexical, real, is_tree } = target;
      const inside = manifest.scope.paths.some((raw) => {
        const pattern = grantTarget(capability, raw, x.settings.home);
        return (
          pathMatches(pattern.target, lexical, is_tree) &&
          real !== null &&
          !isUnresolvable(target) &&
          pathMatches(pattern.target_real, real, is_tree)
        );
      });
      if (!inside) return outside(x, manifest.name, "paths");
    }
    if (target.kind === "host" && manifest.scope.hosts !== undefined) {
      const inside = manifest.scope.hosts.some((raw) => {
        const pattern = normaliseHostPattern(raw);
        return pattern !== null && hostMatches(pattern, target.host);
      });
      if (!inside) return outside(x, manifest.name, "hosts");
    }
    if (target.kind === "unknown" && (manifest.scope.paths ?? manifest.scope.hosts) !== undefined) {
      return outside(x, manifest.name, "targets");
    }
  }
  return passed(x, "scope", "inside the executor's perimeter");
}

function outside(x: Validated, name: string, what: string): Denial {
  return denied(x, "scope", `the call leaves the ${what} that ${name} is declared for`, {
    rule: "scope.outside-perimeter",
    matched: `the executor's declared ${what}`,
    instead: "stay inside the declared perimeter, or ask the user to widen it",
  });
}
