import type { Decision } from "../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import type { UserWords } from "../agents/index.ts";
import { Throttle } from "../base/clocks/throttle.ts";
import { Gate, type SessionDecisions } from "../calls/index.ts";
import type { Box } from "../decide/confinement/box.ts";
import { GateFiles } from "../decide/guard/gate-files.ts";
import type { Subject } from "../decide/stages/examination.ts";
import type { Judges } from "../judges/index.ts";
import { hasLostTerminal } from "./codex-terminals.ts";
import type { PartsWithoutDatabase } from "./parts-without-database.ts";
import { refusedNote } from "./refused-note.ts";
import type { Opened } from "./stores.ts";

/** How often surfaces are informed at the most that another call is being judged, in milliseconds. */
const REVIEWS_CHANGED_MS = 250;

export function openGate(
  opened: Opened,
  { box, judges, decisions, words }: { box: Box; judges: Judges; decisions: SessionDecisions; words: UserWords },
): Gate {
  const { home, env, paths, config, clock, catalog, audit, prices, overrides, notes, publish, storage, failed } =
    opened;
  const { grants, mcp, approvals, activity, agent_pauses, rate, safety, state_reserve } = opened;
  const reviews_changed = new Throttle(REVIEWS_CHANGED_MS, () => publish({ type: "reviews.changed", data: {} }));
  return new Gate(
    {
      catalog,
      grants,
      mcp,
      approvals,
      audit,
      on_audit_failure: config.audit.on_failure,
      activity,
      canOverrideJudges: () => config.judge.override,
      decisions,
      words,
      stages: {
        home,
        env,
        grants,
        pause: safety.pause,
        refusals: approvals.refusals,
        agent_pauses,
        box,
        reviewers: judges.reviewers,
        rate,
        prices,
        overrides,
        mcp,
        words,
        lost: () => storage.watch.lossByNow()?.message,
        gate_files: new GateFiles(paths, home),
        get judge_threshold() {
          return config.judge.threshold;
        },
        now: clock.now,
      },
      broker: {
        home,
        get language() {
          return config.language;
        },
        get ttl_seconds() {
          return config.approvals.ttl_seconds;
        },
        session_seconds: config.approvals.session_seconds,
        clock,
        hasLostTerminal,
        withRoom: (act) => state_reserve.withRoom(act),
        toolAllowed: (agent_id, tool, said) => {
          if (mcp.allowed(agent_id, tool, said)) publish({ type: "mcp.changed", data: {} });
        },
      },
    },
    {
      decided: (decision, call, subject) => publishDecision(opened, decision, call, subject),
      waiting: (approval) => publish({ type: "approval.waiting", data: approval }),
      closed: (approval) => publish({ type: "approval.closed", data: approval }),
      granted: () => publish({ type: "grants.changed", data: {} }),
      refused: () => publish({ type: "refusals.changed", data: {} }),
      reviewsChanged: () => reviews_changed.go(),
      callRefused: (refused) => notes.say(refusedNote(refused, config.language)),
      moved: (token, expires_at) => publish({ type: "approval.held", data: { token, expires_at } }),
      failed,
    },
  );
}

function publishDecision(
  { clock, listeners }: PartsWithoutDatabase,
  decision: Decision,
  { executor }: ProposedCall,
  { agent }: Subject,
): void {
  if (!listeners.hasListener("decision")) return;
  const data = { ts: clock.now() / 1000, agent_name: agent?.name ?? "none", executor, decision };
  listeners.publish({ type: "decision", data });
}
