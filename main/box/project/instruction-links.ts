import { lstatSync } from "node:fs";
import { hasSecretName, realPath } from "@metnos-gate/shell-reading/files";
import { INSTRUCTION_NAMES } from "../../decide/places/instructions.ts";

/** Links by the names of agents' instructions, which clients read by themselves as a session begins. Paths have one character for each byte. */

/** @param lower its name, in lower case */
export const isInstructionLink = (lower: string, isLink: boolean): boolean => isLink && INSTRUCTION_NAMES.has(lower);

/** True for such a link to a file below this folder (real) that is no secret by its name; left out: below its own. */
export function leadsToInstructions(path: string, below = path.slice(0, path.lastIndexOf("/"))): boolean {
  if (!INSTRUCTION_NAMES.has(path.slice(path.lastIndexOf("/") + 1).toLowerCase())) return false;
  try {
    const bytes = Buffer.from(path, "latin1");
    if (!lstatSync(bytes).isSymbolicLink()) return false;
    const real = realPath(bytes).toString("latin1");
    return real.startsWith(`${below}/`) && !hasSecretName(real);
  } catch {
    return false; // nowhere, where anything may be put yet
  }
}
