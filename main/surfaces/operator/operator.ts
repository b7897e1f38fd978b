import type { ZodType } from "zod";
import { localPrincipal } from "../../../ipc/base/paths.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { KeptToolView } from "../../../ipc/contract/mcp.ts";
import {
  type CheckedParams,
  type OperatorApi,
  type OperatorHandler,
  type OperatorMethod,
  type OperatorParams,
  type OperatorResult,
  operatorMethods,
  type Principal,
} from "../../../ipc/contract/operator-api.ts";
import type { Surface } from "../../../ipc/contract/surface.ts";
import { GATE } from "../../agents/index.ts";
import { errorCode } from "../../base/errors.ts";
import { diskFullCode } from "../../base/files/disk-reserve.ts";
import { causeBehind, fileError, meaningOf } from "../../base/files/file-errors.ts";
import type { LoginItem } from "../../config/index.ts";
import type { BoxedAgents } from "../../core/boxed-agents.ts";
import type { Core } from "../../core/core.ts";
import { explainedCall } from "../../core/explained-call.ts";
import { readDefinition } from "../../decide/mcp/definition.ts";
import type { KeptTool } from "../../decide/mcp/tool-store.ts";
import { kindOf } from "../../decide/stages/examination.ts";
import { reviewRecord } from "../../records/audit/record.ts";
import type { Channels } from "../channels/channels.ts";
import type { GateNotifications } from "../notifications/start.ts";
import { agentMethods } from "./agents.ts";
import { approvalMethods } from "./approvals.ts";
import { auditMethods } from "./audit.ts";
import { boxMethods } from "./box.ts";
import { grantMethods } from "./grants.ts";
import { type AgentConnections, type BrowserPage, type Handlers, type OperatorContext, recordAct } from "./handlers.ts";
import { policyMethods } from "./policy.ts";
import {
  activityMethods,
  alarmMethods,
  costMethods,
  keptFileMethods,
  metricsMethods,
  receiptMethods,
} from "./records.ts";
import { sessionMethods } from "./sessions.ts";
import { settingMethods, statusMethods } from "./status.ts";
import { channelMethods, setUpMethods, webMethods } from "./surfaces.ts";
import { undoMethods } from "./undo.ts";

/** The methods that change nothing. Any other is acknowledged only if its effect was stored. */
const READING: ReadonlySet<OperatorMethod> = new Set<OperatorMethod>([
  "status",
  "metrics",
  "policy.check",
  "policy.matrix",
  "policy.try",
  "activity.list",
  "activity.open",
  "activity.counts",
  "activity.today",
  "activity.lines",
  "agents.list",
  "agents.detect",
  "approvals.list",
  "approvals.history",
  "approvals.coverage",
  "grants.list",
  "grants.search",
  "refusals.list",
  "sessions.list",
  "mcp.tools",
  "safety.status",
  "safety.violations",
  "settings.list",
  "set_up.get",
  "audit.tail",
  "audit.verify",
  "box.status",
  "box.explain",
  "reviews.list",
  "reviews.run",
  "judge.status",
  "judge.test",
  "policy.overrides",
  "rate.budgets",
  "costs.today",
  "grants.stale",
  "channels.status",
  "channels.test",
  "telegram.status",
  "audit.checkpoint",
  "storage.files",
  "undo.list",
  "undo.files",
  "undo.contents",
]);

/** By method, so that what passes a schema is what the method's handler takes. */
const SCHEMAS: { readonly [M in OperatorMethod]: { params: ZodType<CheckedParams[M]> } } = operatorMethods;

/** What the operator's methods have beside the core. */
interface OperatorParts {
  connections?: AgentConnections;
  boxedAgents?: BoxedAgents;
  login_item?: LoginItem;
  browserPage?: BrowserPage | undefined;
  notifications?: () => GateNotifications | undefined;
  channels?: () => Channels | undefined;
  principal?: Principal;
  surface?: Surface;
  /** ISO-8601 UTC; left out: now. */
  started_at?: string;
}

