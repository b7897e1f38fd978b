import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/**
 * Tiers: `npm run test:unit`, `test:integration`, `test:e2e`; `npm test` runs all of them. The files of the first two share processes
 * (`isolate`), which saves half a second a file: what a module keeps, it keeps for the next file too; HOME is each file's own.
 */

/** The gate's parts and its contract, in the test's own process. What asks a hundred bash processes is none of them. */
const UNIT = ["test/*.test.ts", "test/{metrics,operator}/**/*.test.ts", "test/gate/**/!(bash-oracle*).test.ts"];

/** The product as a user has it: a browser, the desktop app, a package, several surfaces at once, the real client. */
const E2E = [
  "test/{page,homes,desktop,packaging,clients}/**/*.test.ts",
  "test/web/browser.test.ts",
  "test/notifications/dunst.test.ts",
  // Puts other words in the place of the gate's: it needs modules of its own.
  "test/serve/words.test.ts",
  // Measures its process's memory: other files' must not be in it.
  "test/serve/heap-keeper.test.ts",
];

const BUILT = { globalSetup: ["test/support/global-setup.ts"] };

export default defineConfig({
  test: {
    reporters: ["default", "./test/support/plain-summary.ts"],
    setupFiles: ["test/support/isolated-home.ts"],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: "forks",
    maxWorkers: Math.max(2, availableParallelism()),
    projects: [
      { test: { name: "unit", include: UNIT, isolate: false } },
      // Whatever is in neither of the others: no file is left out.
      {
        test: {
          ...BUILT,
          name: "integration",
          include: ["test/**/*.test.ts"],
          exclude: [...UNIT, ...E2E],
          isolate: false,
        },
      },
      // The desktop's tests put something else in Electron's place: they need modules of their own.
      {
        test: {
          name: "e2e",
          include: E2E,
          globalSetup: [...BUILT.globalSetup, "test/support/browser-setup.ts"],
        },
      },
    ],
  },
});
