import type { Decision } from "../../../ipc/contract/decision.ts";
import type { Description } from "../../../ipc/contract/description.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { RefusedCall } from "../../../ipc/contract/judges.ts";
import { possibleAfter, type Rule } from "../../../ipc/contract/rules.ts";
import { endAt, remaining, type TwoClockEnd } from "../../base/clocks/two-clock-end.ts";
import { describe } from "../../decide/description/describe.ts";
import { loggedNameOf } from "../../decide/executors/catalog.ts";
import type { Denial, Examined, Reviewable } from "../../decide/stages/examination.ts";
import type { BrokerSettings } from "../approvals/broker.ts";
import { type JudgePasses, passOf } from "../approvals/judge-passes.ts";
import type { Listener, ReviewEvent } from "../approvals/listener.ts";
import { summaryOf } from "../approvals/question.ts";
import { keysOf } from "../approvals/waiting-quota.ts";

/** The calls that were refused, in memory: the user sees what, why and what is possible, and may allow one once in spite of judges. */

export const KEPT_REFUSALS = 100;
/** Of their arguments, all together, as JSON. Each surface reads all of them whenever one changes, which an agent can have happen. */
export const KEPT_CHARACTERS = 2 * 1024 * 1024;
/** In seconds. */
export const KEPT_SECONDS = 3600;

export interface RefusedCallsParts extends Pick<Listener<ReviewEvent>, "happened"> {
  settings: Pick<BrokerSettings, "home" | "language" | "clock">;
  passes: JudgePasses;
  /** Whether gate.toml lets the user allow a call in spite of a judge. */
  canOverrideJudges(): boolean;
}

type Listed = Omit<RefusedCall, "can_override">;
type Found = Pick<Listed, "review" | "description" | "capabilities" | "args" | "summary"> & Pick<Kept, "key">;

interface Kept {
  listed: Listed;
  agent_id: string;
  /** Of its arguments as JSON; 0 where a stage refused it. */
  characters: number;
  /** Its name as the trail has it. */
  executor: string;
  /** What the same is listed once by; of what a judge refused, what its pass goes by. */
  key: string;
  end: TwoClockEnd;
}

export class RefusedCalls {
  readonly #parts: RefusedCallsParts;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();

  constructor(parts: RefusedCallsParts) {
    this.#parts = parts;
  }

  /** A call was denied: one that a person can do something about is listed. Nothing of a call without an agent is kept. */
  note(decision: Decision, examined: Examined): void {
    const { agent } = examined.x.subject;
    const found = agent === null ? null : this.#found(decision, examined);
    if (agent === null || found === null) return;
    const { clock } = this.#parts.settings;
    const now = clock.now();
    const { x } = examined;
    const { key, ...shown } = found;
    const same = this.#takeSame(agent.agent_id, key);
    const kept: Kept = {
      agent_id: agent.agent_id,
      characters: found.args === null ? 0 : JSON.stringify(found.args).length,
      executor: loggedNameOf(x.call.executor, x.executor.is_described),
      key,
      end: endAt(clock, now + KEPT_SECONDS * 1000),
      listed: {
        id: same ?? decision.decision_id,
        agent_name: agent.name,
        executor: x.call.executor,
        cwd: x.call.context?.cwd ?? null,
        refused_at: isoSeconds(now),
        stage: decision.stage,
        rule: decision.explain.rule,
        reason: decision.reason,
        ...(decision.verdict?.notes === undefined ? {} : { notes: decision.verdict.notes }),
        instead: decision.explain.instead ?? "",
        ...shown,
        overridden_at: null,
      },
    };
    this.#kept.set(kept.listed.id, kept);
    this.#forgetFirst();
    this.#parts.happened({ type: "reviewsChanged" });
    if (same === undefined) this.#parts.happened({ type: "callRefused", refused: this.#view(kept) });
  }

