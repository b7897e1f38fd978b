import { basename } from "node:path";

/** What a server is called where nobody said it: by what starts it. */

/** They start something else, which their arguments name. */
const RUNNERS = /^(?:npx|bunx|uvx|pipx|node|bun|deno|python[\d.]*|uv|docker|podman|sh|bash|env|tsx)$/;
const SUBCOMMANDS = new Set(["run", "exec", "dlx", "tool", "x"]);
/** A plain name out of the words that start the server. */
export function nameFromWords(words: readonly string[]): string {
  const [program = "", ...args] = words;
  const isRunner = RUNNERS.test(basename(program));
  const started = isRunner ? args.find((word) => !word.startsWith("-") && !SUBCOMMANDS.has(word)) : program;
  const last = basename(started ?? program)
    .replace(/@[^@]*$/, "")
    .replace(/\.(?:[cm]?[jt]s|py|sh|exe)$/, "");
  return plainName(last);
}

/** A plain name out of the address of a server. @throws TypeError where it is no URL */
export function nameFromUrl(url: string): string {
  return plainName(new URL(url).hostname);
}

function plainName(text: string): string {
  const plain = text
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64);
  return plain === "" ? "server" : plain;
}
