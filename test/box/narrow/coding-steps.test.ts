import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import type { Decision } from "../../../ipc/contract/decision.ts";
import { CODING_COMMANDS } from "../../support/coding-commands.ts";
import { makeCodingProject } from "../../support/coding-project.ts";
import { startGate } from "../../support/running-gate.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { temporaryHome } from "../../support/temporary-home.ts";
import { type Ended, shellRuns, withoutBox } from "../box-under-test.ts";
import { comparable } from "../varying-output.ts";

/** The steps of an ordinary session, in order and in two copies of its project: one plain, one through a gate's decisions and its boxes. */

const reason = withoutBox();
if (reason !== undefined) console.log(`skipped: the steps of a coding session: ${reason}`);

/** What looks otherwise in a box by design: docs/box.md has the list. `alike` leaves that out, and nothing else of it may differ. */
const BY_DESIGN: Readonly<Record<string, { why: string; alike(text: string): string }>> = {
  "ls -la": {
    why: "the folder above the project is the box's own",
    alike: (text) => text.replace(/^total \d+$/m, "total").replace(/^d.* \.\.$/m, ".."),
  },
};

/** Of the whole machine, which other programs change meanwhile: their output isn't compared. They run as they are, in no box. */
const OF_THE_MACHINE = ["df -h .", "ls /tmp | head", "lsof -i :3000", "ps aux | grep -v grep | grep node | head -5"];

interface Copy {
  home: string;
  project: string;
  /** In the place of `/tmp`. */
  tmp: string;
  env: NodeJS.ProcessEnv;
}

function copyIn(home: string, env: NodeJS.ProcessEnv): Copy {
  const tmp = tempFolder();
  const own = { ...env, HOME: home };
  // What `npm run dev` would have written.
  writeFileSync(join(tmp, "dev.log"), "listening on 3000\nError: it was a test\n");
  return { home, tmp, env: own, project: makeCodingProject(home, own) };
}

const lineIn = (step: string, { project, tmp }: Copy) =>
  step.replaceAll(/~\/project|\/home\/ada\/project/g, project).replaceAll("/tmp/dev.log", `${tmp}/dev.log`);

function said({ code, signal, stdout, stderr }: Ended, { home, tmp }: Copy) {
  const names = { [home]: "~", [tmp]: "/tmp" };
  return { code, signal, stdout: comparable(stdout, names), stderr: comparable(stderr, names) };
}

/** Names, modes and contents of all in the project. Of packages the names: Vitest keeps there how long it took. Of the index what it says. */
function filesOf({ project, home, env }: Copy): string[] {
  const found: string[] = [];
  const walk = (below: string) => {
    for (const name of readdirSync(join(project, below)).sort()) {
      const [path, named] = [join(project, below, name), join(below, name)];
      const stat = statSync(path, { throwIfNoEntry: false });
      const mode = stat?.mode.toString(8);
      if (stat === undefined) found.push(`${named} -> ${readlinkSync(path)}`);
      else if (stat.isDirectory()) {
        found.push(`${named}/ ${mode}`);
        if (!below.startsWith("node_modules")) walk(named);
      } else if (named === ".git/index" || below.startsWith("node_modules")) found.push(`${named} ${mode}`);
      else {
        const content = readFileSync(path, "latin1").replaceAll(home, "~");
        found.push(`${named} ${mode} ${createHash("md5").update(content).digest("hex")}`);
      }
    }
  };
  walk("");
  const staged = execFileSync("git", ["ls-files", "--stage", "-t"], { cwd: project, env, encoding: "utf8" });
  return [...found, ...staged.split("\n")];
}

const differingFiles = (one: readonly string[], other: readonly string[]): string[] => [
  ...one.filter((file) => !other.includes(file)).map((file) => `in the box ${file}`),
  ...other.filter((file) => !one.includes(file)).map((file) => `outside ${file}`),
];

