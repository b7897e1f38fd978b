import { programName, type Word } from "@metnos-gate/shell-reading";
import { programOf, workingDirectoryOf } from "@metnos-gate/shell-reading/programs";
import { CAPABILITIES, LEVELS, type Level, outcomeSchema, STAGES, type Stage } from "../../../ipc/contract/decision.ts";
import type { Principal } from "../../../ipc/contract/operator-api.ts";
import { RULES } from "../../../ipc/contract/rules.ts";
import { commandLinesOf } from "../../decide/description/describe.ts";
import { AgentSettings } from "../../decide/places/agent-settings.ts";
import { type PolicyOverrides, type PolicyTable, policyDigest, policyFor } from "../../decide/policy/policy.ts";
import type { KeptRuling, LevelCells, RuledNeed } from "../../decide/policy/replay.ts";
import type { Denial, Unfinished } from "../../decide/stages/examination.ts";
import { CAPABILITY_REGISTRY } from "../../targets/capabilities.ts";
import { isUnresolvable, pathName, type ResolvedRequirement, targetText } from "../../targets/target.ts";
import { type CallLines, Lately } from "./call-line.ts";
import { LEFT_OUT } from "./command-text.ts";
import { isKnownSubcommand } from "./known-words.ts";

/**
 * What is kept beside a call's line of how it was decided on: classes, never a value. Most calls have the facts that others had before, so
 * that they are kept once, as a text, by number.
 */

/**
 * The class of what one need is on. `project`: below the call's own. `repository`: below another one. `outside`: of any. `secret`: a file that
 * is asked about by name each time. `later`: what is written is run later. `settings`: of an agent. `exact`: one name, which isn't kept.
 * `more`: beyond those that are named.
 */
const PLACES = [
  ...(["none", "project", "repository", "outside", "host", "sends", "program", "secret", "later", "settings"] as const),
  ...(["exact", "unknown", "more"] as const),
] as const;
type Place = (typeof PLACES)[number];

/** How a need was ruled on, by number; 0: the policy didn't. */
const BY = [undefined, "grants", "level", "always"] as const;

/** Capability, `BY`, the grant (0: none, -1: not looked up), `PLACES`, and the name of a host, of programs, or of another repository's root. */
type NeedValues = [capability: number, by: number, grant: number, place: number, name: string | number];

/** As it is stored. The policy's digest and roots are numbers of names then. */
type FactValues = [
  version: 1,
  level: number,
  cells: number,
  principal: string,
  policy: string | number,
  outcome: number,
  /** -1: none denied it. */
  stage: number,
  rule: number | string,
  flags: number,
  /** A bit for each capability; -1: it wasn't known. */
  stated: number,
  needs: NeedValues[],
];

/** Needs of one call whose places are named. */
const MAX_PLACES = 64;
/** Programs of a command line that are named, and how deep those that start others are followed. */
const MAX_PROGRAMS = 4;
const MAX_DEPTH = 2;
/** Working directories of which it is remembered where an agent's settings lie. */
const MAX_KNOWN = 200;

const IS_RULED = 1;
const IS_DEAR = 2;
const MAY_CONFINE = 4;

/** What is to be kept of a call. */
export interface CallFact {
  /** The same for calls with the same facts. */
  readonly key: string;
  readonly values: FactValues;
}

export class CallFacts {
  readonly #home: string;
  readonly #lines: Pick<CallLines, "rootOf" | "isProgram">;
  readonly #settings: Lately<AgentSettings>;

  /** `steady`: milliseconds of a monotonic clock. */
  constructor(home: string, lines: Pick<CallLines, "rootOf" | "isProgram">, steady = () => performance.now()) {
    this.#home = home;
    this.#lines = lines;
    this.#settings = new Lately(steady, MAX_KNOWN);
  }

  /** Null of a call that no agent made. `denial`: of the stage that denied it. @throws SQLite's error where grants can't be read */
  factOf(x: Unfinished, denial: Denial | null, project: string | null): CallFact | null {
    const { subject, settings } = x;
    if (subject.agent === null) return null;
    const { level, principal } = subject;
    const stated = x.stated_needs ?? x.needs;
    const isRuled = x.ruled !== undefined;
    const outcome = denial === null ? (x.outcome ?? "denied") : "denied";
    const isConfinable = settings.box?.is_available === true && subject.can_confine === true;
    const mayConfine = (isConfinable || subject.agentBox !== undefined) && runsCode(x);
    const values: FactValues = [
      1,
      LEVELS.indexOf(level),
      numberOf(policyFor(settings.overrides, subject).table, level),
      `${principal.channel}:${principal.sender_id}`,
      digestOf(settings.overrides),
      outcomeSchema.options.indexOf(outcome),
      denial === null ? -1 : STAGES.indexOf(denial.stage),
      denial?.explain.rule ?? x.rule ?? "",
      (isRuled ? IS_RULED : 0) | (x.is_dear === true ? IS_DEAR : 0) | (mayConfine ? MAY_CONFINE : 0),
      stated === undefined ? -1 : stated.reduce((mask, { capability }) => mask | bitOf(capability), 0),
      this.#needsOf(x, (isRuled ? x.needs : stated) ?? [], project),
    ];
    return { key: JSON.stringify(values), values };
  }

