import { basename, dirname } from "node:path";

/** Programs that run the one that their first argument names. */
const RUNNERS = new Set(["npx", "bunx", "pnpx", "uvx", "node", "bun", "deno", "python", "python3", "env"]);

/** What a package's own script is called; its package says more. */
const SCRIPT = /^(?:index|main|cli)\.[cm]?js$/;
const SCRIPT_FOLDERS = new Set(["bin", "build", "dist", "lib", "src"]);

/** The name under which an agent behind the proxy is paired, from how it is started: `opencode acp` is `opencode-acp`. */
export function agentNameOf(words: readonly string[]): string {
  const [program = ""] = words.filter(
    (word, index) => !word.startsWith("-") && !(index === 0 && RUNNERS.has(basename(word))),
  );
  const plain = basename(packageOf(program.replace(/(.)@[^@/]*$/, "$1")))
    .replace(/\.(?:[cm]?js|ts|py|exe|sh)$/, "")
    .replace(/[^A-Za-z0-9._-]/g, "")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 56);
  const name = plain === "" ? "agent" : plain;
  return name.endsWith("-acp") ? name : `${name}-acp`;
}

/** The folder of the package whose script this is, or the program itself. */
function packageOf(program: string): string {
  if (!SCRIPT.test(basename(program)) || !program.includes("/")) return program;
  let folder = dirname(program);
  while (SCRIPT_FOLDERS.has(basename(folder))) folder = dirname(folder);
  return folder;
}
