import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { errorCode } from "../../../main/base/errors.ts";
import { openAgentNetwork } from "../../../main/box/agent-runs/agent-plan.ts";
import { smallDisk } from "../../support/small-disk.ts";
import { boxUnderTest, shellRuns, withoutBox } from "../box-under-test.ts";

const reason = withoutBox();
if (reason !== undefined) console.log(`confined commands on a failing disk are not tested: ${reason}`);

describe.skipIf(reason !== undefined)(
  "a confined command, where the gate's own disk can only be read any more,",
  () => {
    it("is looked after all the same: what it left in folders elsewhere is moved aside", async () => {
      const disk = smallDisk(8);
      if (disk === undefined) return;
      const { project, prepare, box, alarms } = await boxUnderTest({ state_dir: join(disk.folder, "state") });
      const beside = join(project, "../beside");
      mkdirSync(beside);
      const plants = `for at in . ${beside}; do mkdir $at/.vscode; echo {} >$at/.vscode/tasks.json; done`;
      const argv = prepare(`touch began; until [ -e continue ]; do sleep 0.05; done; ${plants}`, {
        declaration: { project, cwd: project, reads: [], writes: [beside], network: false },
      });
      const ran = shellRuns(confinedCommand(argv), project);
      await expect.poll(() => existsSync(join(project, "began"))).toBe(true);
      disk.closeForWriting();
      await shellRuns("touch continue", project);
      expect((await ran).code).toBe(0);
      await expect.poll(() => box.status().running).toBe(0);
      for (const folder of [project, beside])
        expect(readdirSync(join(folder, ".vscode"))).toEqual([expect.stringMatching(/^tasks\.json\.set-aside~/)]);
      expect(alarms.map(({ code }) => code)).toEqual(["box_set_aside", "box_set_aside"]);
      for (const { hint } of alarms) expect(hint).toContain("/.vscode/tasks.json.set-aside~");
    });

    it("can be taken back, or end before it began, and the gate can be closed: it continues", async () => {
      const disk = smallDisk(8);
      if (disk === undefined) return;
      const stateDir = join(disk.folder, "state");
      const { prepare, box, failures } = await boxUnderTest({ state_dir: stateDir });
      const [takenBack, begun] = [prepare("true", { call_id: "toolu_1" }), prepare("true", { call_id: "toolu_2" })];
      disk.closeForWriting();
      box.discard(takenBack);
      expect(box.ran("agent-1", "toolu_1")).toEqual({ confined: null });
      // As a launcher that is killed at once.
      const pipe = join(stateDir, "box", `${begun[2]?.split(".")[0]}.up`);
      closeSync(openSync(pipe, "w"));
      await expect.poll(() => failures.map(String).join("\n")).toContain(pipe);
      box.close();
    });
  },
);

it("a whole agent's way to its hosts begins and is closed, too, where its secret can't be removed", async () => {
  const disk = smallDisk(8);
  if (disk === undefined) return;
  const failures: unknown[] = [];
  const way = openAgentNetwork({
    folder: disk.folder,
    node: process.execPath,
    hosts: { listed: [], loopback: [] },
    seat: { socket: join(disk.folder, "socket"), token: "t", begun: () => undefined, ended: () => undefined },
    places: { first: [], words: [], at: [] },
    isStopped: () => false,
    failed: (_what, error) => failures.push(error),
  });
  const socket = way.arguments[way.arguments.indexOf("--ro-bind") + 1] ?? "";
  await expect.poll(() => existsSync(socket)).toBe(true);
  disk.closeForWriting();
  const connection = createConnection(socket);
  await once(connection, "connect");
  await expect.poll(() => failures).toHaveLength(1);
  connection.destroy();
  way.close();
  const [error] = await once(createConnection(socket), "error");
  expect(errorCode(error)).toBe("ECONNREFUSED");
  expect(failures).toHaveLength(2);
});
