/** Programs that take a patch in the form of coding agents, as their word or on their input. */
const PATCH_PROGRAMS: ReadonlySet<string> = new Set(["apply_patch", "applypatch"]);

/** True if the program takes such a patch. */
export function takesPatch(name: string): boolean {
  return PATCH_PROGRAMS.has(name);
}

/** Their names. */
export const PATCH_PROGRAM_NAMES: readonly string[] = [...PATCH_PROGRAMS];
