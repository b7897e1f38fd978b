import type { Adapter } from "../adapter.ts";
import { CODEX_PROGRAM } from "./codex-home.ts";
import { codexChecks } from "./hook-check.ts";
import { launchCodex } from "./launch.ts";
import { connectCodex, disconnectCodex } from "./settings.ts";

export const codex: Adapter = {
  name: "codex",
  title: "Codex",
  program: CODEX_PROGRAM,
  connect: connectCodex,
  disconnect: disconnectCodex,
  checks: codexChecks,
  launch: launchCodex,
};
