import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JudgeSetUp } from "../../../ipc/contract/settings.ts";
import { loadChosenConfig, longestAnswerSeconds } from "../../../main/config/index.ts";
import { linesIn } from "../../support/audit-trail.ts";
import { filesWith } from "../../support/judged-gate.ts";
import { modelServer } from "../../support/model-server.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { BOT_NAME, BOT_TOKEN, ROBERTO_USER, telegramServer } from "../../support/telegram-server.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

const KEY = "sk-the-key-of-the-model-0123456789";
const OTHER_BOT = "987654321:AAanothersecretanothersecretanothers";

const mode = (file: string) => statSync(file).mode & 0o777;

/** Where the gate runs on, until the channel is so. */
async function telegramIs(gate: GateUnderTest, ...states: string[]): Promise<void> {
  const isSo = async () => {
    const channels = await gate.operator.call("channels.status", {});
    return states.includes(channels.find(({ name }) => name === "telegram")?.state ?? "");
  };
  while (!(await isSo())) await gate.event(({ type }) => type === "channels.changed");
}

/** What the gate said, wrote or keeps that holds the secret, but for the file that is for it. */
function leaks(gate: GateUnderTest, secret: string, answers: readonly unknown[], own: string): string[] {
  const files = filesWith(gate.home.home, new RegExp(secret)).filter((file) => file !== own);
  const said = [...gate.log, ...linesIn(gate.paths.auditDir), JSON.stringify(answers)];
  return [...files, ...said.filter((text) => text.includes(secret))];
}

describe("a Telegram bot that is set up on a surface", () => {
  it("is in force at once and after a restart, its token in a file of its own and nowhere else, until it is taken away", async () => {
    const server = await telegramServer();
    const gate = await startGate({ home: temporaryHome(`[telegram]\napi_url = "${server.url}"\n`) });
    const { telegramToken } = gate.paths;
    await telegramIs(gate, "off");
    const answered = await gate.operator.call("telegram.set_up", { token: BOT_TOKEN });
    expect(answered.telegram).toEqual({ is_set_up: true, fixed_by: null });
    await telegramIs(gate, "waiting");
    expect((await gate.operator.call("telegram.status", {})).bot).toBe(BOT_NAME);
    expect([mode(telegramToken), readFileSync(telegramToken, "utf8")]).toEqual([0o600, `${BOT_TOKEN}\n`]);
    const all = [answered, await gate.operator.call("set_up.get", {}), await gate.operator.call("settings.list", {})];
    expect(leaks(gate, BOT_TOKEN, all, telegramToken)).toEqual([]);
    await gate.close();

    const again = await startGate({ home: gate.home });
    await telegramIs(again, "waiting");
    const off = await again.operator.call("telegram.set_up", { token: null });
    expect(off.telegram).toEqual({ is_set_up: false, fixed_by: null });
    await telegramIs(again, "off");
    expect(existsSync(telegramToken)).toBe(false);
    expect(linesIn(again.paths.auditDir).filter((line) => line.includes("telegram.configured"))).toHaveLength(2);
  });

  it("with another bot has no linked chat any more; with another token of the same bot it has", async () => {
    const server = await telegramServer();
    const gate = await startGate({ home: temporaryHome(`[telegram]\napi_url = "${server.url}"\n`) });
    await gate.operator.call("telegram.set_up", { token: BOT_TOKEN });
    await telegramIs(gate, "waiting");
    const { url } = await gate.operator.call("telegram.link", {});
    server.writes(ROBERTO_USER, `/start ${new URL(url).searchParams.get("start")}`);
    await server.allTaken();
    const { claim } = await gate.operator.call("telegram.status", {});
    await gate.operator.call("telegram.confirm", { id: claim?.id ?? "" });
    const linked = async () => (await gate.operator.call("telegram.status", {})).linked?.user_id;
    await gate.operator.call("telegram.set_up", { token: `${BOT_TOKEN}x` });
    expect(await linked()).toBe(ROBERTO_USER.id);
    await gate.operator.call("telegram.set_up", { token: OTHER_BOT });
    expect(await linked()).toBeUndefined();
    await telegramIs(gate, "failing");
    expect(leaks(gate, OTHER_BOT, await gate.operator.call("channels.status", {}), gate.paths.telegramToken)).toEqual(
      [],
    );
  });

  it("is refused where gate.toml names a token, from a phone, and where it has not the form of one, without its text", async () => {
    const home = temporaryHome();
    const named = await startGate({ home: temporaryHome(`[telegram]\ntoken_file = "${join(home.home, "t")}"\n`) });
    const setUp = (gate: GateUnderTest, token: string) => gate.operator.call("telegram.set_up", { token });
    await expect(setUp(named, BOT_TOKEN)).rejects.toMatchObject({
      code: "fixed_setting",
      message: expect.stringContaining("gate.toml"),
    });
    expect(existsSync(named.paths.telegramToken)).toBe(false);
    const gate = await startGate({ home });
    const refused = await setUp(gate, "not-a-token-at-all").catch((error: Error) => error);
    expect(refused).toMatchObject({ code: "invalid_params", message: expect.stringContaining("no bot's token") });
    expect(String(refused)).not.toContain("not-a-token");
    for (const surface of ["telegram", "ntfy"] as const)
      for (const ask of [
        () => gate.operator.on(surface).call("telegram.set_up", { token: null }),
        () => gate.operator.on(surface).call("judge.set_up", { judge: null }),
      ])
        await expect(ask()).rejects.toMatchObject({ code: "not_available" });
  });
});

