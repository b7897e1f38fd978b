import { existsSync } from "node:fs";
import { launcherFile } from "../../hook/launcher.ts";
import type { Adapter } from "../adapter.ts";
import { clientCheck } from "../client-check.ts";
import { CODEX_PROGRAM } from "./codex-program.ts";
import { codexChecks } from "./hook-check.ts";
import { launchCodex } from "./launch.ts";
import { connectCodex, disconnectCodex } from "./settings.ts";

export const codex: Adapter = {
  name: "codex",
  title: "Codex",
  program: CODEX_PROGRAM,
  connect: connectCodex,
  disconnect: disconnectCodex,
  async checks(context) {
    const checks = await codexChecks(context);
    // Before it is connected there is nothing to test it with.
    return existsSync(launcherFile(context.env)) ? [...checks, await clientCheck(codex, context.client)] : checks;
  },
  launch: launchCodex,
};
