import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/**
 * Tiers: `npm run test:unit`, `test:integration`, `test:e2e`; `npm test` runs all of them. Test files of one tier share processes (`isolate`),
 * which saves half a second a file: what a module keeps, it keeps for the next file too, and HOME is each file's own.
 */

/** The gate's parts and its contract, in the test's own process. */
const UNIT = ["test/*.test.ts", "test/{gate,metrics,operator}/**/*.test.ts"];

/** Each starts a hundred bash processes to compare with. */
const BASH_ORACLES = "test/gate/shell/bash-oracle*.test.ts";

/** The product as a user has it: a browser, the desktop app, a package, several surfaces at once, the real client. */
const E2E = [
  "test/{page,homes,desktop,packaging,clients}/**/*.test.ts",
  "test/web/browser.test.ts",
  "test/notifications/dunst.test.ts",
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
      { test: { name: "unit", include: UNIT, exclude: [BASH_ORACLES], isolate: false } },
      {
        test: {
          ...BUILT,
          name: "integration",
          include: [
            "test/{attacks,cli,docs,ipc,notifications,reliability,serve,shells,storage,web}/**/*.test.ts",
            BASH_ORACLES,
          ],
          exclude: E2E,
          isolate: false,
        },
      },
      // The desktop's tests put something else in Electron's place: they need modules of their own.
      { test: { ...BUILT, name: "e2e", include: E2E } },
    ],
  },
});
