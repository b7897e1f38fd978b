/** What differs between two runs of the same command without any box, too. */
const VARIES: readonly [pattern: RegExp, instead: string][] = [
  // How long it took, and when it was.
  [/\b\d+(?:\.\d+)? ?(?:ms|s)\b/g, "<time>"],
  [/\bduration_ms:? [\d.]+/g, "<time>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "<now>"],
  [/\b\d\d:\d\d(?::\d\d)?\b/g, "<clock>"],
  // Vitest: which of its phases took most of it.
  [/\((?:\w+ \d+%(?:, )?)+\)/g, "(<phases>)"],
  // Processes, threads and addresses in memory.
  [/==\d+==/g, "==<process>=="],
  [/\b(thread '[^']*') \(\d+\)/g, "$1"],
  [/\b0x[\da-f]{6,}\b/g, "<address>"],
  // Cargo names what it builds by the folder that it is in.
  [/-[\da-f]{16}\b/g, "-<build>"],
];

/** @param names in place of the folders that only one of the two runs has */
export function comparable(output: string, names: Readonly<Record<string, string>>): string {
  const named = Object.entries(names).reduce((text, [folder, name]) => text.replaceAll(folder, name), output);
  return VARIES.reduce((text, [pattern, instead]) => text.replaceAll(pattern, instead), named);
}
