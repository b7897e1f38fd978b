import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sourceOfProgram, sourceOfUrl } from "../../../cli/mcp/run.ts";
import { tempFolder } from "../../support/temp-folder.ts";

function projects() {
  const home = tempFolder();
  const [mine, other] = [join(home, "mine"), join(home, "other")];
  for (const folder of [mine, other]) {
    mkdirSync(join(folder, "packed", "node_modules"), { recursive: true });
    writeFileSync(join(folder, "server.js"), "");
  }
  return { home, mine, other };
}

it("what a server is depends on each of the words that start it", () => {
  const { home, mine } = projects();
  const sources = [["a", "b"], ["a b"], ["b", "a"], ["a"]].map((words) => sourceOfProgram(words, mine, home));
  expect(sources[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set([...sources, sourceOfUrl("http://a.example/")]).size).toBe(5);
});

it.each([
  [["./server"], ""],
  [["node", "server.js"], ""],
  [["node", "--config=server.js", "/opt/server.js"], ""],
  [["python3", "-m", "server"], ""],
  [["uv", "run", "server"], ""],
  [["npx", "-y", "a-server"], "packed"],
  [["env", "npx", "a-server"], "packed"],
])(
  "%j starts another server in another project's folder: nothing that was said of one holds for the other",
  (words, below) => {
    const { home, mine, other } = projects();
    expect(sourceOfProgram(words, join(mine, below), home)).not.toBe(sourceOfProgram(words, join(other, below), home));
  },
);

it.each([[["/opt/server", "--all"]], [["a-server"]], [["npx", "-y", "a-server"]], [["docker", "start", "x"]]])(
  "%j is the same server in every folder that has nothing to do with it",
  (words) => {
    const { home, mine, other } = projects();
    expect(sourceOfProgram(words, mine, home)).toBe(sourceOfProgram(words, other, home));
  },
);
