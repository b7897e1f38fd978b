import { programOf } from "@metnos-gate/shell-reading/programs";
import { shortenHome } from "../../../../ipc/base/visible-text.ts";
import type { Description, Hazard } from "../../../../ipc/contract/description.ts";
import { effectText, hazardText } from "../../../../ipc/words/hazard-words.ts";
import { priceText } from "../../../../ipc/words/price-words.ts";
import { describe } from "../../../decide/description/describe.ts";
import { loggedNameOf } from "../../../decide/executors/catalog.ts";
import { withoutValues } from "../../../decide/guard/without-values.ts";
import { placeOf } from "../../../decide/places/call-place.ts";
import { stringsIn } from "../../../decide/places/patterns.ts";
import type { Send } from "../../../decide/reviews/config.ts";
import type { Reviewable } from "../../../decide/stages/examination.ts";
import { secretsRemover, withoutSecrets } from "./masked-secrets.ts";
import { argumentNames, argumentsSent, beginningOf } from "./sent-arguments.ts";
import { kindsOfTargets, namedTargets } from "./sent-targets.ts";

/**
 * What of a call is sent to a judge. `keys`: the arguments' names, and what the gate itself says of the call, without any value: no
 * path, host, command or text, only their kinds. `redacted`: the values too, with secrets masked and contents cut to their beginning.
 * `full`: the values as they are.
 */

/** As plain JSON. What is left out was empty. */
export interface SentCall {
  /** What the agent says that the call is for. */
  intent: string;
  /** The user's own message, as the agent's client says. Never with `keys`: it is nothing but values. */
  user_asked?: string;
  tool: string;
  /** The working directory, where it isn't the project's root, and the Git project that it is in. */
  cwd?: string;
  project?: string;
  /** What the box that it runs in lets it do. */
  confined?: string;
  /** Each capability with what it is needed for. */
  needs: string[];
  effect: string;
  /** What its session has seen, without what it was. */
  session?: string[];
  dangers?: string[];
  /** The programs of its command lines, in their order. */
  programs?: string[];
  /** Why the gate doesn't know all that its command lines do. */
  unclear?: string[];
  /** What it changes in files, against those that are there. */
  changes?: string[];
  /** What a name in it would run. */
  runs?: Record<string, string[]>;
  request?: string;
  /** What it costs, where a price is known. */
  price?: string;
  args: string[] | Record<string, unknown>;
}

/** Characters of the intent, and of the user's message. */
const MAX_INTENT = 2000;
const MAX_LISTED = 20;
/** Lines of a script that a name in the call runs. */
const MAX_SCRIPT_LINES = 10;
const MAX_LINE = 200;

/** How far `send` lets a text through that the gate read from the call or from a file. */
interface Texts {
  /** `keys` also where the arguments are too long to be looked through for secrets. */
  send: Send;
  home: string;
  of(text: string): string;
}

function textsFor({ call, executor, settings }: Reviewable, send: Send): Texts {
  const { home } = settings;
  if (send !== "redacted") return { send, home, of: (text) => text };
  // Contents name no targets.
  const values = stringsIn(call.args, executor.manifest.content_args).map(({ value }) => value);
  const of = secretsRemover([...values, call.context?.cwd ?? ""]);
  return of === null ? { send: "keys", home, of: withoutSecrets } : { send, home, of };
}

/** Bounded in time and size, whatever the call says. */
export function sentCall(x: Reviewable, send: Send): SentCall {
  const { call, settings } = x;
  const texts = textsFor(x, send);
  const description = describe({ ...x, needs: x.stated_needs });
  const { project } = description;
  const cwd = call.context?.cwd;
  const hasValues = texts.send !== "keys";
  return withoutEmpty({
    intent:
      send === "keys" ? withoutValues(call.intent, call.args, true) : beginningOf(call.intent, MAX_INTENT, texts.of),
    user_asked: hasValues ? userAsked(x, texts) : undefined,
    tool: toolSent(x, send),
    cwd: hasValues && cwd !== project ? textSent(cwd, texts) : undefined,
    project: hasValues ? textSent(project ?? undefined, texts) : undefined,
    confined: confinedTo(x, texts),
    needs: hasValues
      ? namedTargets(x.stated_needs, texts.home, texts.of)
      : kindsOfTargets(x.stated_needs, placeOf(call, settings.home, settings.env)),
    effect: effectText(description.effect, "en", x.confinement !== null),
    session: sessionSaid(x),
    dangers: unique(description.hazards.map((hazard) => dangerText(hazard, texts))),
    programs: programsOf(x, texts),
    unclear: unclearOf(x, description, texts),
    changes: changesOf(description, texts),
    runs: hasValues ? scriptsOf(description, texts) : undefined,
    request: requestOf(description, texts),
    price: x.price === undefined ? undefined : priceText(x.price, "en"),
    args: send === "keys" ? argumentNames(x) : argumentsSent(x, send, texts.of),
  });
}

/** No values, whatever may be sent. */
function sessionSaid({ subject, settings }: Reviewable): string[] | undefined {
  const marks = settings.flow?.marksOf(subject);
  if (marks == null) return undefined;
  return [
    ...(marks.private === undefined ? [] : ["has read something private of the user's"]),
    ...(marks.untrusted === undefined ? [] : ["has taken in something that others may have written"]),
  ];
}

