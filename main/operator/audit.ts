import { GateError } from "../../ipc/gate-error.ts";
import { isoSeconds } from "../../ipc/iso-seconds.ts";
import { acceptProblems } from "../gate/audit/accept.ts";
import type { Claims } from "../gate/audit/against.ts";
import { notesIn } from "../gate/audit/checkpoint.ts";
import { tailAudit } from "../gate/audit/tail.ts";
import { verifyAudit } from "../gate/audit/verify.ts";
import { publicKey } from "../gate/receipts/signing-key.ts";
import type { Handlers, OperatorContext } from "./handlers.ts";

export function auditMethods({
  core,
}: OperatorContext): Handlers<"audit.tail" | "audit.verify" | "audit.checkpoint" | "audit.accept"> {
  const { audit, checkpoints, clock, paths } = core;
  const claims = (given?: string, named?: Uint8Array): Claims => ({
    given: given === undefined ? undefined : notesIn(given),
    stored: checkpoints.files.all(),
    keys: { own: checkpoints.keys.known(), named },
    origin: checkpoints.origin,
    epoch: checkpoints.epoch,
  });
  return {
    "audit.tail": ({ lines }) => {
      audit.flush();
      return tailAudit(paths.audit_dir, lines);
    },
    "audit.verify": async ({ against, key }) => {
      const named = key === undefined ? undefined : keyIn(key);
      audit.flush();
      // What was found at the start may be another trail than the one that was signed: then there is a new tree soon.
      await checkpoints.settled();
      return verifyAudit(paths.audit_dir, paths.audit_head, audit.end, clock.now(), claims(against, named));
    },
    "audit.checkpoint": () => {
      const { newest } = checkpoints;
      if (newest === undefined) return { text: null, signed_at: null, lines: null };
      return { text: newest.text, signed_at: isoSeconds(newest.ms), lines: newest.size };
    },
    "audit.accept": async ({ reason }) => {
      await checkpoints.settled();
      const trail = { folder: paths.audit_dir, head_file: paths.audit_head };
      const report = await acceptProblems(audit, trail, reason, clock.now(), claims());
      if (report.accepted > 0) checkpoints.rebuild();
      await checkpoints.settled();
      return report;
    },
  };
}

/** @throws GateError `invalid_params` */
function keyIn(pem: string): Uint8Array {
  try {
    return publicKey(pem).public_bytes;
  } catch (error) {
    const hint = "pass it as the gate prints it: -----BEGIN PUBLIC KEY----- ...";
    throw new GateError("invalid_params", "the key is no Ed25519 public key in PEM", hint, { cause: error });
  }
}