/** The operator's methods on a core, acting as the local principal. Each family is in a file beside this one. */
export class Operator implements OperatorHandler {
  readonly #core: Core;
  readonly #parts: OperatorParts;
  readonly #startedAt: string;
  readonly #on = new Map<Surface, Operator>();
  readonly #handlers: Handlers<OperatorMethod>;

  constructor(core: Core, parts: OperatorParts = {}) {
    this.#core = core;
    this.#parts = parts;
    this.#startedAt = parts.started_at ?? new Date().toISOString();
    const context: OperatorContext = {
      core,
      connections: parts.connections,
      boxedAgents: parts.boxedAgents,
      login_item: parts.login_item,
      browserPage: parts.browserPage,
      notifications: parts.notifications,
      channels: parts.channels,
      started_at: this.#startedAt,
      by: { ...(parts.principal ?? localPrincipal()), surface: parts.surface },
    };
    this.#handlers = {
      ...statusMethods(context),
      ...policyMethods(context),
      ...grantMethods(context),
      ...sessionMethods(context),
      ...mcpMethods(context),
      ...approvalMethods(context),
      ...agentMethods(context),
      ...activityMethods(context),
      ...safetyMethods(context),
      ...alarmMethods(context),
      ...settingMethods(context),
      ...metricsMethods(context),
      ...auditMethods(context),
      ...webMethods(context),
      ...boxMethods(context),
      ...judgeMethods(context),
      ...channelMethods(context),
      ...setUpMethods(context),
      ...costMethods(context),
      ...receiptMethods(context),
      ...keptFileMethods(context),
      ...undoMethods(context),
    };
  }

  /** The same contract, as this surface uses it: its answers are known as given there. */
  on(surface: Surface): Operator {
    const known = this.#on.get(surface);
    if (known !== undefined) return known;
    const operator = new Operator(this.#core, { ...this.#parts, started_at: this.#startedAt, surface });
    this.#on.set(surface, operator);
    return operator;
  }

  /** @throws GateError for anything that is refused */
  call<M extends OperatorMethod>(method: M, params: OperatorParams<M>): Promise<OperatorResult<M>> {
    return this.#run(method, params);
  }

  handle(method: OperatorMethod, params: unknown): Promise<unknown> {
    return this.#run(method, params);
  }

  async #run<M extends OperatorMethod>(method: M, params: unknown): Promise<OperatorResult<M>> {
    const parsed = SCHEMAS[method].params.safeParse(params);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new GateError("invalid_params", `${issue?.path.join(".") || "params"}: ${issue?.message ?? "not valid"}`);
    }
    const handle = this.#handlers[method];
    const { storage } = this.#core;
    const isAct = !READING.has(method);
    try {
      if (isAct) storage.requireIntact();
      const result = await handle(parsed.data);
      // No act is acknowledged that was written into a file which was removed.
      if (isAct) storage.requireIntact();
      return result;
    } catch (error) {
      storage.health.noteFailure(error);
      const { state_dir } = this.#core.paths;
      const full = diskFullCode(error);
      if (full !== undefined) {
        const { why, hint } = meaningOf(full === "SQLITE_FULL" ? "ENOSPC" : full, `${state_dir}/.`);
        throw new GateError("disk_full", `${why} (${full})`, hint);
      }
      if (error instanceof GateError) throw error;
      const code = errorCode(error);
      const { path, syscall } = error as NodeJS.ErrnoException;
      if (syscall !== undefined && path !== undefined) {
        const { message, hint } = fileError(error, "the file", path);
        throw new GateError("storage_failed", message, hint);
      }
      if (!code.startsWith("SQLITE")) throw error;
      const { why, hint } = meaningOf(causeBehind(code, `${state_dir}/.`), state_dir);
      // What was written before it failed, or wasn't synced, the next start may find.
      const half = isAct ? "; what was to be changed may be in force, or may be after a restart" : "";
      throw new GateError("storage_failed", `a database in ${state_dir} can't be used: ${why}${half}`, hint);
    }
  }

  subscribe(...args: Parameters<OperatorApi["subscribe"]>): () => void {
    return this.#core.subscribe(...args);
  }

  async close(): Promise<void> {
    // the core is closed by its owner
  }
}

