import { randomInt } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TemporaryHome } from "./temporary-home.ts";

/** Below those that the system gives to connections: from 32768 on another one may have it between two starts of a gate. */
const FIRST = 10_000;
const AFTER_LAST = 32_000;

/** Each worker has a part of them of its own, beginning anywhere: a port is given once in a run. */
const PARTS = 10;
const IN_PART = (AFTER_LAST - FIRST) / PARTS;
const part = Number(process.env.VITEST_POOL_ID ?? 0) % PARTS;
let next = randomInt(IN_PART);

/**
 * A port for a home's page that no other home's has: gates that run at the same time would all want the usual one, and a page that is
 * still open would ask the gate that has it next.
 */
export function givePort({ paths }: TemporaryHome): void {
  const file = join(paths.state_dir, "web-port");
  if (existsSync(file)) return;
  mkdirSync(paths.state_dir, { recursive: true, mode: 0o700 });
  next = (next + 1) % IN_PART;
  writeFileSync(file, `${FIRST + part * IN_PART + next}\n`, { mode: 0o600 });
}
