import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { GatePaths } from "../../ipc/base/paths.ts";
import { shortened, visible } from "../../ipc/base/visible-text.ts";
import type { Decision } from "../../ipc/contract/decision.ts";
import type { RefusedCall } from "../../ipc/contract/judges.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { AuditLine } from "../../ipc/contract/operator-api.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import { possibleText, refusedText } from "../../ipc/words/judge-words.ts";
import { GATE, type UserWords } from "../agents/index.ts";
import { serveOthers } from "../base/sqlite/database.ts";
import { type BeforeCalls, type BrokerSettings, type CallsEvent, Gate, type SessionDecisions } from "../calls/index.ts";
import type { Box } from "../decide/confinement/box.ts";
import { SessionFlow } from "../decide/flow/session-flow.ts";
import type { SessionMarks } from "../decide/flow/session-marks.ts";
import { GateFiles } from "../decide/places/gate-files.ts";
import { withoutSentence } from "../decide/reviews/review-steps.ts";
import type { Subject } from "../decide/stages/examination.ts";
import { AGENT_PAUSED } from "../decide/stages/safety.ts";
import { argumentsOf, environmentOf } from "../hooks/client-program.ts";
import type { Judges } from "../judges/index.ts";
import { raiseTrailAlarms } from "../records/audit/alarms.ts";
import { lastLine } from "../records/audit/last-lines.ts";
import type { ChannelNote } from "./channel.ts";
import type { PartsWithoutDatabase } from "./parts-without-database.ts";
import type { Opened } from "./stores.ts";

/** How often surfaces are informed at the most that another call is being judged, in milliseconds. */
const REVIEWS_CHANGED_MS = 250;

/** What isn't kept in databases alone. */
interface BesideStores {
  box: Box;
  judges: Judges;
  decisions: SessionDecisions;
  words: UserWords;
  marks: SessionMarks;
  before: BeforeCalls | undefined;
}

export function openGate(opened: Opened, { box, judges, marks, ...beside }: BesideStores): Gate {
  const { home, env, paths, config, clock, catalog, audit, prices, overrides, publish, storage, failed } = opened;
  const {
    grants,
    mcp,
    destinations,
    approvals,
    activity,
    agent_pauses,
    lines,
    rate,
    safety,
    stateReserve,
    writtenFiles,
  } = opened;
  const reviewsChanged = new Throttle(REVIEWS_CHANGED_MS, () => publish({ type: "reviews.changed", data: {} }));
  return new Gate(
    {
      catalog,
      grants,
      mcp,
      approvals,
      audit,
      onAuditFailure: config.audit.on_failure,
      activity,
      lines,
      canOverrideJudges: () => config.judge.override,
      ...beside,
      stages: {
        home,
        env,
        grants,
        pause: safety.pause,
        refusals: approvals.refusals,
        agent_pauses,
        box,
        get reviewers() {
          return judges.reviewers;
        },
        rate,
        prices,
        overrides,
        mcp,
        destinations,
        flow: new SessionFlow(marks, writtenFiles, () => config.flow),
        words: beside.words,
        lost: () => storage.watch.lossByNow()?.message,
        gateFiles: new GateFiles(paths, home),
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
        withRoom: (act) => stateReserve.withRoom(act),
        toolAllowed: toolAllowed(opened),
      },
    },
    { happened: (event) => publishEvent(event, opened, reviewsChanged), failed },
  );
}

/** A server's tool that was allowed counts as known from then on. */
function toolAllowed({ mcp, publish }: Pick<Opened, "mcp" | "publish">): NonNullable<BrokerSettings["toolAllowed"]> {
  return (agentId, tool, said) => {
    if (mcp.allowed(agentId, tool, said)) publish({ type: "mcp.changed", data: {} });
  };
}

function publishEvent(event: CallsEvent, opened: Opened, reviewsChanged: Throttle): void {
  const { config, notes, publish } = opened;
  switch (event.type) {
    case "decided":
      return publishDecision(opened, event.decision, event.call, event.subject);
    case "waiting":
      return publish({ type: "approval.waiting", data: event.approval });
    case "closed":
      return publish({ type: "approval.closed", data: event.approval });
    case "granted":
      return publish({ type: "grants.changed", data: {} });
    case "refused":
      return publish({ type: "refusals.changed", data: {} });
    case "reviewsChanged":
      return reviewsChanged.go();
    case "callRefused":
      return notes.say(refusedNote(event.refused, config.language));
    case "moved":
      return publish({ type: "approval.held", data: { token: event.token, expires_at: event.expiresAt } });
  }
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

// Codex runs its turns in a daemon, which continues where the terminal that it was started in was closed.

const DAEMON_OPTION = "--managed-daemon";
const PROGRAM = "codex";

/**
 * True if this process is such a daemon, and no Codex with its home is left in any terminal: which of several it works for isn't known. From Linux's /proc; false on other systems. Never rejects.
 */
export async function hasLostTerminal(pid: number): Promise<boolean> {
  try {
    if (!argumentsOf(pid).includes(DAEMON_OPTION)) return false;
    const home = homeOf(pid);
    for (const name of await readdir("/proc"))
      if (/^\d+$/.test(name) && (await isInTerminal(Number(name))) && homeOf(Number(name)) === home) return false;
    return true;
  } catch {
    return false; // another system, or the process has ended
  }
}

/** What a Codex and its daemon share. @throws the system's error */
function homeOf(pid: number): string {
  const { CODEX_HOME, HOME = "" } = environmentOf(pid);
  return CODEX_HOME || join(HOME, ".codex");
}

/** True of a Codex of this user's. */
async function isInTerminal(pid: number): Promise<boolean> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    const end = text.lastIndexOf(")");
    // After the name: state, parent, group, session, and the controlling terminal, 0 where there is none.
    const terminal = text.slice(end + 2).split(" ")[4];
    if (text.slice(text.indexOf("(") + 1, end) !== PROGRAM || terminal === "0") return false;
    return (await stat(`/proc/${pid}`)).uid === process.getuid?.();
  } catch {
    return false; // it has ended meanwhile
  }
}