describe("a model that is set up on a surface as judge", () => {
  const write = (gate: GateUnderTest, name: string) => ({
    executor: "fs_write",
    intent: "keep a note",
    args: { path: join(gate.home.home, name), content: "text" },
  });

  it("judges the next call, without a restart, and after one; taken away, nobody is asked", async () => {
    const model = await modelServer('{"score": 0.1, "reason": "does not fit"}');
    const judge: JudgeSetUp = { dialect: "openai", base_url: model.base_url, model: "m", online: false };
    const gate = await startGate();
    const agent = await gate.agent("worker", "Full");
    expect((await agent.ask(write(gate, "a.txt"))).decision.outcome).toBe("allowed");
    const answered = await gate.operator.call("judge.set_up", { judge, key: KEY });
    expect(answered.judge).toEqual({ is_set_up: true, fixed_by: null, chosen: judge, has_key: true });
    const asked = await agent.ask(write(gate, "b.txt"));
    expect(asked.decision).toMatchObject({ outcome: "denied" });
    expect(model.last.headers.authorization).toBe(`Bearer ${KEY}`);
    expect((await gate.operator.call("judge.test", {})).score).toBe(0.1);
    const kind = (await gate.operator.call("settings.list", {})).find(({ key }) => key === "judge.kind");
    expect(kind).toMatchObject({ value: "llm-v1", source: "chosen" });
    expect([mode(gate.paths.judgeKey), mode(gate.paths.chosenFile)]).toEqual([0o600, 0o600]);
    const all = [answered, await gate.operator.call("judge.status", {}), await gate.operator.call("set_up.get", {})];
    expect(leaks(gate, KEY, all, gate.paths.judgeKey)).toEqual([]);
    // What hooks wait for their answer, connect knows of it.
    const without = longestAnswerSeconds(loadChosenConfig(temporaryHome().env));
    expect(longestAnswerSeconds(loadChosenConfig(gate.home.env))).toBe(without + 10);
    await gate.close();

    const again = await startGate({ home: gate.home });
    const worker = await again.agent("worker", "Full");
    expect((await worker.ask(write(again, "c.txt"))).decision.outcome).toBe("denied");
    await again.operator.call("judge.set_up", { judge: null });
    const before = model.requests.length;
    expect((await worker.ask(write(again, "d.txt"))).decision.outcome).toBe("allowed");
    expect([model.requests.length, existsSync(again.paths.judgeKey)]).toEqual([before, false]);
    expect((await again.operator.call("judge.status", {})).kind).toBe("rule-based-v1");
  });

  it("keeps its key for its own server alone: for another one it has to be given again", async () => {
    const [model, other] = [await modelServer(), await modelServer()];
    const judge: JudgeSetUp = { dialect: "openai", base_url: model.base_url, model: "m", online: false };
    const gate = await startGate();
    await gate.operator.call("judge.set_up", { judge, key: KEY });
    const renamed = await gate.operator.call("judge.set_up", { judge: { ...judge, model: "n" } });
    expect(renamed.judge.has_key).toBe(true);
    const moved = await gate.operator.call("judge.set_up", { judge: { ...judge, base_url: other.base_url } });
    expect(moved.judge.has_key).toBe(false);
    await gate.operator.call("judge.test", {});
    expect(other.last.headers.authorization).toBeUndefined();
    expect(existsSync(gate.paths.judgeKey)).toBe(false);
  });

  it("is refused, and changes nothing, on another machine without the user's word, without https for a key, or with one in its address", async () => {
    const gate = await startGate();
    const judge: JudgeSetUp = { dialect: "openai", base_url: "https://api.example.org/v1", model: "m", online: false };
    const refused = async (changed: Partial<JudgeSetUp>, key?: string) =>
      await gate.operator.call("judge.set_up", { judge: { ...judge, ...changed }, key }).catch((error: Error) => error);
    expect(await refused({})).toMatchObject({ message: expect.stringContaining("is on another machine") });
    expect(await refused({ base_url: "http://api.example.org/v1", online: true }, KEY)).toMatchObject({
      message: expect.stringContaining("by https only"),
    });
    const inAddress = await refused({ base_url: `https://user:${KEY}@api.example.org/v1`, online: true });
    expect(inAddress).toMatchObject({ code: "invalid_setting" });
    expect(String(inAddress)).not.toContain(KEY);
    expect((await gate.operator.call("set_up.get", {})).judge.is_set_up).toBe(false);
    expect([existsSync(gate.paths.judgeKey), existsSync(gate.paths.chosenFile)]).toEqual([false, false]);
  });

  it("is refused where gate.toml or the environment names the judge", async () => {
    const judge: JudgeSetUp = { dialect: "openai", base_url: "http://127.0.0.1:1/v1", model: "m", online: false };
    const model = '[models.own]\ndialect = "openai"\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "x"\n';
    const fixed = { code: "fixed_setting" };
    const byFile = await startGate({ home: temporaryHome(model) });
    await expect(byFile.operator.call("judge.set_up", { judge })).rejects.toMatchObject(fixed);
    expect((await byFile.operator.call("set_up.get", {})).judge.fixed_by).toBe("gate.toml");
    const home = temporaryHome();
    (home.env as Record<string, string>).METNOS_JUDGE_KIND = "rule-based-v1";
    const byEnvironment = await startGate({ home });
    await expect(byEnvironment.operator.call("judge.set_up", { judge })).rejects.toMatchObject(fixed);
  });
});