function judgeMethods(
  context: OperatorContext,
): Handlers<"reviews.list" | "reviews.override" | "reviews.dismiss" | "reviews.run" | "judge.status" | "judge.test"> {
  const { core } = context;
  const { gate } = core;
  return {
    "reviews.list": () => ({ running: gate.waiting.reviews.running(), refused: gate.refusedCalls.list() }),
    "reviews.override": ({ id }) => {
      const { refusal, executor, isNew } = gate.refusedCalls.override(id);
      if (isNew) recordAct(context, "judge.overridden", { agent: refusal.agent_name, executor, decision_id: id });
      return refusal;
    },
    "reviews.dismiss": ({ id }) => ({ dismissed: gate.refusedCalls.dismiss(id) }),
    "reviews.run": async ({ question }) => {
      if (core.judges.reviewers.length === 0)
        throw new GateError("not_available", "no judge is configured", "see docs/judges.md");
      const { call, subject } = explainedCall(question);
      const decision = await gate.tryCall(call, subject);
      const { outcome, stage, reviews = [] } = decision;
      const executor = core.catalog.loggedName(call.executor, kindOf(subject));
      recordAct(context, "judge.tried", { executor, outcome, stage, reviews: reviews.map(reviewRecord) });
      return decision;
    },
    "judge.status": () => core.judges.status(),
    "judge.test": ({ model }) => core.judges.test(model),
  };
}

function mcpMethods(context: OperatorContext): Handlers<"mcp.tools" | "mcp.forget"> {
  const { core } = context;
  const { store } = core.mcp;
  return {
    "mcp.tools": () => store.list().map((kept) => keptToolView(context, kept)),
    "mcp.forget": ({ id }) => {
      const forgotten = store.forget(id);
      if (forgotten !== undefined) {
        recordAct(context, "mcp.forgotten", { server: forgotten.server, tool: forgotten.tool });
        core.publish({ type: "mcp.changed", data: {} });
      }
      return { forgotten: forgotten !== undefined };
    },
  };
}

function keptToolView({ core }: OperatorContext, { definition, ...kept }: KeptTool): KeptToolView {
  const { title = "", description = "" } = readDefinition(definition) ?? {};
  return { ...kept, agent_name: core.agents.get(kept.agent_id)?.name ?? null, title, description };
}

type SafetyMethod = "safety.status" | "safety.violations" | "safety.acknowledge" | "safety.pause" | "safety.resume";

function safetyMethods(context: OperatorContext): Handlers<SafetyMethod> {
  const { gate, keptPauses, safety } = context.core;
  return {
    "safety.status": () => safety.status(),
    "safety.violations": ({ since, include_acknowledged, limit }) =>
      safety.violations.list({
        since: since === undefined ? undefined : isoSeconds(Date.parse(since)),
        include_acknowledged,
        limit,
      }),
    "safety.acknowledge": ({ ids }) => {
      const acknowledged = safety.filter.acknowledge(ids);
      recordAct(context, "acknowledged", { violations: acknowledged });
      return { acknowledged };
    },
    "safety.pause": ({ for_seconds, reason }) => {
      try {
        return safety.pause.begin({
          by: "human",
          reason: reason ?? "you paused it",
          clears: for_seconds === undefined ? "by_human" : "after_seconds",
          seconds: for_seconds,
        });
      } catch (error) {
        const note = keptPauses.noteOf(GATE);
        if (note === undefined || !errorCode(error).startsWith("SQLITE")) throw error;
        return { ...safety.pause.state(), note };
      }
    },
    "safety.resume": () => {
      // The pause has withdrawn them: a gate that is killed now must not find them waiting.
      gate.broker.completeWithdrawals();
      safety.filter.resume();
      return safety.pause.state();
    },
  };
}
