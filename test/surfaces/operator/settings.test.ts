import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { SettingKey } from "../../../ipc/contract/settings.ts";
import { tokenOf } from "../../support/agent-connection.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

const READ = { executor: "fs_read", args: { path: "/srv/a" } };

async function setting(gate: GateUnderTest, key: SettingKey) {
  return (await gate.operator.call("settings.list", {})).find((found) => found.key === key);
}

it("a choice counts at once, is kept, and every surface is informed", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  expect(await setting(gate, "language")).toEqual({
    key: "language",
    value: "en",
    source: "default",
    can_change: true,
    why_not: null,
  });
  const received = gate.event(({ type }) => type === "settings.changed");
  await gate.operator.call("settings.set", { key: "language", value: "it" });
  expect((await received).data).toContainEqual(
    expect.objectContaining({ key: "language", value: "it", source: "chosen" }),
  );
  await gate.operator.call("settings.set", { key: "approvals.ttl_seconds", value: 20 });
  const { decision } = await agent.ask(READ);
  const card = await gate.request(tokenOf(decision));
  expect(card.card.lines[0]).toMatch(/^Vuoi che /);
  expect(Date.parse(card.expires_at) - Date.parse(card.created_at)).toBe(20_000);
  await gate.close();
  const again = await startGate({ home: gate.home });
  expect((await setting(again, "language"))?.value).toBe("it");
  expect(statSync(gate.paths.chosenFile).mode & 0o777).toBe(0o600);
});

it("what gate.toml or the environment says can't be changed from a surface, and the surface says why", async () => {
  const home = temporaryHome('language = "it"\n');
  const env = home.env as Record<string, string>;
  env.METNOS_JUDGE_THRESHOLD = "0.4";
  const gate = await startGate({ home });
  expect(await setting(gate, "language")).toMatchObject({ value: "it", source: "gate.toml", can_change: false });
  expect(await setting(gate, "judge.threshold")).toMatchObject({
    value: 0.4,
    source: "environment",
    can_change: false,
  });
  expect((await setting(gate, "language"))?.why_not).toContain("gate.toml");
  for (const [key, value] of [
    ["language", "en"],
    ["judge.threshold", 0],
    ["judge.kind", "rule-based-v1"],
    ["start_at_login", true],
  ] as const) {
    await expect(gate.operator.call("settings.set", { key, value }), key).rejects.toMatchObject({
      code: "fixed_setting",
    });
  }
  await expect(gate.operator.call("settings.set", { key: "approvals.ttl_seconds", value: 1 })).rejects.toMatchObject({
    code: "invalid_setting",
  });
});

it("a written key wins over one that was chosen before", async () => {
  const gate = await startGate();
  await gate.operator.call("settings.set", { key: "judge.threshold", value: 0.9 });
  await gate.close();
  writeFileSync(gate.paths.configFile, "[judge]\nthreshold = 0.1\n");
  const again = await startGate({ home: gate.home });
  expect(await setting(again, "judge.threshold")).toMatchObject({ value: 0.1, source: "gate.toml" });
});

it("a file of chosen settings that can't be read keeps the gate from starting, by name, and stays as it is", async () => {
  const gate = await startGate();
  await gate.operator.call("settings.set", { key: "language", value: "it" });
  await gate.close();
  chmodSync(gate.paths.chosenFile, 0o600);
  writeFileSync(gate.paths.chosenFile, '{"language":"xx"}');
  await expect(startGate({ home: gate.home })).rejects.toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining(gate.paths.chosenFile),
  });
  expect(readFileSync(gate.paths.chosenFile, "utf8")).toBe('{"language":"xx"}');
});