  /** Each once, in the order in which they were first stated. */
  #needsOf(x: Unfinished, needs: readonly ResolvedRequirement[], project: string | null): NeedValues[] {
    const written = new Set<string>();
    const run = new Set<string>();
    for (const { capability, target } of needs)
      if (capability === "code:exec" && target.kind === "exact") run.add(target.value);
      else if (capability === "fs:write" && target.kind === "path" && needs.length > 1) written.add(targetText(target));
    const found = new Map<string, NeedValues>();
    for (const [at, need] of needs.entries()) {
      const place = found.size < MAX_PLACES ? this.#placeOf(x, need, project, written, run) : (["more", ""] as const);
      const values: NeedValues = [
        CAPABILITIES.indexOf(need.capability),
        BY.indexOf(x.ruled?.[at]?.by),
        grantOf(x, need, x.ruled?.[at]),
        PLACES.indexOf(place[0]),
        place[1],
      ];
      found.set(values.join(" "), values);
    }
    return [...found.values()];
  }

  #placeOf(
    x: Unfinished,
    { capability, target, ask_each_time }: ResolvedRequirement,
    project: string | null,
    written: ReadonlySet<string>,
    run: ReadonlySet<string>,
  ): readonly [Place, string] {
    switch (target.kind) {
      case "none":
      case "unknown":
        return [target.kind, ""];
      case "host":
        return [target.sends === true ? "sends" : "host", target.host];
      case "exact": {
        if (capability !== "code:exec") return ["exact", ""];
        if (written.has(target.value)) return ["later", ""];
        const programs = this.#programsOf(x, project);
        return programs === "" ? ["exact", ""] : ["program", programs];
      }
      case "path": {
        if (isUnresolvable(target)) return ["unknown", ""];
        const path = pathName(target);
        if (capability === "fs:write" && this.#settingsOf(x).isAt(path)) return ["settings", ""];
        if (ask_each_time !== undefined) return ["secret", ""];
        if (capability === "fs:write" && run.has(targetText(target))) return ["later", ""];
        const root = this.#lines.rootOf(path, project);
        if (root === null) return ["outside", ""];
        return root === project ? ["project", ""] : ["repository", root];
      }
    }
  }

  #settingsOf({ call, settings: { env } }: Unfinished): AgentSettings {
    const cwd = workingDirectoryOf(call, this.#home);
    return this.#settings.of(cwd ?? "", () => new AgentSettings({ home: this.#home, cwd, env }));
  }

  /** `cd; npm test`; "" of a call that is no command line. */
  #programsOf(x: Unfinished, project: string | null): string {
    const named = new Set<string>();
    for (const { reading } of commandLinesOf(x))
      for (const command of reading.commands)
        if (command.isSpeculative !== true && named.size <= MAX_PROGRAMS)
          named.add(this.#wordsOf(command.name, command.argv, project, MAX_DEPTH));
    const all = [...named];
    return all.length > MAX_PROGRAMS ? `${all.slice(0, MAX_PROGRAMS).join("; ")}; ${LEFT_OUT}` : all.join("; ");
  }

  #wordsOf(name: string, argv: readonly Word[], project: string | null, depth: number): string {
    const [first, ...args] = argv;
    if (first === undefined) return LEFT_OUT;
    const isNamed = first.is_resolved && !first.text.includes("/") && this.#lines.isProgram(name, project);
    const own = isNamed ? name : LEFT_OUT;
    const known = programOf(name);
    const inner = depth === 0 ? null : known.launched(argv);
    if (inner !== null) return `${own} ${this.#wordsOf(programName(inner[0]?.text ?? ""), inner, project, depth - 1)}`;
    const sub = known.subcommand(args);
    if (sub === null) return own;
    return `${own} ${sub.known.hasRecord || isKnownSubcommand(sub.name) ? sub.name : LEFT_OUT}`;
  }
}

const runsCode = ({ executor: { manifest } }: Unfinished): boolean =>
  manifest.needs.some(({ capability }) => capability === "code:exec");

const bitOf = (capability: RuledNeed["capability"]): number => 1 << CAPABILITIES.indexOf(capability);

