import { GateError } from "../../../ipc/contract/gate-error.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { archiveBefore, claimsAbout, inTurn } from "../../core/archiving.ts";
import { acceptProblems } from "../../records/audit/accept-problems.ts";
import { tailAudit } from "../../records/audit/last-lines.ts";
import { verifyAudit } from "../../records/audit/verify.ts";
import { publicKey } from "../../records/receipts/signing-key.ts";
import type { Handlers, OperatorContext } from "./handlers.ts";

type AuditMethod = "audit.tail" | "audit.verify" | "audit.checkpoint" | "audit.accept" | "audit.archive";

export function auditMethods({ core }: OperatorContext): Handlers<AuditMethod> {
  const { audit, checkpoints, clock, paths } = core;
  const trail = { folder: paths.auditDir, headFile: paths.auditHead };
  const verified = (against?: string, named?: Uint8Array) => {
    const { end, lost } = audit;
    return verifyAudit(paths.auditDir, paths.auditHead, end, clock.now(), claimsAbout(core, against, named), lost);
  };
  return {
    "audit.tail": ({ lines }) => {
      audit.flush();
      return tailAudit(paths.auditDir, lines);
    },
    "audit.verify": async ({ against, key }) => {
      const named = key === undefined ? undefined : keyIn(key);
      return inTurn(audit, async () => {
        audit.flush();
        return verified(against, named);
      });
    },
    "audit.checkpoint": async ({ is_fresh = false }) => {
      if (is_fresh) {
        audit.flush();
        checkpoints.signNow();
      }
      const { newest } = checkpoints;
      if (newest === undefined) return { text: null, signed_at: null, lines: null };
      return { text: newest.text, signed_at: isoSeconds(newest.ms), lines: newest.size };
    },
    "audit.accept": async ({ reason }) =>
      inTurn(audit, async () => {
        const { isOther, accepted, ...report } = await acceptProblems(audit, trail, reason, clock.now(), () =>
          claimsAbout(core),
        );
        if (accepted === 0) return { ...report, accepted };
        if (isOther) checkpoints.restart("accepted");
        else checkpoints.signNow();
        // What the checkpoints prove is accepted once that is signed.
        return { ...(await verified()), accepted };
      }),
    "audit.archive": ({ before }) => archiveBefore(core, before),
  };
}

/** @throws GateError `invalid_params` */
function keyIn(pem: string): Uint8Array {
  try {
    return publicKey(pem).publicBytes;
  } catch (error) {
    const hint = "pass it as the gate prints it: -----BEGIN PUBLIC KEY----- ...";
    throw new GateError("invalid_params", "the key is no Ed25519 public key in PEM", hint, { cause: error });
  }
}
