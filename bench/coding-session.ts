import type { ProposedCall } from "../ipc/contract/wire.ts";
import { choicesFor, choicesForBox } from "../main/calls/approvals/choices.ts";
import { projectAsked } from "../main/decide/confinement/declaration.ts";
import { ExecutorCatalog } from "../main/decide/executors/catalog.ts";
import type { GrantStore } from "../main/decide/grants/store.ts";
import { confinementOfCall, examineCall } from "../main/decide/pipeline.ts";
import { POLICY_TABLE } from "../main/decide/policy/policy.ts";
import type { Reviewable, StageSettings, Subject } from "../main/decide/stages/examination.ts";
import { CODING_COMMANDS } from "../test/support/coding-commands.ts";
import { StandInBox } from "../test/support/stand-in-box.ts";
import { type Figure, figure } from "./figure.ts";
import { inSessionHome, sessionSettings } from "./session-home.ts";

/**
 * How often the user is asked in an ordinary session at Supervised, answering "this folder and below, this session"; without a box, and
 * with one that has a network. What is asked about all the same is printed with its reason.
 */

const SESSION = "bench";
const PRINCIPAL = { channel: "local", sender_id: "ada" };

interface Asks {
  asked: number;
  once: number;
  granted: number;
  denied: number;
  /** Commands that ran confined. */
  confined: number;
  /** Hosts that the proxy would ask about, each once. */
  hosts: ReadonlySet<string>;
  /** Each question with the command, and why it wasn't confined. */
  remaining: readonly string[];
}

export async function codingSession(): Promise<Figure[]> {
  const without = sessionWith(undefined);
  const boxed = sessionWith(new StandInBox());
  const all = CODING_COMMANDS.length;
  const total = boxed.asked + boxed.hosts.size;
  console.log(
    `hosts: ${[...boxed.hosts].join(", ")}\nasked about in a coding session although there is a box (${boxed.asked}, and ${boxed.hosts.size} hosts):`,
  );
  for (const line of boxed.remaining) console.log(`  ${line}`);
  return [
    figure(
      "asks in a coding session",
      without.asked,
      "asks",
      null,
      `of ${all} commands: ${without.once} run code and are asked about each time, ${without.granted} gave a grant`,
    ),
    figure(
      "asks in a coding session with a box",
      total,
      "asks",
      null,
      `${boxed.confined} commands ran confined; ${boxed.once} are asked about each time, ${boxed.granted} gave a grant, ${boxed.hosts.size} hosts`,
    ),
    figure("commands denied in a coding session", without.denied, "", 0, "none of them is the guard's business"),
    figure("the same with a box", boxed.denied, "", 0, ""),
    figure("asks against asking every time", without.asked / all, "x", null, `${without.asked} of ${all}`),
    figure("asks with a box against without", total / without.asked, "x", null, `${total} against ${without.asked}`),
  ];
}

/** The session in a home of its own. */
function sessionWith(box: StandInBox | undefined): Asks {
  return inSessionHome((session) => {
    const settings = { ...sessionSettings(session), ...(box === undefined ? {} : { box }) };
    return asksIn(session.cwd, settings, session.grants);
  });
}

function asksIn(cwd: string, settings: StageSettings, grants: GrantStore): Asks {
  const subject: Subject = {
    agent: null,
    level: "Supervised",
    session: SESSION,
    principal: PRINCIPAL,
    can_confine: true,
  };
  const catalog = new ExecutorCatalog();
  const counts = { asked: 0, once: 0, granted: 0, denied: 0, confined: 0 };
  const hosts = new Set<string>();
  const remaining: string[] = [];
  for (const command of CODING_COMMANDS) {
    const call: ProposedCall = {
      intent: "",
      executor: "Bash",
      args: { command: command.replaceAll("~/project", cwd).replaceAll("/home/ada/project", cwd) },
      context: { cwd, session: SESSION },
    };
    const { x, denial } = examineCall(call, subject, catalog, settings);
    if (denial !== null) {
      counts.denied++;
      continue;
    }
    if (x.confinement !== null) counts.confined++;
    for (const host of hostsOf(x, command)) {
      // Answered for the session: not asked about again, by a command outside of a box either.
      const holder = { ...PRINCIPAL, session: SESSION };
      if (grants.find(holder, "network:http", { kind: "host", host }) !== undefined) continue;
      hosts.add(host);
      grants.recordGrant({ ...holder, capability: "network:http", target: host });
    }
    if (x.outcome !== "approval_required") continue;
    counts.asked++;
    const { reason } = confinementOfCall(call, subject, catalog, settings);
    remaining.push(
      `${(reason ?? x.confinement?.declaration.kind ?? "confined").padEnd(18)} ${command.split("\n")[0] ?? ""}`.slice(
        0,
        120,
      ),
    );
    const answer = answerTo(x, settings.home);
    if (answer === undefined) counts.once++;
    else {
      counts.granted++;
      for (const { capability, target } of answer.grants)
        grants.recordGrant({ ...PRINCIPAL, capability, target, session: SESSION });
    }
  }
  return { ...counts, hosts, remaining };
}

/** Where programs fetch from that name no host. */
const OWN_HOSTS: Readonly<Record<string, string>> = {
  npm: "registry.example.org",
  npx: "registry.example.org",
  git: "git.example.org",
};

/** The hosts that a confined command names; where it names none, its program's own. */
function hostsOf({ confinement, stated_needs }: Reviewable, command: string): string[] {
  if (confinement?.declaration.network !== true) return [];
  const named = stated_needs.flatMap(({ target }) => (target.kind === "host" ? [target.host] : []));
  const program = command.split(" ")[0] ?? "";
  return named.length > 0 ? named : [OWN_HOSTS[program] ?? `${program}.example`];
}

function answerTo({ needs, confinement }: Reviewable, home: string) {
  const asked = needs.filter(({ capability }) => POLICY_TABLE.Supervised[capability] === "approval_required");
  const project = projectAsked(confinement);
  const choices = project === undefined ? choicesFor(asked, { home }) : choicesForBox(asked, { home }, project);
  const inSession = choices.filter(({ scope }) => scope === "session");
  return (
    inSession.find(({ reach }) => reach === "project" && project !== undefined) ??
    inSession.find(({ reach }) => reach === "tree") ??
    inSession.find(({ reach }) => reach === "host" || reach === "exact")
  );
}
