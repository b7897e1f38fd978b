import { describe, expect, it } from "vitest";
import { LABELS_OF_0_1_0, rowOf010 } from "../../support/earlier-rows.ts";
import { openedBroker, ROBERTO } from "../../support/gate-stores.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const HOME_FILE = (folder: string) => `${folder}/work/a.txt`;

/** A broker on a row as 0.1.0 left it. */
function withRow(choices: (file: string) => unknown[]) {
  const stores = openedBroker(tempFolder());
  const file = HOME_FILE(stores.folder);
  const token = rowOf010(stores.approvals_db, file, choices(file));
  return { ...stores, file, token, request: () => stores.registry.getPending(token) };
}

describe("a request that 0.1.0 stored, whose choices have labels", () => {
  it.each(LABELS_OF_0_1_0)("%s is read as the reach %s", (label, reach) => {
    const { request, file } = withRow(() => [
      { scope: "none", label: "once", grants: [] },
      {
        scope: "session",
        label: `${label}, this session`,
        grants: [{ capability: "fs:write", target: HOME_FILE("") }],
      },
      { scope: "permanent", label: `${label}, permanently`, grants: [] },
    ]);
    expect(file).not.toBe("");
    expect(request()?.extra.choices).toEqual([
      { scope: "none", reach: null, grants: [] },
      { scope: "session", reach, grants: [{ capability: "fs:write", target: HOME_FILE("") }] },
      { scope: "permanent", reach, grants: [] },
    ]);
  });

  it("is answered by its reach, and the grant is what its row says", () => {
    const { broker, grants, token, file } = withRow((path) => [
      { scope: "none", label: "once", grants: [] },
      { scope: "permanent", label: "this file, permanently", grants: [{ capability: "fs:write", target: path }] },
      {
        scope: "permanent",
        label: "this folder and below, permanently",
        grants: [{ capability: "fs:write", target: path.replace("a.txt", "**") }],
      },
    ]);
    broker.answer({ token, decision: "approved", scope: "permanent", reach: "tree" }, ROBERTO);
    expect(grants.listGrants(ROBERTO).map(({ target }) => target)).toEqual([file.replace("a.txt", "**")]);
  });

  it.each<[string, unknown]>([
    ["a label that no version had", { scope: "session", label: "everything", grants: [] }],
    ["a reach that this version doesn't know", { scope: "session", reach: "planet", grants: [] }],
    ["neither", { scope: "session", grants: [] }],
    ["a scope that there isn't", { scope: "week", reach: "file", grants: [] }],
    ["no grants", { scope: "session", reach: "file" }],
  ])("one with %s can't be read: it grants nothing", (_, choice) => {
    const { request } = withRow(() => [choice]);
    expect(request()?.isDamaged).toBe(true);
    expect(request()?.extra.choices).toEqual([]);
  });
});