function userAsked({ call, subject, settings }: Reviewable, { of }: Texts): string | undefined {
  const words = settings.words?.of(call, subject) ?? null;
  return words === null ? undefined : beginningOf(words, MAX_INTENT, of);
}

/** A name that nothing describes is the agent's own word. */
function toolSent({ call, executor }: Reviewable, send: Send): string {
  const name = loggedNameOf(call.executor, executor.is_described);
  return executor.is_described || send === "full" ? name : withoutSecrets(name);
}

function textSent(text: string | undefined, { of, home }: Texts): string | undefined {
  return text === undefined ? undefined : of(shortenHome(text, home).slice(0, MAX_LINE * 2));
}

function confinedTo({ confinement }: Reviewable, texts: Texts): string | undefined {
  if (confinement === null) return undefined;
  const { kind, project, network } = confinement.declaration;
  if (kind === "needs") return "touches nothing but what it names; no network";
  const folder = texts.send === "keys" ? "the project" : textSent(project, texts);
  return `${kind === "looking" ? "only reads" : "writes only in"} ${folder}; ${network ? "each host is decided on by itself" : "no network"}`;
}

function dangerText({ path, host, read, came, ...hazard }: Hazard, { send, of }: Texts): string {
  // Numbers are the gate's own; hosts and paths are the call's.
  if (send === "keys") return hazardText(hazard, "en");
  const named = {
    ...(path === undefined ? {} : { path: of(path) }),
    ...(host === undefined ? {} : { host: of(host) }),
    ...(read === undefined ? {} : { read: { ...read, what: of(read.what) } }),
    ...(came === undefined ? {} : { came: { ...came, what: of(came.what) } }),
  };
  return hazardText({ ...hazard, ...named }, "en");
}

/** By their names; with `keys` only those that the gate knows: any other name may be a value. */
function programsOf({ lines }: Reviewable, { send, of }: Texts): string[] {
  const names = lines.all.flatMap(({ reading }) => reading.commands.map(({ name }) => name)).filter(Boolean);
  const shown = names.map((name) => {
    if (send !== "keys") return of(name.slice(0, MAX_LINE));
    return programOf(name).hasRecord ? name : "another program";
  });
  return unique(shown);
}

/** The gate's own reasons. They may name a word of the line. */
function unclearOf({ lines }: Reviewable, { commands }: Description, { send, of }: Texts): string[] {
  const unread = lines.all.flatMap(({ reading }) => reading.unread ?? []);
  const unclear = commands.flatMap(({ parts }) => parts.flatMap((part) => part.unclear ?? []));
  if (send !== "keys") return unique([...unread, ...unclear].map((reason) => of(reason.slice(0, MAX_LINE))));
  return [
    ...(unread.length > 0 ? ["a command line can't be read completely"] : []),
    ...(unclear.length > 0 ? ["what a command needs isn't known"] : []),
  ];
}

function changesOf({ changes }: Description, texts: Texts): string[] {
  return unique(
    changes.map(({ path, status, added, removed }) => {
      const named = texts.send === "keys" ? "a file" : textSent(path, texts);
      return `${CHANGE_WORDS[status]} ${named}: +${added} -${removed} lines`;
    }),
  );
}

const CHANGE_WORDS: Readonly<Record<Description["changes"][number]["status"], string>> = {
  new: "creates",
  replaces: "replaces",
  edits: "edits",
  deletes: "deletes",
  unknown: "changes",
};

function scriptsOf({ stands_for }: Description, { of }: Texts): Record<string, string[]> {
  return Object.fromEntries(
    stands_for.slice(0, MAX_LISTED).map(({ name, lines, total_lines }) => {
      const shown = lines.slice(0, MAX_SCRIPT_LINES).map((line) => of(line.slice(0, MAX_LINE)));
      const more = total_lines > shown.length ? [`(${total_lines - shown.length} lines more)`] : [];
      return [of(name.slice(0, MAX_LINE)), [...shown, ...more]];
    }),
  );
}

function requestOf({ request }: Description, { send, of }: Texts): string | undefined {
  if (request === null) return undefined;
  const { method, host, path } = request;
  const known = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/.test(method) ? method : "another method";
  return send === "keys" ? `${known} to a host` : of(`${method} ${host}${path.slice(0, MAX_LINE * 2)}`);
}

/** Each of them once, and how many more there are. */
function unique(texts: readonly string[]): string[] {
  const all = [...new Set(texts)];
  const left = all.length - MAX_LISTED;
  return left > 0 ? [...all.slice(0, MAX_LISTED), `and ${left} more`] : all;
}

function withoutEmpty(sent: { [key in keyof SentCall]: SentCall[key] | undefined }): SentCall {
  const isEmpty = (value: unknown) =>
    value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  const entries = Object.entries(sent).filter(([key, value]) => REQUIRED.has(key) || !isEmpty(value));
  return Object.fromEntries(entries) as unknown as SentCall;
}
const REQUIRED: ReadonlySet<string> = new Set(["intent", "tool", "needs", "effect", "args"]);