/** Of each line, in characters. */
const LINE_LENGTH = 200;

const TITLES: Readonly<Record<Language, (agent: string) => string>> = {
  en: (agent) => `${agent} was refused a call`,
  it: (agent) => `A ${agent} è stata respinta una chiamata`,
};

/** What was refused, why and what is possible, for the user who is away: a line each. Of the call's values only what its card's line shows. */
export function refusedNote(refused: RefusedCall, language: Language): ChannelNote {
  const { agent_name, summary, review, args } = refused;
  // A judge that was asked may quote what it looked at.
  const unquoted = review && { ...review, sentence: withoutSentence(review.sentence, review, args ?? {}) };
  const why = refusedText({ ...refused, review: unquoted }, language);
  return {
    kind: "refused",
    is_urgent: false,
    title: TITLES[language](visible(agent_name)),
    // What a call names could read like a line of the gate's own.
    lines: [`│ ${lineOf(summary)}`, lineOf(why), possibleText(refused, language)],
    only: ["telegram"],
    when_away: true,
  };
}

function lineOf(text: string): string {
  return shortened(visible(text.replace(/\s+/g, " ")), LINE_LENGTH);
}

/** Continues with what the previous gate left: waiting requests, a pause, grants of its sessions. */
export function continueFrom(opened: Opened, gate: Gate): void {
  const { paths, config, clock, alarms, audit, listeners, log, storage } = opened;
  const { agent_pauses, approvals, grants, keptPauses, rate, safety } = opened;
  const { databases, activity, irregularities, mayHaveLostPause } = storage.opened;
  audit.subscribe((line) => {
    if (listeners.hasListener("audit.line"))
      listeners.publish({ type: "audit.line", data: JSON.parse(line) as AuditLine });
  });
  const trail = { folder: paths.auditDir, headFile: paths.auditHead };
  audit.begin(
    (health) => raiseTrailAlarms(alarms, health, trail, config.audit.on_failure),
    () => storage.watch.lossByNow(),
  );
  // Before anything that may fail: the next start finds a safety database, and doesn't check the trail again.
  if (mayHaveLostPause && safety.pause.reason === undefined && wasPaused(paths)) {
    const reason = "the gate was paused when its safety database was lost";
    safety.pause.begin({ by: "human", reason, clears: "by_human" });
  }
  // Now, so that a disk that gets full later doesn't keep a pause from it.
  keptPauses.flush();
  for (const who of keptPauses.adopted) noteKeptPause(opened, who);
  storage.write(databases.approvals, () => gate.broker.start());
  for (const request of approvals.listPending({ limit: 100_000 })) rate.asked(request);
  for (const { db } of [...Object.values(databases), activity, storage.opened.lines]) serveOthers(db);
  storage.write(databases.grants, () => grants.endGateSessions());
  storage.write(databases.approvals, () => {
    approvals.refusals.endGateSessions();
    // Also removes requests that had ended when the gate was killed.
    approvals.flush();
  });
  for (const { event, file, message, hint } of irregularities) {
    alarms.raise({ code: "file_renewed", subject: file, message, hint });
    audit.append({ event, ts: clock.now() / 1000, file: basename(file) });
    log(message);
  }
  audit.flush();
  const paused = safety.pause.reason;
  if (paused !== undefined) gate.waiting.withdrawAll(`the gate is paused: ${paused}`);
  for (const { agent_id } of agent_pauses.list())
    gate.waiting.withdrawAgent(agent_id, AGENT_PAUSED, "approval.withdrawn-pause");
  gate.broker.completeWithdrawals();
}

/** Says that the gate, or an agent, starts paused though no database knows it: the trail may not know it either. */
function noteKeptPause({ agents, audit, clock, log, paths, safety }: Opened, who: string): void {
  const agent = who === GATE ? undefined : (agents.get(who)?.name ?? who);
  const ts = clock.now() / 1000;
  if (agent === undefined) audit.append({ event: "paused", ts, by: safety.pause.state().by });
  else audit.append({ event: "agent.paused", ts, agent });
  log(`${agent ?? "the gate"} starts paused: the gate before could not store that, but kept it in ${paths.keptPauses}`);
}

/** Whether the gate was paused, according to the trail. */
function wasPaused({ auditDir }: GatePaths): boolean {
  return lastLine(auditDir, ({ event }) => event === "paused" || event === "resumed")?.event === "paused";
}

/** Does something at once, and then at intervals for as long as it is asked for: what is shown needn't follow each change. */
export class Throttle {
  readonly #intervalMs: number;
  readonly #act: () => void;
  #isWanted = false;
  #timer: NodeJS.Timeout | undefined;

  /** `act` must not throw. */
  constructor(intervalMs: number, act: () => void) {
    this.#intervalMs = intervalMs;
    this.#act = act;
  }

  go(): void {
    if (this.#timer !== undefined) {
      this.#isWanted = true;
      return;
    }
    this.#act();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#isWanted) return;
      this.#isWanted = false;
      this.go();
    }, this.#intervalMs);
    this.#timer.unref();
  }
}
