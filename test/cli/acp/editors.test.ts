import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { agentNameOf } from "../../../cli/acp/agent-name.ts";
import { connectEditor, disconnectEditor, type EditorEntry, luaOf } from "../../../cli/acp/editors/editors.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const ENTRY: EditorEntry = {
  name: "OpenCode (Metnos Gate)",
  agent: "opencode-acp",
  command: "/bin/node",
  args: ["gate.js", "acp"],
};
const ZED =
  '// mine {\n{\n  // a comment, with "agent_servers"\n  "theme": "One", /* kept */\n  "agent_servers": {\n    "Other": { "command": "other" },\n  },\n}\n';

let file: string;
beforeEach(() => {
  const folder = join(tempFolder(), "zed");
  mkdirSync(folder);
  file = join(folder, "settings.json");
});

it.each([
  ["settings with comments and another agent", ZED],
  ["settings without agents", '{\n  "theme": "One"\n}'],
  ["empty settings", "{}"],
])(
  "an editor's entry keeps every byte of %s; again it changes nothing, and removed it leaves what was there",
  (_, before) => {
    writeFileSync(file, before);
    expect(connectEditor("zed", file, ENTRY)).toMatchObject({ changed: true, backup: `${file}.metnos-backup` });
    const text = readFileSync(file, "utf8");
    expect(text).toContain('"command": "/bin/node"');
    for (const part of before.split("\n").filter((line) => line.length > 2))
      expect(text).toContain(part.replace(/\}$/, ""));
    expect(connectEditor("zed", file, ENTRY).changed).toBe(false);
    expect(disconnectEditor(file, ENTRY).changed).toBe(true);
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(disconnectEditor(file, ENTRY).changed).toBe(false);
  },
);

it("an editor's settings that can't be read stay as they are", () => {
  for (const text of ["{", "[]", '{"agent_servers": 7}', '{"agent_servers": {}, "agent_servers": {}}']) {
    writeFileSync(file, text);
    expect(() => connectEditor("jetbrains", file, ENTRY)).toThrow("can't be read as settings");
    expect(readFileSync(file, "utf8")).toBe(text);
  }
});

it("the entry of an editor that has no settings yet is a file of its own", () => {
  connectEditor("jetbrains", file, ENTRY);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    agent_servers: { [ENTRY.name]: { command: "/bin/node", args: ["gate.js", "acp"], env: {} } },
  });
  expect(luaOf(ENTRY)).toContain('{ "/bin/node", "gate.js", "acp" }');
});

it.each([
  [["opencode", "acp"], "opencode-acp"],
  [["/usr/bin/gemini", "--acp"], "gemini-acp"],
  [["npx", "-y", "@agentclientprotocol/claude-agent-acp@0.101.0"], "claude-agent-acp"],
  [["node", "/srv/agent.js"], "agent-acp"],
  [["node", "/lib/node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js"], "claude-agent-acp"],
  [["node", "/dist/index.js"], "agent-acp"],
  [["node", "index.js"], "index-acp"],
  [["./-../"], "agent-acp"],
])("an agent that is started as %j is %s", (words, name) => {
  expect(agentNameOf(words)).toBe(name);
});
