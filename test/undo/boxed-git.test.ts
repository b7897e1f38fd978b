import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitWords } from "../../main/undo/git-program.ts";
import { withoutBox } from "../box/box-under-test.ts";
import { CHECKOUT } from "../support/gate-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { OwnStore } from "./own-store.ts";

const MAKERS = [join(CHECKOUT, "dist/metnos-make-box"), "/usr/bin/bwrap"].filter((path) => existsSync(path));
const DAY_MS = 86_400_000;

describe.skipIf(withoutBox() !== undefined).each(MAKERS)("Git in a box of %s", (maker) => {
  it("reads a store, and packs it anew", async () => {
    const store = new OwnStore({}, { maker });
    mkdirSync(store.path("src"));
    writeFileSync(store.path("src/a"), "before");
    const old = await store.begun(null, Date.now() - 30 * DAY_MS);
    await store.process.ask({ do: "after", id: old.id });
    const { id } = await store.begun();
    writeFileSync(store.path("src/a"), "the agent's");
    await store.process.ask({ do: "after", id });
    const packs = () => readdirSync(join(store.folder, "objects/pack")).filter((name) => name.endsWith(".pack"));
    expect(packs().length).toBeGreaterThan(1);
    await store.process.ask({ do: "tidy", now: Date.now() });
    expect(packs()).toHaveLength(1);
    const undo = { id: "undo", agent: null, session: "", executor: "undo", at: Date.now() };
    await store.process.ask({ do: "takeBack", ids: [id], undo, wishes: [{ path: "src/a", choice: "before" }] });
    expect(readFileSync(store.path("src/a"), "utf8")).toBe("before");
  });

  it("sees nothing else, has no network, and writes in the objects alone", () => {
    const folder = tempFolder();
    const other = tempFolder();
    mkdirSync(join(folder, "objects"));
    writeFileSync(join(other, "secret"), "secret");
    const [program = "", ...args] = gitWords([], folder, maker, join(folder, "objects"));
    const run = (line: string) =>
      execFileSync(program, [...args.slice(0, args.indexOf("--") + 1), "/bin/sh", "-c", `${line}; :`], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    appendFileSync(join(folder, "calls.jsonl"), "x");
    expect(run(`cat ${other}/secret; ls -A ${process.env.HOME ?? "/root"}`)).toBe("");
    expect(run("cut -s -d: -f1 /proc/net/dev").trim()).toBe("lo");
    run(`echo y > ${folder}/calls.jsonl; echo y > ${folder}/made; echo y > ${folder}/objects/made`);
    expect(readFileSync(join(folder, "calls.jsonl"), "utf8")).toBe("x");
    expect([existsSync(join(folder, "made")), existsSync(join(folder, "objects/made"))]).toEqual([false, true]);
  });
});
