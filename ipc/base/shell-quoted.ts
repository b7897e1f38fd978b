/** A text as one word of a POSIX shell, always in quotes. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The same as a person would write it: in quotes only where a shell would take a character of it as something else. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text);
}
