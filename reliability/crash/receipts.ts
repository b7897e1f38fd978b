import { setTimeout as sleep } from "node:timers/promises";
import type { GatePaths } from "../../ipc/base/paths.ts";
import type { ApprovalView, GrantView, OperatorApi } from "../../ipc/contract/operator-api.ts";
import { recordedEnd } from "../../main/core/offline-receipts.ts";
import { MONTH_FILE } from "../../main/records/audit/chain.ts";
import { knownKeys } from "../../main/records/receipts/receipt-keys.ts";
import { statementOfLine } from "../../main/records/receipts/receipt-line.ts";
import { verifyFolder } from "../../main/records/receipts/verify.ts";
import { withCopy } from "./databases.ts";
import { count, type Ledger } from "./ledger.ts";
import type { Snapshot } from "./snapshot.ts";
import { linesIn } from "./trail.ts";

/**
 * Every answered card, every grant, every revocation and every undo has exactly one receipt once the next gate runs, and nothing else has one;
 * the trail is what checkpoints say that were signed before the kill.
 */

/** What is due at a start is made in its next turns: here, at most so long after it. Milliseconds, where the machine does nothing else. */
const MADE_WITHIN_MS = 5000;
const LOOK_AGAIN_MS = 20;

/** What the files say of the receipts, at one time. */
type Found = ReadonlyMap<string, number>;

export async function checkReceipts(
  ledger: Ledger,
  { requests, grants }: Pick<Snapshot, "requests" | "grants">,
  paths: GatePaths,
  { env, slowness }: { env: NodeJS.ProcessEnv; slowness: number },
): Promise<void> {
  const undone = [...ledger.features.undone].map((id) => `undo:${id}`);
  const wanted = [...answersIn(requests), ...grantActsIn(grants), ...undone];
  const giveUpAt = performance.now() + MADE_WITHIN_MS * slowness;
  let found = eventsIn(paths.receiptsDir);
  while (wanted.some((event) => !found.has(event)) && performance.now() < giveUpAt) {
    await sleep(LOOK_AGAIN_MS);
    found = eventsIn(paths.receiptsDir);
  }
  compareReceipts(ledger, wanted, found);
  const { problems } = verifyFolder(paths.receiptsDir, knownKeys(paths.receiptsDir), recordedEnd(env));
  for (const { verdict, file, line, message } of problems)
    ledger.violateOnce("receipt_wrong", `${file}:${line}: ${verdict}: ${message}`);
}

/** `wanted`: events that have to have one; `found`: how many each has. */
export function compareReceipts(ledger: Ledger, wanted: readonly string[], found: Found): void {
  for (const event of wanted) if (!found.has(event)) ledger.violateOnce("receipt_missing", `${event} has no receipt`);
  // A denial that was pressed on the phone may be read after the requests were.
  const byPhone = [...ledger.features.deniedByPhone].map((token) => `answer:${token}`);
  const undos = [...ledger.features.listedUndos].map((id) => `undo:${id}`);
  const known = new Set([...wanted, ...byPhone, ...undos]);
  for (const [event, number] of found) {
    if (number > 1) ledger.violateOnce("receipt_twice", `${event} has ${number} receipts`);
    if (!known.has(event)) ledger.violateOnce("invented", `a receipt says ${event}`);
  }
  ledger.receipts = found.size;
}

function answersIn(requests: readonly ApprovalView[]): string[] {
  return requests
    .filter(({ status }) => status === "approved" || status === "rejected")
    .map(({ token }) => `answer:${token}`);
}

function grantActsIn(grants: readonly GrantView[]): string[] {
  return grants.flatMap(({ id, revoked_at }) => [
    `grant:${id}:given`,
    ...(revoked_at === null ? [] : [`grant:${id}:revoked`]),
  ]);
}

/** How many receipts there are of each event: of a grant's without the row that said that it was due. */
function eventsIn(folder: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const { lines } of linesIn(folder, MONTH_FILE)) {
    for (const line of lines) {
      const event = statementOfLine(line)?.predicate.event;
      if (event !== undefined) count(found, withoutRow(event));
    }
  }
  return found;
}

function withoutRow(event: string): string {
  return event.startsWith("grant:") ? event.split(":").slice(0, 3).join(":") : event;
}

/** How far receipts had come when a gate was killed, by how many of them. */
export interface ReceiptSteps {
  /** The answer is stored, with the row that says that its receipt is due. */
  due: number;
  /** The receipt is in its file, and its row is still there. */
  written: number;
  /** A line that was being written. */
  torn: number;
}

/** Read from copies: the next gate must find the files as they are. */
export function stepsOf({ approvals_db, grants_db, receiptsDir }: GatePaths): ReceiptSteps {
  const files = linesIn(receiptsDir, MONTH_FILE);
  const made = new Set(files.flatMap(({ lines }) => lines.map((line) => statementOfLine(line)?.predicate.event)));
  const rows = [
    ...dueIn(approvals_db, "SELECT 'answer:' || token AS event FROM receipts_due"),
    ...dueIn(grants_db, "SELECT 'grant:' || grant_id || ':' || act || ':' || id AS event FROM receipts_due"),
  ];
  const written = rows.filter((event) => made.has(event)).length;
  return { due: rows.length - written, written, torn: files.filter(({ isTorn }) => isTorn).length };
}

function dueIn(file: string, sql: string): string[] {
  const events = withCopy(file, (db) => db.prepare<[], { event: string }>(sql).all());
  return (events ?? []).map(({ event }) => event);
}

/** Checkpoints that gates of one home have given, kept elsewhere as a user keeps them. */
export class KeptCheckpoints {
  #texts: string[] = [];

  /** Asks for one; none where the gate ends meanwhile. */
  async ask(operator: OperatorApi): Promise<void> {
    try {
      const { text } = await operator.call("audit.checkpoint", { is_fresh: true });
      if (text !== null) this.#texts = [...this.#texts, text].slice(-MOST_KEPT);
    } catch {
      // killed meanwhile: what was not given needs not be true
    }
  }

  /** The trail has to be as each of them says. */
  async check(ledger: Ledger, operator: OperatorApi): Promise<void> {
    if (this.#texts.length === 0) return;
    const { problems } = await operator.call("audit.verify", { against: this.#texts.join("\n") });
    for (const { file, line, kind, problem } of problems)
      ledger.violateOnce("checkpoint_broken", `${file}:${line}: ${kind}: ${problem}`);
    ledger.checkpointsCompared += this.#texts.length;
  }
}

/** The newest: each says all that an older one does. */
const MOST_KEPT = 20;
