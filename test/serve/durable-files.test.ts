import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import { LAUNCHER, runGate, StartedProcess } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { temporaryHome } from "../support/temporary-home.ts";

it("an empty chosen.json means that nothing was chosen: the gate starts, says so, and the next choice is kept", async () => {
  const home = temporaryHome();
  mkdirSync(dirname(home.paths.chosenFile), { recursive: true });
  writeFileSync(home.paths.chosenFile, "");
  const gate = await startGate({ home });
  expect(gate.log).toContainEqual(expect.stringContaining(`${home.paths.chosenFile} is empty`));
  await gate.operator.call("settings.set", { key: "language", value: "it" });
  expect(JSON.parse(readFileSync(home.paths.chosenFile, "utf8"))).toEqual({ language: "it" });
  expect(statSync(home.paths.chosenFile).mode & 0o777).toBe(0o600);
});

it("a damaged chosen.json keeps the gate from starting, by name", async () => {
  const home = temporaryHome();
  mkdirSync(dirname(home.paths.chosenFile), { recursive: true });
  writeFileSync(home.paths.chosenFile, '{"language":');
  await expect(startGate({ home })).rejects.toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining(home.paths.chosenFile),
  });
});

it("a setting that can't be written says why and which file, and isn't in force", async () => {
  const gate = await startGate();
  mkdirSync(gate.paths.chosenFile, { recursive: true });
  await expect(gate.operator.call("settings.set", { key: "language", value: "it" })).rejects.toMatchObject({
    message: expect.stringContaining(gate.paths.chosenFile),
  });
  expect(gate.gate.core.config.language).toBe("en");
});

it("too many open files: the pairing reports it, and nothing of it is left", async () => {
  const home = temporaryHome();
  // As many files as a command needs to open the databases by itself, and no more: the token's is opened last.
  for (let most = 42; most > 30; most--) {
    const started = new StartedProcess(
      "sh",
      [
        "-c",
        `ulimit -n ${most}; exec "$@"`,
        "sh",
        process.execPath,
        LAUNCHER,
        "agents",
        "pair",
        "worker",
        "--level",
        "Full",
      ],
      { env: home.env },
    );
    started.child.stdin?.end();
    const code = await started.exited;
    if (code === 0) {
      expect((await runGate(home, ["agents", "revoke", "worker"])).code).toBe(0);
      continue;
    }
    expect(started.stderr).toContain("too many open files");
    expect((await runGate(home, ["agents", "list"])).lines.filter(({ revoked_at }) => revoked_at === null)).toEqual([]);
    expect(() => statSync(agentTokenFile(home.paths, "worker"))).toThrow(/ENOENT/);
    return;
  }
  throw new Error("no limit was low enough");
});

it("a pairing without its token: doctor names it and what to do, and that gives it a new one", async () => {
  const gate = await startGate();
  const agent = await gate.agent("worker");
  execFileSync("rm", [gate.token("worker") && agentTokenFile(gate.paths, "worker")]);
  const { lines, code } = await runGate(gate.home, ["doctor"]);
  expect(code).toBe(5);
  expect(lines.find(({ check }) => check === "pairings")).toMatchObject({
    ok: false,
    detail: expect.stringContaining(agentTokenFile(gate.paths, "worker")),
    fix: expect.stringContaining("metnos-gate agents pair worker --level Supervised"),
  });
  await gate.operator.call("agents.pair", { name: "worker", level: "Supervised" });
  expect((await agent.next("error")).data).toMatchObject({ code: "closing" });
  const back = await gate.agent("worker");
  expect(back.agent_id).toBe(agent.agent_id);
});
