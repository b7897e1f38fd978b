import type { Adapter } from "../adapter.ts";
import { withClientCheck } from "../client-check.ts";
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
    return await withClientCheck(codex, context, await codexChecks(context));
  },
  launch: launchCodex,
};
