import { GateError } from "../../ipc/gate-error.ts";
import { isoSeconds } from "../../ipc/iso-seconds.ts";
import { acceptProblems } from "../gate/audit/accept.ts";
import type { Claims } from "../gate/audit/against.ts";
import { archivedNotes, archiveMonths } from "../gate/audit/archive.ts";
import { notesIn } from "../gate/audit/checkpoint.ts";
import type { AuditLog } from "../gate/audit/log.ts";
import { tailAudit } from "../gate/audit/tail.ts";
import { verifyAudit } from "../gate/audit/verify.ts";
import { publicKey } from "../gate/receipts/signing-key.ts";
import type { Handlers, OperatorContext } from "./handlers.ts";

type AuditMethod = "audit.tail" | "audit.verify" | "audit.checkpoint" | "audit.accept" | "audit.archive";

export function auditMethods({ core }: OperatorContext): Handlers<AuditMethod> {
  const { audit, checkpoints, clock, paths, safety } = core;
  const claims = (given?: string, named?: Uint8Array): Claims => ({
    given: given === undefined ? undefined : notesIn(given),
    stored: [...checkpoints.files.all(), ...archivedNotes(paths.audit_dir)],
    keys: { own: checkpoints.keys.known(), named },
    origin: checkpoints.origin,
    epoch: checkpoints.epoch,
  });
  const trail = { folder: paths.audit_dir, head_file: paths.audit_head };
  return {
    "audit.tail": ({ lines }) => {
      audit.flush();
      return tailAudit(paths.audit_dir, lines);
    },
    "audit.verify": async ({ against, key }) => {
      const named = key === undefined ? undefined : keyIn(key);
      return inTurn(audit, async () => {
        audit.flush();
        // What was found at the start may be another trail than the one that was signed: then there is a new tree soon.
        await checkpoints.settled();
        const { end, lost } = audit;
        return verifyAudit(paths.audit_dir, paths.audit_head, end, clock.now(), claims(against, named), lost);
      });
    },
    "audit.checkpoint": async ({ is_fresh = false }) => {
      if (is_fresh) {
        audit.flush();
        await checkpoints.signNow();
      }
      const { newest } = checkpoints;
      if (newest === undefined) return { text: null, signed_at: null, lines: null };
      return { text: newest.text, signed_at: isoSeconds(newest.ms), lines: newest.size };
    },
    "audit.accept": async ({ reason }) =>
      inTurn(audit, async () => {
        await checkpoints.settled();
        const report = await acceptProblems(audit, trail, reason, clock.now(), claims());
        if (report.accepted > 0) checkpoints.rebuild();
        await checkpoints.settled();
        return report;
      }),
    "audit.archive": async ({ before }) =>
      inTurn(audit, async () => {
        if (safety.pause.reason !== undefined) {
          const message = "the gate is paused: where its database is lost, the months that say so are looked through";
          throw new GateError("trail_not_whole", message, "archive them once it isn't paused any more");
        }
        return archiveMonths({ audit, checkpoints, trail, claims, now: clock.now }, before);
      }),
  };
}

/** What each trail is read or changed as a whole by, one after the other: no file is taken away under a reader. */
const turns = new WeakMap<AuditLog, Promise<unknown>>();

function inTurn<T>(audit: AuditLog, act: () => Promise<T>): Promise<T> {
  const turn = (turns.get(audit) ?? Promise.resolve()).then(act);
  turns.set(
    audit,
    turn.catch(() => undefined),
  );
  return turn;
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