/** The policy asks no grant where its table allows; whether one covers it counts under another policy. */
function grantOf(
  { subject, settings }: Unfinished,
  { capability, target }: ResolvedRequirement,
  ruled: RuledNeed | undefined,
): number {
  if (ruled === undefined || ruled.by !== "grants") return -1;
  if (ruled.grant !== undefined) return ruled.grant ?? 0;
  if (CAPABILITY_REGISTRY[capability].default_approval !== "per_target") return 0;
  const holder = { ...subject.principal, agent: subject.agent?.agent_id, session: subject.session };
  return settings.grants?.find(holder, capability, target) ?? 0;
}

// A level's cells as a number: a digit for each capability.

const OUTCOMES = outcomeSchema.options;
const numbers = new WeakMap<PolicyTable, Map<Level, number>>();

/** The cells of one level of a table, in a number. */
export function numberOf(table: PolicyTable, level: Level): number {
  const known = numbers.get(table) ?? new Map<Level, number>();
  numbers.set(table, known);
  const number =
    known.get(level) ??
    CAPABILITIES.reduce((sum, capability) => sum * OUTCOMES.length + OUTCOMES.indexOf(table[level][capability]), 0);
  known.set(level, number);
  return number;
}

function cellsOf(number: number): LevelCells {
  let rest = number;
  const cells = CAPABILITIES.toReversed().map((capability) => {
    const outcome = OUTCOMES[rest % OUTCOMES.length] ?? "denied";
    rest = Math.floor(rest / OUTCOMES.length);
    return [capability, outcome] as const;
  });
  return Object.fromEntries(cells) as LevelCells;
}

const digests = new WeakMap<PolicyOverrides["list"], string>();
const NOTHING_STRICTER: PolicyOverrides["list"] = [];

function digestOf(overrides: Pick<PolicyOverrides, "list"> | undefined): string {
  const list = overrides?.list ?? NOTHING_STRICTER;
  const known = digests.get(list) ?? policyDigest(list);
  digests.set(list, known);
  return known;
}

/** The text that is stored of it. `nameId`: the number of a name, as `change` leaves it. */
export function storedFact(
  { values }: CallFact,
  nameId: (name: string, change?: (text: string) => string) => number,
  withoutSecrets: (text: string) => string,
): string {
  const stored: FactValues = [...values];
  stored[4] = nameId(String(stored[4]));
  stored[10] = stored[10].map(([capability, by, grant, place, name]) => [
    ...([capability, by, grant, place] as const),
    name === ""
      ? ""
      : PLACES[place] === "repository"
        ? nameId(String(name), withoutSecrets)
        : withoutSecrets(String(name)),
  ]);
  return JSON.stringify(stored);
}

/** How a call was decided on, and for whom. */
export interface ReadFact extends KeptRuling {
  principal: Principal;
}

/** Undefined of a text that this version doesn't know. */
export function readFact(text: string): ReadFact | undefined {
  const values = parsed(text);
  if (values === undefined) return undefined;
  const [, level, cells, principal, , outcome, stage, rule, flags, stated, needs] = values;
  const [atLevel, result, byRule] = [LEVELS[level], OUTCOMES[outcome], RULES.find((one) => one === rule)];
  if (atLevel === undefined || result === undefined || byRule === undefined) return undefined;
  const ruled = needs.map(([capability, by, grant]) => ({
    capability: CAPABILITIES[capability],
    by: BY[by],
    grant: grant === -1 ? undefined : grant || null,
  }));
  const isRuled = (flags & IS_RULED) !== 0;
  const isKnown = (need: (typeof ruled)[number]): need is RuledNeed =>
    need.capability !== undefined && need.by !== undefined;
  if (isRuled && !ruled.every(isKnown)) return undefined;
  const colon = principal.indexOf(":");
  return {
    level: atLevel,
    cells: cellsOf(cells),
    principal: { channel: principal.slice(0, colon), sender_id: principal.slice(colon + 1) },
    outcome: result,
    stage: stage === -1 ? null : ((STAGES[stage] ?? null) as Stage | null),
    rule: byRule,
    stated: stated === -1 ? null : CAPABILITIES.filter((capability) => (stated & bitOf(capability)) !== 0),
    ruled: isRuled ? (ruled as RuledNeed[]) : null,
    is_dear: (flags & IS_DEAR) !== 0,
    may_confine: (flags & MAY_CONFINE) !== 0,
  };
}

/** The numbers of names that a stored fact has. */
export function namesIn(text: string): number[] {
  const values = parsed(text);
  if (values === undefined) return [];
  const roots = values[10]
    .filter(([, , , place]) => PLACES[place] === "repository")
    .map(([, , , , name]) => Number(name));
  return [Number(values[4]), ...roots];
}

function parsed(text: string): FactValues | undefined {
  const values = JSON.parse(text) as FactValues;
  return values[0] === 1 ? values : undefined;
}