/** A gate, an agent, and the user who answers as widely as the session lets them. */
async function worked() {
  const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
  const place = temporaryHome();
  place.env.PATH = PATH;
  const gate = await startGate({ home: place });
  await gate.gate.core.box.ready;
  const now = `${Math.floor(Date.now() / 1000)} +0000`;
  const env = { PATH, LANG: "C.UTF-8", TERM: "dumb", TZ: "UTC", GIT_AUTHOR_DATE: now, GIT_COMMITTER_DATE: now };
  const boxed = copyIn(place.home, env);
  // Names of the same length: so are what is printed in columns.
  const plain = copyIn(mkdtempSync(join(dirname(place.home), "p-")), env);
  const agent = await gate.agent("tester", "Supervised", { supports: ["confine"] });
  const decide = async (command: string): Promise<Decision> => {
    const asked = await agent.ask({ executor: "Bash", args: { command }, context: { cwd: boxed.project } });
    if (asked.decision.pending === undefined) return asked.decision;
    const { token } = asked.decision.pending;
    const { choices, confined } = await gate.request(token);
    const inSession = choices.filter(({ scope }) => scope === "session");
    const reaches = [...(confined === null ? [] : ["project" as const]), "tree", "host", "exact"] as const;
    const wider = reaches.find((wanted) => inSession.some(({ reach }) => reach === wanted));
    const answer = wider === undefined ? {} : ({ scope: "session", reach: wider } as const);
    await gate.operator.call("approvals.resolve", { token, decision: "approved", ...answer });
    return asked.final();
  };
  const explain = (command: string) => gate.operator.call("box.explain", { command, cwd: boxed.project });
  return { boxed, plain, decide, explain };
}

describe.skipIf(reason !== undefined)("the steps of an ordinary coding session", () => {
  it("have the same output, exit codes and files in their boxes, but for what the list says", async () => {
    const { boxed, plain, decide, explain } = await worked();
    const differing: string[] = [];
    const leftOut: string[] = [];
    const byDesign: string[] = [];
    const missing: string[] = [];
    const counts = { needs: 0, looking: 0, project: 0, as_is: 0 };
    for (const [index, step] of CODING_COMMANDS.entries()) {
      const named = `${index + 1}: ${step.split("\n")[0]}`;
      const line = lineIn(step, boxed);
      const { outcome, reason, confine, confined, capabilities } = await decide(line);
      expect([named, outcome, reason]).toEqual([named, "allowed", reason]);
      const host = capabilities.find(({ capability }) => capability === "network:http")?.target;
      const why = confine === undefined ? await explain(line) : null;
      // Nothing but what the gate clears runs here without a box.
      if (confined?.network === true || host !== undefined || (why !== null && why.reason !== "clear")) {
        leftOut.push(`${named} (${host ?? (why === null ? "a host" : `${why.reason}, ${why.about}`)})`);
        continue;
      }
      counts[confine === undefined ? "as_is" : (confined?.kind ?? "project")]++;
      const [inBox, outside] = await Promise.all([
        shellRuns(confine === undefined ? line : confinedCommand(confine.argv), boxed.project, { env: boxed.env }),
        shellRuns(lineIn(step, plain), plain.project, { env: plain.env, shell: "bash" }),
      ]);
      const both = [said(inBox, boxed), said(outside, plain)];
      if (outside.code === 127) missing.push(named);
      if (OF_THE_MACHINE.includes(step)) for (const one of both) one.stdout = "";
      // It searches files at once, and prints each one's lines as they come.
      if (/^rg /.test(step)) for (const one of both) one.stdout = one.stdout.split("\n").sort().join("\n");
      const listed = BY_DESIGN[step];
      if (listed !== undefined) {
        expect([named, both[0]]).not.toEqual([named, both[1]]);
        byDesign.push(`${named} (${listed.why})`);
        for (const one of both) one.stdout = listed.alike(one.stdout);
      }
      if (!isDeepStrictEqual(both[0], both[1])) differing.push(`${named}: ${JSON.stringify(both)}`);
      const hasWritten = capabilities.some(({ capability }) => capability === "fs:write");
      if (!hasWritten && index < CODING_COMMANDS.length - 1) continue;
      const files = differingFiles(filesOf(boxed), filesOf(plain));
      if (files.length > 0) differing.push(`${named}: its files: ${files.join(", ")}`);
    }
    const compared = CODING_COMMANDS.length - leftOut.length;
    const lists = [
      [`${compared} of ${CODING_COMMANDS.length} steps are compared, by their boxes: ${JSON.stringify(counts)}`],
      [`${missing.length} of them with a program that isn't installed here`, ...missing],
      [`${byDesign.length} of them other by design`, ...byDesign],
      [`${leftOut.length} are left out, in both copies`, ...leftOut],
    ];
    console.log(lists.map((lines) => lines.join("\n  ")).join("\n"));
    expect(differing).toEqual([]);
    expect(byDesign.length).toBe(Object.keys(BY_DESIGN).length);
    expect(compared).toBeGreaterThan(170);
  }, 600_000);
});
