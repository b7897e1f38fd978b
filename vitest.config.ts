import { defineConfig } from "vitest/config";

/** Tiers: `npm run test:unit`, `test:integration`, `test:e2e`; `npm test` runs all of them. */

/** No process is started, no browser, no bus. Their files share a process: what a module keeps, it keeps for the next file too. */
const UNIT = ["test/*.test.ts", "test/{gate,metrics,operator,ipc}/**/*.test.ts"];

/** The whole product, as a user has it: a browser, the desktop app, a package, several surfaces at once, a real client. */
const E2E = [
  "test/{page,homes,desktop,packaging,clients}/**/*.test.ts",
  "test/web/browser.test.ts",
  "test/notifications/dunst.test.ts",
];

export default defineConfig({
  test: {
    reporters: ["default", "./test/support/plain-summary.ts"],
    setupFiles: ["test/support/isolated-home.ts"],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: "forks",
    maxWorkers: 2,
    projects: [
      { test: { name: "unit", include: UNIT, isolate: false } },
      {
        test: {
          name: "integration",
          include: ["test/**/*.test.ts"],
          exclude: [...UNIT, ...E2E],
          globalSetup: ["test/support/global-setup.ts"],
        },
      },
      { test: { name: "e2e", include: E2E, globalSetup: ["test/support/global-setup.ts"] } },
    ],
  },
});
