import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Alarms } from "../main/base/alarms.ts";
import { notesIn } from "../main/records/audit/checkpoint.ts";
import { Checkpoints } from "../main/records/audit/checkpoints.ts";
import type { Claims } from "../main/records/audit/compare-checkpoints.ts";
import { AuditLog } from "../main/records/audit/log.ts";
import { verifyAudit } from "../main/records/audit/verify.ts";
import { type Figure, figure } from "./figure.ts";

/** A trail of 1,000,000 lines: verified alone and against its checkpoints, and what checkpoints cost for each line. */

const LINES = 1_000_000;
const MAX_VERIFY_S = 10;
const LINES_IN_A_TURN = 16;
const LINE_MS = 1500;

/** A line as a decision's is. */
function record(index: number, ms: number) {
  return {
    event: "decision",
    approved: true,
    reason: "the policy allows reading in the project",
    ts: ms / 1000,
    judge_kind: "rules",
    blocked_by: null,
    intent: "read the next source file of the project",
    executor: "Read",
    args_keys: ["file_path", "limit"],
    context_keys: ["cwd"],
    decision_id: `d_${index.toString(16).padStart(24, "0")}`,
    agent: "worker",
    outcome: "allowed",
    stage: "policy",
    rule: "policy.allow",
    capabilities: ["fs:read"],
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Writes the lines, with checkpoints or without. Returns the processor's time, in milliseconds. */
async function write(top: string, withCheckpoints: boolean) {
  let ms = Date.parse("2026-05-01T00:00:00Z");
  const now = () => ms;
  const folder = join(top, "vaglio");
  const audit = new AuditLog(folder, join(top, "audit-head"), now);
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const publicBytes = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const checkpoints = new Checkpoints({
    audit,
    keys: {
      current: () => ({ publicBytes, sign: (message) => sign(null, message, privateKey) }),
      known: () => [publicBytes],
    },
    folder,
    recordFile: join(top, "audit-tree"),
    checkpointsDir: join(top, "checkpoints"),
    checkpoint_file: undefined,
    now,
    alarms: new Alarms(now, () => undefined),
    failed: (_what, error) => {
      throw error;
    },
  });
  if (withCheckpoints) checkpoints.begin();
  const before = process.cpuUsage();
  for (let index = 0; index < LINES; index++) {
    ms += LINE_MS;
    audit.append(record(index, ms));
    if (index % LINES_IN_A_TURN !== LINES_IN_A_TURN - 1) continue;
    audit.flush();
    await turn();
    if (index % 20_000 < LINES_IN_A_TURN && withCheckpoints) checkpoints.tend();
  }
  if (withCheckpoints) checkpoints.close();
  audit.close();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000, checkpoints, folder, headFile: join(top, "audit-head"), publicBytes, ms };
}

export async function trail(): Promise<Figure[]> {
  const top = mkdtempSync(join(tmpdir(), "metnos-bench-trail-"));
  try {
    const plain = await write(join(top, "plain"), false);
    rmSync(join(top, "plain"), { recursive: true });
    const { cpuMs, checkpoints, folder, headFile, publicBytes, ms } = await write(join(top, "signed"), true);
    const stored = checkpoints.files.all();
    const claims: Claims = {
      given: notesIn(checkpoints.newest?.text ?? ""),
      stored,
      keys: { own: [publicBytes], named: undefined },
      origin: checkpoints.origin,
      epoch: checkpoints.epoch,
    };
    const timed = async (compared: Claims | undefined) => {
      const begun = performance.now();
      const before = process.cpuUsage();
      const { ok, lines } = await verifyAudit(folder, headFile, undefined, ms, compared);
      if (!ok || lines < LINES) throw new Error("the trail isn't as it was written");
      const { user, system } = process.cpuUsage(before);
      const elapsed = `${((performance.now() - begun) / 1000).toFixed(1)} s by the clock`;
      return { cpuS: (user + system) / 1_000_000, elapsed };
    };
    const alone = await timed(undefined);
    const against = await timed({ ...claims, stored: stored.slice(-1) });
    const all = await timed(claims);
    const perLineUs = ((cpuMs - plain.cpuMs) * 1000) / LINES;
    return [
      figure("1,000,000 lines verified", alone.cpuS, "s", MAX_VERIFY_S, `of processor time; ${alone.elapsed}`),
      figure(
        "against one checkpoint",
        against.cpuS,
        "s",
        MAX_VERIFY_S,
        `its signature, and the line that it names; ${against.elapsed}`,
      ),
      figure(
        "against all checkpoints",
        all.cpuS,
        "s",
        null,
        `${stored.length}, each with its signature; ${all.elapsed}`,
      ),
      figure("a line's share of the checkpoints", perLineUs, "us", null, "signing, storing; on no decision's way"),
    ];
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}
