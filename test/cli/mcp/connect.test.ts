import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { AdapterName } from "../../../cli/agents/adapter.ts";
import { connectMcp, disconnectMcp } from "../../../cli/mcp/connect/connect.ts";
import { mcpLauncherFile } from "../../../cli/mcp/launcher.ts";
import { StartedProcess } from "../../support/gate-process.ts";
import { MCP_SERVER } from "../../support/mcp-proxy.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

function settingsOf(agent: AdapterName, name: string, text: string, project = false) {
  const { home, env } = temporaryHome();
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const options = { agent, project, env, cwd: home };
  return {
    home,
    file,
    read: () => readFileSync(file, "utf8"),
    launcher: mcpLauncherFile(env),
    connect: () => connectMcp(options),
    disconnect: () => disconnectMcp(options),
  };
}

const CLAUDE = `{
  "numStartups":  3, "weird": 1.50,
  "mcpServers": {
    "notes": { "type": "stdio", "command": "npx", "args": [ "-y",   "notes" ], "env": {"KEY": "x"} },
    "bare": {"command": "bare-server"},
    "remote": {"type": "http", "url": "https://example.org/mcp"}
  },
  "projects": { "/a/b": { "mcpServers": { "inner": { "command": "i", "args": [] } }, "history": ["x"] } }
}
`;

it("of Claude Code's settings only what starts a server changes, again nothing, and --remove restores every byte", async () => {
  const { file, read, launcher, connect, disconnect } = settingsOf("claude-code", ".claude.json", CLAUDE);
  chmodSync(file, 0o640);
  expect(await connect()).toEqual({ file, changed: ["notes", "bare", "inner"], left: ["remote"] });
  const own = (name: string) => ["--name", name, "--agent", "claude-code", "--"];
  const connected = read();
  expect(connected).toContain(
    `"notes": { "type": "stdio", "command": ${JSON.stringify(launcher)}, "args": ${JSON.stringify([...own("notes"), "npx", "-y", "notes"])}, "env": {"KEY": "x"} }`,
  );
  const { mcpServers, projects } = JSON.parse(connected);
  expect(mcpServers.bare).toEqual({ command: launcher, args: [...own("bare"), "bare-server"] });
  expect(projects["/a/b"].mcpServers.inner).toEqual({ command: launcher, args: [...own("inner"), "i"] });
  expect(connected).toContain('"numStartups":  3, "weird": 1.50,');
  expect((await connect()).changed).toEqual([]);
  expect(read()).toBe(connected);
  expect((await disconnect()).changed).toEqual(["notes", "bare", "inner"]);
  expect([read(), statSync(file).mode & 0o777, existsSync(`${file}.metnos-mcp-backup`)]).toEqual([
    CLAUDE,
    0o640,
    false,
  ]);
});

it("what others changed meanwhile stays when it is removed", async () => {
  const { file, read, connect, disconnect } = settingsOf("claude-code", ".claude.json", CLAUDE);
  await connect();
  writeFileSync(file, read().replace('"numStartups":  3', '"numStartups":  4'));
  await disconnect();
  expect(JSON.parse(read())).toEqual({
    ...JSON.parse(CLAUDE),
    numStartups: 4,
    mcpServers: { ...JSON.parse(CLAUDE).mcpServers, bare: { command: "bare-server", args: [] } },
  });
});

it.each([
  [
    "gemini",
    ".gemini/settings.json",
    '{"mcpServers":{"a b":{"command":"s","args":["x"],"timeout":4000},"h":{"httpUrl":"http://x"}}}',
  ],
  [
    "opencode",
    ".config/opencode/opencode.json",
    '{\n  // mine\n  "mcp": {"a b": {"type": "local", "command": ["s", "x",], "timeout": 4000}, "h": {"type": "remote", "url": "http://x"}}, // end\n}\n',
  ],
] as const)(
  "%s's servers are answered before the client gives up, under a plain name; comments stay",
  async (agent, name, text) => {
    const { read, connect, disconnect } = settingsOf(agent, name, text);
    expect(await connect()).toMatchObject({ changed: ["a b"], left: ["h"] });
    expect(read()).toContain(`"--name","a-b","--agent","${agent}","--wait","3","--","s","x"]`);
    for (const comment of text.match(/\/\/ \w+/g) ?? []) expect(read()).toContain(comment);
    await disconnect();
    expect(read()).toBe(text);
  },
);

it("settings that can't be read are left as they are, and named", async () => {
  for (const text of ["{", "[]", '{"mcpServers":{"a":{"command":"x"}},"mcpServers":{"b":{"command":"y"}}}']) {
    const { file, read, connect } = settingsOf("claude-code", ".claude.json", text);
    await expect(connect()).rejects.toMatchObject({ code: "invalid_settings", message: expect.stringContaining(file) });
    expect([read(), existsSync(`${file}.metnos-mcp-backup`)]).toEqual([text, false]);
  }
});

it("what a project sets for its client doesn't change which gate the launcher's proxy asks, or run in it; its server gets it", async () => {
  const { home, launcher, connect } = settingsOf("gemini", ".gemini/settings.json", "{}");
  await connect();
  const evil = join(home, "evil.cjs");
  writeFileSync(evil, 'process.stderr.write("evil in " + process.argv[1] + "\\n");');
  const env = {
    HOME: "/nowhere",
    NODE_OPTIONS: `--require ${evil}`,
    METNOS_GATE_SOCKET: join(home, "evil.sock"),
    OTHER: "kept",
  };
  const show = "console.log(JSON.stringify([process.env.HOME, process.env.OTHER, process.env.METNOS_GATE_SOCKET]))";
  const script = join(home, "show.cjs");
  writeFileSync(script, show);
  const shown = new StartedProcess(launcher, ["--name", "x", "--", process.execPath, script], { env, cwd: home });
  expect(await shown.exited).toBe(0);
  expect(JSON.parse(shown.stdout)).toEqual(["/nowhere", "kept", env.METNOS_GATE_SOCKET]);
  expect(shown.stderr).toBe(`evil in ${script}\n`);

  const asked = new StartedProcess(launcher, ["--name", "x", "--", process.execPath, MCP_SERVER], { env, cwd: home });
  asked.child.stdin?.write('{"id":1,"method":"tools/call","params":{"name":"look"}}\n');
  await asked.printed(/no gate is running/);
});
