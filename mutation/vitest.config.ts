import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** For one mutant's tests in a copy of the tree: nothing is built, nothing is kept in the shared packages' folder. */
export default defineConfig({
  cacheDir: join(tmpdir(), "vite"),
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/isolated-home.ts"],
    // On a busy machine nothing is noticed for being slow.
    testTimeout: 60_000,
    hookTimeout: 20_000,
    pool: "forks",
  },
});
