import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import { IS_WHOLE_RUN, ofDay } from "../../support/whole-run.ts";
import { Confinement, PROGRAM, UNCONFINED } from "./confinement.ts";
import { boxMissing, notChecked } from "./missing.ts";
import { outcomeOf } from "./outcome.ts";
import type { HostileScript } from "./script.ts";
import { ANSWERS } from "./scripts/answers.ts";
import { COVERS, UNSEEN } from "./scripts/covers.ts";
import { FURTHER_CALLS } from "./scripts/further-calls.ts";
import { KEPT_PLACES, NEW_PLACES } from "./scripts/planted.ts";
import { KERNEL_FILES, NAMESPACES, SYSTEM_CALLS } from "./scripts/proc-and-mounts.ts";
import { LIMITS, PROCESSES } from "./scripts/processes.ts";
import { CALLER, SECRETS, SOCKETS } from "./scripts/reaching.ts";
import { LINKS, WRITES_OUTSIDE } from "./scripts/writes-outside.ts";
import { World } from "./world.ts";

/** Bubblewrap is tried in part beside the gate's own program, with which each script runs. */
const IS_BESIDE = process.env.METNOS_BOX_MAKER === "bubblewrap" && !IS_WHOLE_RUN;

/** Each script runs in a project of its own, by the launcher of a real gate's box. After each, everything around it is looked at. */

const SCRIPTS = [
  ...[WRITES_OUTSIDE, LINKS, KERNEL_FILES, NAMESPACES, SYSTEM_CALLS, PROCESSES, LIMITS].flat(),
  ...[SOCKETS, SECRETS, CALLER, KEPT_PLACES, NEW_PLACES, ANSWERS].flat(),
  ...[FURTHER_CALLS, COVERS, UNSEEN].flat(),
];

/** So many days until each script ran as an ordinary user, and without a box; all of them with WHOLE_RUN=true: it takes minutes. */
const [AS_USER_DAYS, SHOWN_DAYS] = [IS_BESIDE ? 6 : 3, IS_BESIDE ? 40 : 16];

const OWN_UID = process.getuid?.() ?? 0;
/** Nobody else's: what is sent to all of a user's processes reaches the test's alone. */
const OTHER_UID = 20_000 + (process.pid % 40_000);
const TIMEOUT_MS = 60_000;

interface Place {
  world: World;
  box: Confinement;
}

const places = new Map<number, Promise<Place>>();
function placeOf(uid: number): Promise<Place> {
  const made =
    places.get(uid) ?? World.make(uid).then(async (world) => ({ world, box: await Confinement.start(world) }));
  places.set(uid, made);
  return made;
}

afterAll(async () => {
  for (const { world, box } of await Promise.all(places.values())) {
    await box.kill();
    await world.close();
  }
});

async function expectConfined(script: HostileScript, uid = OWN_UID): Promise<void> {
  if (boxMissing()) return;
  const { world, box } = await placeOf(uid);
  const { violations } = await outcomeOf(script, world, box);
  if (script.knownHole === undefined) return expect(violations).toEqual([]);
  console.log(`${script.id} is a known hole: ${script.knownHole}`);
  expect(violations, "it is closed: take it off the list").not.toEqual([]);
}

type Case = [name: string, script: HostileScript];
const cases = (scripts: readonly HostileScript[]): Case[] =>
  scripts.map((script) => [`${script.what} (${script.id})`, script]);

const forUsersOnly = ({ isForUsersOnly = false }: HostileScript): boolean => isForUsersOnly && OWN_UID === 0;
const here = (scripts: readonly HostileScript[]): Case[] =>
  cases(ofDay(scripts, IS_BESIDE ? 8 : 2).filter((script) => !forUsersOnly(script)));

describe("a command in the box", { timeout: TIMEOUT_MS }, () => {
  const check = async (_name: string, script: HostileScript): Promise<void> => expectConfined(script);

  it.each(here(WRITES_OUTSIDE))("changes no file outside: %s", check);

  it.each(here(LINKS))("changes no file outside by a link: %s", check);

  it.each(here(KERNEL_FILES))("changes nothing of the kernel's and finds no device: %s", check);

  it.each(here(NAMESPACES))("uncovers nothing by mounts and namespaces: %s", check);

  it.each(here(SYSTEM_CALLS))("does nothing by a system call that no build needs: %s", check);

  it.each(here(PROCESSES))("reaches no process outside, and leaves none behind: %s", check);

  it.each(here(LIMITS))("uses no more than it may: %s", check);

  it.each(here(SOCKETS))("reaches no socket and no network: %s", check);

  it.each(here(SECRETS))("reads no secret: %s", check);

  it.each(here(CALLER))("gets nothing run outside by the caller's shell: %s", check);

  it.each(here(KEPT_PLACES))("changes nothing that is run later: %s", check);

  it.each(here(NEW_PLACES))("leaves nothing new that is run later: %s", check);

  it.each(here(ANSWERS))("forges no answer: %s", check);

  it.each(here(FURTHER_CALLS))("does nothing by calls that other tables don't make: %s", check);

  it.each(here(COVERS))("uncovers nothing that is hidden or kept by names: %s", check);

  it.each(here(UNSEEN))("hides nothing from the look after a run: %s", check);
});

/** Whether another user can be tried: root alone can become one, who must be able to read these files. */
function otherUserMissing(): boolean {
  if (boxMissing()) return true;
  if (OWN_UID !== 0) return true;
  const { status } = spawnSync(process.execPath, [PROGRAM, "--look"], { uid: OTHER_UID, gid: OTHER_UID, cwd: "/" });
  return status !== 0 && notChecked("an ordinary user can't read Node or this checkout");
}

describe("as an ordinary user", { timeout: TIMEOUT_MS }, () => {
  const chosen = SCRIPTS.filter(({ asUser = false }) => IS_WHOLE_RUN || asUser);

  it.each(cases(ofDay(chosen, AS_USER_DAYS)))(
    "a command in the box is confined as root's is: %s",
    async (_name, script) => {
      if (!otherUserMissing()) await expectConfined(script, OTHER_UID);
    },
  );

  const harmful = SCRIPTS.filter(({ unshown, knownHole }) => unshown === undefined && knownHole === undefined);
  it.each(cases(ofDay(harmful, SHOWN_DAYS)))(
    "without a box the same does harm, and the test sees it: %s",
    async (_name, script) => {
      if (otherUserMissing()) return;
      const world = await World.make(OTHER_UID);
      try {
        const { violations } = await outcomeOf(script, world, UNCONFINED);
        expect(violations).not.toEqual([]);
      } finally {
        await world.close();
      }
    },
  );
});
