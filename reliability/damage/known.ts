import { GateError } from "../../ipc/contract/gate-error.ts";
import type { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { AGENT } from "./files.ts";

/** What a gate has acknowledged, and whether it still knows it. */

export interface Known {
  /** Targets. */
  grants: string[];
  agents: string[];
  /** Tokens of requests that the operator answered. */
  answered: string[];
  /** Ids of decisions that an agent received. */
  decisions: string[];
  /** The pause's reason; null: not paused, or not known. */
  paused: string | null;
  /** What was chosen; null: nothing. */
  ttl_seconds: number | null;
}

export function nothingKnown(): Known {
  return { grants: [], agents: [], answered: [], decisions: [], paused: null, ttl_seconds: null };
}

export interface Remembered {
  /** What it doesn't know any more. */
  missing: string[];
  /** Errors that name neither the file nor what to do. */
  raw: string[];
  /** Texts of alarms, refusals and `audit verify`. */
  messages: string[];
  verify_problems: string[];
}

/** Reads everything that the operator can see. */
export async function lookThrough(operator: OperatorClient, known: Known): Promise<Remembered> {
  const seen: Remembered = { missing: [], raw: [], messages: [], verify_problems: [] };
  const lacking = (what: string, wanted: readonly string[], found: readonly string[]) => {
    for (const item of wanted) if (!found.includes(item)) seen.missing.push(`${what} ${item}`);
  };
  await tried(seen, async () => {
    const { alarms } = await operator.call("status", {});
    for (const { code, subject, message, hint } of alarms)
      seen.messages.push(`alarm ${code} ${subject}: ${message}; ${hint}`);
  });
  await tried(seen, async () => {
    const grants = await operator.call("grants.list", {});
    lacking(
      "grant",
      known.grants,
      grants.map(({ target }) => target),
    );
  });
  await tried(seen, async () => {
    const { agents } = await operator.call("agents.list", {});
    lacking(
      "agent",
      known.agents,
      agents.map(({ name }) => name),
    );
  });
  await tried(seen, async () => {
    const requests = await operator.call("approvals.list", { include_resolved: true, limit: 1000 });
    const answered = requests.filter(({ status }) => status === "rejected");
    lacking(
      "answer",
      known.answered,
      answered.map(({ token }) => token),
    );
  });
  await tried(seen, async () => {
    const { pause } = await operator.call("safety.status", {});
    if (known.paused !== null && pause.reason !== known.paused) {
      // Paused for another reason is the safe side, if it says why.
      if (pause.is_paused && pause.reason !== null) seen.messages.push(`paused: ${pause.reason}`);
      else seen.missing.push(`pause ${known.paused}`);
    }
  });
  await tried(seen, async () => {
    const settings = await operator.call("settings.list", {});
    const value = (wanted: string) => settings.find(({ key }) => key === wanted)?.value;
    if (known.ttl_seconds !== null && value("approvals.ttl_seconds") !== known.ttl_seconds)
      seen.missing.push("a choice");
    if (value("judge.threshold") !== 0.25) seen.missing.push("the configuration");
    const { rules } = await operator.call("safety.status", {});
    const { overrides } = await operator.call("policy.overrides", {});
    if (!overrides.some(({ agents }) => agents.includes(AGENT))) seen.missing.push("a profile");
    // Reads what judges' models were measured with.
    const { models } = await operator.call("judge.status", {});
    if (!models.some(({ name }) => name === "local")) seen.missing.push("a model");
    if (!rules.some(({ rule_id }) => rule_id === "NO-TRADING")) seen.missing.push("a safety rule");
  });
  await tried(seen, async () => {
    const { problems } = await operator.call("audit.verify", {});
    seen.verify_problems.push(...problems.map(({ file, line, problem }) => `${file} ${line}: ${problem}`));
  });
  return seen;
}

/** Where an act isn't acknowledged, keeps the refusal's text, or the error that names nothing to act on. */
export async function tried(seen: Pick<Remembered, "messages" | "raw">, act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    const text = `${error.code}: ${error.message}; ${error.hint}`;
    if (error.code === "internal" || error.hint === "") seen.raw.push(text);
    else seen.messages.push(text);
    return false;
  }
}
