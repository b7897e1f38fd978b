import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { leftOut } from "./test/support/areas.ts";
import { LongestFirst } from "./test/support/longest-first.ts";

/**
 * Tiers: `npm run test:unit`, `test:integration`, `test:e2e`; `npm test` runs all of them. Files share processes
 * (`isolate`), which saves half a second a file: what a module keeps, it keeps for the next file too; HOME is each file's own.
 */

/** The gate's parts and its contract, in the test's own process. What asks a hundred bash processes is none of them. */
const UNIT = [
  "test/*.test.ts",
  "test/{surfaces/metrics,surfaces/operator,judge-eval}/**/!(command).test.ts",
  "test/{agents,base,calls,config,decide,targets}/**/*.test.ts",
  "test/records/{activity,audit,receipts}/**/*.test.ts",
  "test/core/*.test.ts",
  "test/judges/reviews/{model-judge,sent,validators}/**/*.test.ts",
  "test/shell-reading/{clear,programs,shell,targets}/**/!(bash-oracle*).test.ts",
];

/** The product as a user has it: a browser, a package, several surfaces at once. */
const E2E = [
  "test/{page,homes,packaging}/**/*.test.ts",
  "test/surfaces/web/browser.test.ts",
  "test/surfaces/notifications/dunst.test.ts",
];

/** Those that need modules, or a process, of their own. */
const APART = [
  // They put something else in Electron's place.
  "test/desktop/**/*.test.ts",
  // They put something else in the place of the gate's words, and of a look at each file.
  "test/serve/words.test.ts",
  "test/undo/stores.test.ts",
  // Measures its process's memory: other files' must not be in it.
  "test/serve/heap-keeper.test.ts",
];

/** What a box must hold, once more with bubblewrap, which makes the boxes where the gate's own program can't. */
const WITH_BUBBLEWRAP = [
  "test/box/service/probe.test.ts",
  "test/box/hostile/hostile.test.ts",
  "test/box/narrow/held-lines.test.ts",
  "test/box/runs/ended-early.test.ts",
  "test/box/arguments/mounts.test.ts",
];

/**
 * The real clients. Each takes seconds of a processor to start, and has limits of its own for how long a hook may take: no more at once
 * than there are processors.
 */
const CLIENTS = "test/clients/**/*.test.ts";

/** They time what a gate does beside a hostile agent: after all others, one at a time. */
const ALONE = ["test/box/hostile-delays.test.ts"];

const ANY = { globalSetup: ["test/support/removed-folders.ts"] };
const BUILT = { globalSetup: [...ANY.globalSetup, "test/support/global-setup.ts"] };
const SHOWN = { globalSetup: [...BUILT.globalSetup, "test/support/browser-setup.ts"] };

/** Of areas whose sources are those with which all of their tests passed, a part each day. */
const LEFT_OUT = leftOut(import.meta.dirname, (why) => console.log(why));

/** Half of their time tests wait, for processes, pages and timers: two at once for each processor. */
const WORKERS = 2 * Math.max(2, availableParallelism());

export default defineConfig({
  test: {
    reporters: ["default", "./test/support/note-areas.ts", "./test/support/plain-summary.ts"],
    setupFiles: ["test/support/isolated-home.ts"],
    // How long an event may take on a machine that is busy with something else: what is waited for and never comes says so late, and
    // nothing else depends on it.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    pool: "forks",
    sequence: { sequencer: LongestFirst },
    maxWorkers: WORKERS,
    projects: [
      { test: { ...ANY, name: "unit", include: UNIT, setupFiles: ["test/support/no-machine.ts"], isolate: false } },
      // Whatever is in neither of the others: no file is left out.
      {
        test: {
          ...BUILT,
          name: "integration",
          include: ["test/**/*.test.ts"],
          exclude: [...UNIT, ...E2E, ...APART, CLIENTS, ...ALONE, ...LEFT_OUT],
          isolate: false,
        },
      },
      {
        test: {
          ...BUILT,
          name: "bubblewrap",
          include: WITH_BUBBLEWRAP,
          exclude: [...LEFT_OUT],
          env: { METNOS_BOX_MAKER: "bubblewrap" },
          isolate: false,
        },
      },
      { test: { ...SHOWN, name: "e2e", include: E2E, exclude: [...LEFT_OUT], isolate: false } },
      { test: { ...BUILT, name: "e2e-apart", include: APART, exclude: [...LEFT_OUT] } },
      {
        test: {
          ...BUILT,
          name: "clients",
          include: [CLIENTS],
          exclude: [...LEFT_OUT],
          isolate: false,
          testTimeout: 300_000,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...BUILT,
          name: "alone",
          include: ALONE,
          exclude: [...LEFT_OUT],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
