import { isAtOrBelow } from "@metnos-gate/shell-reading/files";
import { ALWAYS_READABLE } from "../confinement/declaration.ts";

/** What lies outside of projects and is nobody's own: the system's, and what package managers have fetched. */

const words = (text: string): string[] => text.split(" ");

const OF_SYSTEM: ReadonlySet<string> = new Set([
  ...ALWAYS_READABLE,
  ...words("/proc /sys /dev /opt /nix /snap /tmp /var/tmp /System /Library /Applications"),
]);

/** What it says of one process: its environment, its memory, what it has open. */
const OF_PROCESS = /^\/proc\/(?:self|thread-self|\d+)\//;

/** Browsers and programs for mail have folders there, too. */
const CACHES = words(
  "pip pypoetry pipenv uv npm yarn pnpm node node-gyp deno typescript turbo electron go-build golangci-lint bazel ccache sccache pre-commit composer Homebrew coursier mise ms-playwright puppeteer Cypress act zig fontconfig pylint mypy ruff go",
);

const OF_HOME: ReadonlySet<string> = new Set([
  ...CACHES.map((name) => `.cache/${name}`),
  ...words(
    ".npm .nvm .bun .deno .cargo/registry .cargo/git .rustup go/pkg .m2/repository .gradle/caches .pyenv .rbenv .local/lib .local/share/pnpm .local/share/uv .local/share/mise .asdf .pub-cache .nuget/packages .gem .ivy2 .sdkman .gitignore .gitconfig .editorconfig",
  ),
  // What agents have as instructions, not what was said in their sessions.
  ...words(
    ".claude/CLAUDE.md .claude/skills .claude/agents .claude/commands .claude/plans .claude/plugins .codex/AGENTS.md .codex/prompts .codex/skills .gemini/GEMINI.md .gemini/extensions .config/opencode",
  ),
]);

/** @param path absolute */
export function isPublicPlace(path: string, home: string): boolean {
  if (OF_PROCESS.test(path)) return false;
  if (!isAtOrBelow(path, home)) return isInOne(path, OF_SYSTEM);
  return isInOne(path.slice(home.length + (home.endsWith("/") ? 0 : 1)), OF_HOME);
}

/** Whether it is one of these places, or lies below one. */
function isInOne(path: string, places: ReadonlySet<string>): boolean {
  for (let end = path.indexOf("/", 1); end >= 0; end = path.indexOf("/", end + 1))
    if (places.has(path.slice(0, end))) return true;
  return places.has(path);
}