  /** What is shown of it beside its decision; null where nobody but the agent can do anything. */
  #found(decision: Decision, examined: Examined): Found | null {
    const { settings } = this.#parts;
    const review = decision.reviews?.at(-1);
    if (isRefusedByJudge(examined) && review !== undefined) {
      const { x } = examined;
      const description = describeStated(x);
      const { capabilities } = decision;
      const key = passOfCall(x, description);
      return { review, description, capabilities, args: x.call.args, summary: summaryOf(x, settings), key };
    }
    const { x, denial } = examined;
    if (denial === null || possibleAfter(denial.explain.rule) === null) return null;
    const summary = summaryOf(x, settings);
    // Nobody can allow it here, so that its line is enough: it has no more than that to keep, however long the call is.
    return { review: null, description: null, capabilities: [], args: null, summary, key: keyOf(denial, summary) };
  }

  /** Newest first. */
  list(): RefusedCall[] {
    this.#forgetOld();
    return [...this.#kept.values()].reverse().map((kept) => this.#view(kept));
  }

  /**
   * Lets this call pass the judges once. Nothing changes where it was overridden before.
   * @throws GateError `override_not_allowed`, `too_late`; SQLite's error: it doesn't pass then
   */
  override(id: string): { refusal: RefusedCall; executor: string; isNew: boolean } {
    if (!this.#parts.canOverrideJudges()) {
      throw new GateError(
        "override_not_allowed",
        "gate.toml doesn't let a judge be overridden",
        "set override = true in its section [judge]",
      );
    }
    this.#forgetOld();
    const kept = this.#kept.get(id);
    if (kept === undefined) {
      throw new GateError("too_late", "this refusal isn't kept any more", "have the agent send the call again");
    }
    if (kept.listed.review === null)
      throw new GateError(
        "override_not_allowed",
        "only a judge that was asked can be overridden, and none refused this",
        "see what is possible instead beside it",
      );
    const isNew = kept.listed.overridden_at === null;
    if (isNew) {
      this.#parts.passes.give(kept.key, kept.agent_id);
      kept.listed.overridden_at = isoSeconds(this.#parts.settings.clock.now());
      this.#parts.happened({ type: "reviewsChanged" });
    }
    return { refusal: this.#view(kept), executor: kept.executor, isNew };
  }

  /** The user has seen it. False if it isn't listed. What it allowed stays allowed. */
  dismiss(id: string): boolean {
    const isListed = this.#kept.delete(id);
    if (isListed) this.#parts.happened({ type: "reviewsChanged" });
    return isListed;
  }

  /** Whether the user allowed this very call in spite of the judges: from now on they have not. @throws SQLite's error */
  takePass(x: Reviewable): boolean {
    const { passes, canOverrideJudges } = this.#parts;
    if (passes.isEmpty || x.subject.agent === null || !canOverrideJudges()) return false;
    return passes.take(passOfCall(x, describeStated(x)));
  }

  /** An agent isn't paired any more: what it was refused, and allowed, is over. @throws SQLite's error: it counts no more all the same */
  end(agentId: string): void {
    for (const [id, kept] of this.#kept) if (kept.agent_id === agentId) this.#kept.delete(id);
    this.#parts.happened({ type: "reviewsChanged" });
    this.#parts.passes.end(agentId);
  }

  /** The id under which this call is listed already: an agent that sends it again can't take it from the user's hands. */
  #takeSame(agentId: string, key: string): string | undefined {
    for (const [id, kept] of this.#kept) {
      if (kept.agent_id !== agentId || kept.key !== key) continue;
      this.#kept.delete(id);
      return id;
    }
    return undefined;
  }

  /** Of whoever has the most, the oldest: no agent pushes out another's, nor what a stage refused what a judge did. */
  #forgetFirst(): void {
    for (;;) {
      const all = { calls: 0, characters: 0 };
      const held = new Map<string, { calls: number; characters: number }>();
      for (const { agent_id, characters } of this.#kept.values()) {
        const ofAgent = held.get(agent_id) ?? { calls: 0, characters: 0 };
        held.set(agent_id, ofAgent);
        for (const sum of [ofAgent, all]) {
          sum.calls += 1;
          sum.characters += characters;
        }
      }
      const by = all.calls > KEPT_REFUSALS ? "calls" : "characters";
      if (by === "characters" && all.characters <= KEPT_CHARACTERS) return;
      const [most] = [...held].toSorted(([, one], [, other]) => other[by] - one[by]);
      const own = [...this.#kept].filter(([, { agent_id }]) => agent_id === most?.[0]);
      const first = (by === "calls" ? own.find(([, { listed }]) => listed.review === null) : undefined) ?? own[0];
      if (first === undefined) return;
      this.#kept.delete(first[0]);
    }
  }

  #forgetOld(): void {
    for (const [id, { end }] of this.#kept) {
      const { wall, boot } = remaining(this.#parts.settings.clock, end);
      if (wall > 0 && boot > 0) continue;
      this.#kept.delete(id);
    }
  }

  #view({ listed }: Kept): RefusedCall {
    const isOpen = listed.review !== null && listed.overridden_at === null;
    return { ...listed, can_override: isOpen && this.#parts.canOverrideJudges() };
  }
}

function describeStated(x: Reviewable): Description {
  return describe({ ...x, needs: x.stated_needs });
}

/** It is for the call as the user was shown it: where the files that it runs or changes are others by now, it is another one. */
function passOfCall(x: Reviewable, shown: Description): string {
  return passOf(keysOf(x).share_key, x.subject.session ?? "", [x.stated_needs, shown]);
}

/** Of what level, profile and scope refuse, the same is possible for each such call; of the rest each is another thing. */
function keyOf({ explain: { rule }, reason }: Denial, summary: string): string {
  return JSON.stringify([rule, rule.startsWith("policy.") || rule.startsWith("scope.") ? reason : summary]);
}

/** The rules by which a judge denies a call that it was asked about. */
const BY_JUDGES: ReadonlySet<Rule> = new Set<Rule>([
  "judge.model-low-score",
  "judge.failed",
  "validators.rejected",
  "validators.unusable-answer",
  "validators.failed",
  "validators.timed-out",
]);

/** Whether it was the last judge that was asked who denied this call, rather than a stage. */
function isRefusedByJudge(examined: Examined): examined is { x: Reviewable; denial: Denial } {
  const { x, denial } = examined;
  return denial !== null && x.noted !== undefined && x.noted.length > 0 && BY_JUDGES.has(denial.explain.rule);
}
