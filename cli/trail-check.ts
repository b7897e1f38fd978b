import { ownCommand } from "../ipc/own-command.ts";
import { monthFile } from "../main/gate/audit/chain.ts";
import { filesIn } from "../main/gate/audit/month-files.ts";
import { errorCode } from "../main/gate/errors.ts";
import type { Check } from "./check.ts";

const CHECK = "audit trail";

/** Is only the trail in its folder? Reads no line: `audit verify` does. */
export function trailCheck(folder: string): Check {
  try {
    const present = monthFile(Date.now());
    const odd = filesIn(folder).filter(
      ({ name, role, not_a_file }) => role === "stray" || not_a_file !== null || (role === "month" && name > present),
    );
    if (odd.length === 0) return { check: CHECK, ok: true, detail: folder };
    const names = odd.map(({ name, not_a_file }) => (not_a_file === null ? name : `${name} (${not_a_file})`));
    return {
      check: CHECK,
      ok: false,
      detail: `in ${folder} there is what the gate doesn't expect: ${names.join(", ")}`,
      fix: `see: ${ownCommand("audit verify")}; a month to come is the gate's own only where its clock was wrong`,
    };
  } catch (error) {
    return {
      check: CHECK,
      ok: false,
      detail: `${folder} can't be read (${errorCode(error)})`,
      fix: `ls -ld ${folder}`,
    };
  }
}
