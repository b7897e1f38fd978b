import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../cli/output.ts";
import { ALARM_CODES } from "../../ipc/contract/alarms.ts";
import { alarm } from "../support/alarm.ts";
import { LAUNCHER, runGate, StartedProcess } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const restarted = alarm({ code: "gate_restarted", subject: "gate", message: "it died", hint: "look" });

describe("metnos-gate alarms", () => {
  it("lists what holds; ack dismisses what is past, and refuses what isn't over", async () => {
    const gate = await startGate();
    expect(await runGate(gate.home, ["alarms", "list"])).toMatchObject({ code: 0, stdout: "", stderr: "no alarm\n" });
    const { alarms } = gate.gate.core;
    alarms.raise(alarm());
    alarms.raise(restarted);
    alarms.raise(alarm({ code: "file_renewed", subject: "activity.db" }));
    const { lines, stderr } = await runGate(gate.home, ["alarms", "list"]);
    expect(stderr).toContain("to dismiss it: metnos-gate alarms ack gate_restarted\n");
    expect(stderr).not.toContain("alarms ack trail_unwritable");
    expect(lines.map(({ code }) => code)).toEqual(["trail_unwritable", "gate_restarted", "file_renewed"]);

    const refused = await runGate(gate.home, ["alarms", "ack", "trail_unwritable"]);
    expect(refused).toMatchObject({ code: EXIT.refused, stdout: "" });
    expect(refused.stderr).toContain(`this is not over: ${alarm().message}`);
    expect(refused.stderr).toContain(alarm().hint);
    expect((await runGate(gate.home, ["alarms", "ack", "no-such"])).code).toBe(EXIT.usage);

    expect((await runGate(gate.home, ["alarms", "ack", "file_renewed"])).lines).toEqual([{ acknowledged: 1 }]);
    expect(alarms.list().map(({ code }) => code)).toEqual(["trail_unwritable", "gate_restarted"]);
    expect((await runGate(gate.home, ["alarms", "ack"])).lines).toEqual([{ acknowledged: 1 }]);
    expect(alarms.list().map(({ code }) => code)).toEqual(["trail_unwritable"]);
  });
});

describe("an alarm", () => {
  it("fails doctor, with what to do, for as long as it holds", async () => {
    const gate = await startGate();
    gate.gate.core.alarms.raise(alarm());
    const { code, lines } = await runGate(gate.home, ["doctor"]);
    expect(code).toBe(EXIT.problemFound);
    expect(lines).toContainEqual({ check: alarm().code, ok: false, detail: alarm().message, fix: alarm().hint });
    gate.gate.core.alarms.clear(alarm().code, alarm().subject);
    const after = await runGate(gate.home, ["doctor"]);
    expect(after.lines.some(({ check }) => check === alarm().code)).toBe(false);
  });

  it("is a line in the log when it is raised, when its words change, and when it is over", async () => {
    const gate = await startGate();
    const { alarms } = gate.gate.core;
    const before = gate.log.length;
    alarms.raise(alarm());
    alarms.raise(alarm());
    alarms.raise(alarm({ message: "worse" }));
    alarms.clear(alarm().code, alarm().subject);
    expect(gate.log.slice(before)).toEqual([
      `ALARM trail_unwritable: ${alarm().message}; ${alarm().hint}`,
      `ALARM trail_unwritable: worse; ${alarm().hint}`,
      "alarm over trail_unwritable: worse",
    ]);
  });

  it("is a figure by its code, each of them there from the start", async () => {
    const gate = await startGate();
    const figures = async () => {
      const { text } = await gate.operator.call("metrics", {});
      return [...text.matchAll(/^metnos_gate_alarms\{code="([a-z_]+)"\} (\d+)$/gm)].map(([, code, value]) => [
        code,
        Number(value),
      ]);
    };
    expect(await figures()).toEqual(ALARM_CODES.map((code) => [code, 0]));
    gate.gate.core.alarms.raise(alarm({ code: "database_unusable", subject: "a" }));
    gate.gate.core.alarms.raise(alarm({ code: "database_unusable", subject: "b" }));
    expect(await figures()).toContainEqual(["database_unusable", 2]);
    gate.gate.core.alarms.clear("database_unusable", "a");
    gate.gate.core.alarms.clear("database_unusable", "b");
    expect(await figures()).toContainEqual(["database_unusable", 0]);
  });
});

it("a gate that was replaced is not started again: start ends with its own exit code and says why", async () => {
  const home = temporaryHome();
  const env = { ...home.env, ELECTRON_OVERRIDE_DIST_PATH: join(home.home, "nowhere") };
  const started = new StartedProcess(process.execPath, [LAUNCHER, "start"], { env });
  await started.printed(/the audit trail is/);
  rmSync(home.paths.lockDb);
  expect(await started.exited).toBe(EXIT.replaced);
  expect(started.stdout).toContain("ALARM gate_replaced: ");
  expect(started.stderr).toContain("gate.lock");
  expect(started.stderr).not.toContain("starting it again");
});
