import { existsSync } from "node:fs";
import { launcherFile } from "../../hook/launcher.ts";
import type { Adapter } from "../adapter.ts";
import { clientCheck, clientNote } from "../client-check.ts";
import { CODEX_PROGRAM } from "./codex-program.ts";
import { codexChecks } from "./hook-check.ts";
import { launchCodex } from "./launch.ts";
import { connectCodex, disconnectCodex } from "./settings.ts";

export const codex: Adapter = {
  name: "codex",
  title: "Codex",
  program: CODEX_PROGRAM,
  async connect(options) {
    const result = await connectCodex(options);
    return { ...result, notes: [...(result.notes ?? []), await clientNote(codex, options.client)] };
  },
  disconnect: disconnectCodex,
  async checks(context) {
    const checks = await codexChecks(context);
    // Before it is connected there is nothing to test it with.
    return existsSync(launcherFile(context.env)) ? [...checks, await clientCheck(codex, context.client)] : checks;
  },
  launch: launchCodex,
};
