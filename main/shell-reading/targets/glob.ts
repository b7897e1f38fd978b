/**
 * A grant's glob as a regular expression. `*` any run within a name, `?` any one character, `[...]` one of its characters, `**`
 * alone between slashes any folders, at the end the folder itself and all below it. Everything else is itself: a name that
 * looks like a pattern elsewhere (`(a)`, `{a,b}`, `!a`, `"a"`) has no other meaning here.
 */
export function globExpression(pattern: string): RegExp {
  const parts = pattern.split("/").slice(1);
  let source = "";
  for (const [index, part] of parts.entries()) {
    if (part !== "**") source += `/${part === "*" ? "[^/]+" : nameSource(part)}`;
    else if (index === parts.length - 1) source += "(?:/.*)?";
    else if (parts[index + 1] !== "**") source += "(?:/[^/]+)*";
  }
  return new RegExp(`^${source}$`, "su");
}

const PIECE = /\*|\?|\[([^/][^/\]]*)\]|./gsu;

function nameSource(name: string): string {
  return name.replace(PIECE, (piece: string, set: string | undefined) => {
    if (piece === "*") return "[^/]*";
    if (piece === "?") return "[^/]";
    if (set === undefined) return escaped(piece);
    // `[id]` also matches a name that is written like that: what a user sees is what they grant.
    return /^\w+$/.test(set) ? `(?:${setSource(set)}|${escaped(piece)})` : setSource(set);
  });
}

function setSource(set: string): string {
  const ranges = set.replace(/([^-])-([^-])|./gsu, (piece: string, from: string | undefined, to: string | undefined) =>
    from !== undefined && to !== undefined && (from.codePointAt(0) ?? 0) <= (to.codePointAt(0) ?? 0)
      ? `${escaped(from)}-${escaped(to)}`
      : [...piece].map(escaped).join(""),
  );
  return `(?!/)[${ranges}]`;
}

function escaped(text: string): string {
  return text.replace(/[\^$\\.*+?()[\]{}|/]/g, "\\$&").replaceAll("-", "\\x2d");
}
