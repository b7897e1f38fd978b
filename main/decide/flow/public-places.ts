import { isAtOrBelow } from "@metnos-gate/shell-reading/files";
import { ALWAYS_READABLE } from "../confinement/declaration.ts";

/** What lies outside of projects and is nobody's own: the system's, and what package managers have fetched. */

const OF_SYSTEM: readonly string[] = [
  ...ALWAYS_READABLE,
  ...["/proc", "/sys", "/dev", "/opt", "/nix", "/snap", "/tmp", "/var/tmp", "/System", "/Library", "/Applications"],
];

const OF_HOME: readonly string[] = [
  ...[
    ".cache",
    ".npm",
    ".nvm",
    ".bun",
    ".deno",
    ".cargo/registry",
    ".cargo/git",
    ".rustup",
    "go/pkg",
    ".m2/repository",
  ],
  ...[".gradle/caches", ".pyenv", ".rbenv", ".local/lib", ".local/share/pnpm", ".local/share/uv", ".local/share/mise"],
  ...[".asdf", ".pub-cache", ".nuget/packages", ".gem", ".ivy2", ".sdkman"],
  // What agents have as instructions, not what was said in their sessions.
  ...[".claude/CLAUDE.md", ".claude/skills", ".claude/agents", ".claude/commands", ".claude/plans", ".claude/plugins"],
  ...[".codex/AGENTS.md", ".codex/prompts", ".codex/skills", ".gemini/GEMINI.md", ".gemini/extensions"],
  ...[".config/opencode", ".gitignore", ".gitconfig", ".editorconfig"],
];

/** @param path absolute */
export function isPublicPlace(path: string, home: string): boolean {
  if (OF_SYSTEM.some((folder) => isAtOrBelow(path, folder) && !isAtOrBelow(home, folder))) return true;
  return isAtOrBelow(path, home) && OF_HOME.some((name) => isAtOrBelow(path, `${home}/${name}`));
}
