import type { SimpleCommand, Span } from "@metnos-gate/shell-reading";
import { addressParts, gitRemoteOf, hostedRepository } from "@metnos-gate/shell-reading/git";
import { destinationsBy, programOf, wrapperOf } from "@metnos-gate/shell-reading/programs";
import type { Description, Destination, Hazard } from "../../../ipc/contract/description.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { registrableDomain } from "../../targets/listed-host.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import type { ExecutorManifest } from "../executors/manifest.ts";
import type { CallPlace } from "../places/call-place.ts";
import type { UsedDestinations } from "../places/used-destinations.ts";
import { readBounded } from "./bounded-file.ts";
import { addressLike, hostLike, packageLike } from "./look-alikes.ts";

/** Where a call goes, what of that is new to the project, and what looks like another place than it is. */

export interface Destinations {
  to: Destination[];
  hazards: Hazard[];
}

/** More than a card names. */
export const MAX_DESTINATIONS = 16;
/** Bytes of a file that names a project's packages, or its registry. */
const MAX_NAMING = 256 * 1024;
/** Characters of a request's path and query. */
const MAX_PATH = 2000;

interface Found {
  destination: Destination;
  /** Looked for only where it is said: a line may name thousands. */
  hazard: () => Hazard | null;
}

const NONE = () => null;

interface Known {
  place: CallPlace;
  used: Pick<UsedDestinations, "isUsed" | "hosts"> | undefined;
  hosts: readonly string[];
  files: ProjectFiles;
}

/** What the project's own files say of its packages: read once, and not before it is asked for. */
class ProjectFiles {
  readonly #place: CallPlace;
  readonly #found = new Map<string, unknown>();

  constructor(place: CallPlace) {
    this.#place = place;
  }

  packages(): readonly string[] {
    return this.#once("packages", ownPackages);
  }

  registry(isFetch: boolean): string | undefined {
    return this.#once(`registry ${isFetch}`, (place) => ownRegistry(place, isFetch));
  }

  #once<T>(what: string, find: (place: CallPlace) => T): T {
    if (!this.#found.has(what)) this.#found.set(what, find(this.#place));
    return this.#found.get(what) as T;
  }
}

/** The project that what was used is kept for. */
export function projectUsing({ project, cwd, home }: CallPlace): string {
  return project ?? cwd ?? home;
}

/** @param request the host of a request that is no command line, or null */
export function destinationsOf(
  lines: readonly CommandLine[],
  request: string | null,
  place: CallPlace,
  used: Known["used"],
): Destinations {
  const files = new ProjectFiles(place);
  const known: Known = { place, used, hosts: used?.hosts(projectUsing(place)) ?? [], files };
  const found = [...(request === null ? [] : [atHost(request, "", null, known)]), ...ofLines(lines, known)];
  const once = new Map(found.map((one) => [JSON.stringify(one.destination), one]));
  const kept = [...once.values()].slice(0, MAX_DESTINATIONS);
  return {
    to: kept.map(({ destination }) => isNew(destination, known)),
    hazards: kept.flatMap(({ hazard }) => hazard() ?? []),
  };
}

/** All of them, without what is said of them. */
export const placesReached = (lines: readonly CommandLine[], place: CallPlace): Destination[] =>
  ofLines(lines, { place, used: undefined, hosts: [], files: new ProjectFiles(place) }).map(
    ({ destination }) => destination,
  );

const ofLines = (lines: readonly CommandLine[], known: Known): Found[] => lines.flatMap((line) => ofLine(line, known));

function isNew(destination: Destination, { used, place }: Known): Destination {
  if (used === undefined || destination.host === null || used.isUsed(projectUsing(place), destination))
    return destination;
  return { ...destination, is_first: true };
}

function ofLine(line: CommandLine, known: Known): Found[] {
  const { commands, elsewhere } = line.reading;
  return [
    ...elsewhere.flatMap((command) => ofCommand(line, command, [], known)),
    ...commands.flatMap((command, at) => ofCommand(line, command, commands.slice(0, at), known)),
  ];
}

function ofCommand(line: CommandLine, command: SimpleCommand, before: readonly SimpleCommand[], known: Known): Found[] {
  if (command.isSpeculative || command.via.some((label) => wrapperOf(label).runsElsewhere)) return [];
  const spanOf = (marks: readonly Span[]) => spanIn(line, marks);
  if (programOf(command.name).worksOnRepository) return ofRemote(command, spanOf([command]), before, known);
  const goes = destinationsBy(command);
  const named = goes.packages;
  const packages = named?.packages.map(({ word, name }): Found => {
    const hazard = (): Hazard | null => {
      const like = packageLike(named.registry, name, known.files.packages());
      return like === null ? null : { id: "looks-like-another", span: spanOf([word]), host: name, path: like };
    };
    return { destination: { kind: "package", name, host: named.registry, domain: null, path: "" }, hazard };
  });
  const { registry, image } = goes;
  const span = spanOf([command]);
  return [
    ...(packages ?? []),
    ...(registry === null ? [] : [publishedTo(registry, span, known)]),
    ...(image === null
      ? []
      : [atHost(image.slice(0, image.indexOf("/")), image.slice(image.indexOf("/")), span, known)]),
    ...goes.hosts.map(({ host, path }) => (host === null ? UNREAD : atNamed(host, path, span, known))),
    ...(goes.isAboutOwnRepository ? [ofHosted(command, span, known)] : []),
    ...(named?.mayBeOther ? ofOwnRegistry(span, known) : []),
    ...goes.mailedTo.map((address) => {
      const found = atHost(address.slice(address.indexOf("@") + 1), "", span, known);
      return { ...found, destination: { ...found.destination, name: address } };
    }),
  ];
}

/** What a clone calls the repository that it came from. */
const USUAL = "origin";

function ofRemote(
  command: SimpleCommand,
  span: Hazard["span"],
  before: readonly SimpleCommand[],
  known: Known,
): Found[] {
  const remote = gitRemoteOf(command, known.place.home);
  if (remote === null) return [];
  const { name } = remote;
  const set = setBefore(name, before);
  const urls = set ?? (before.some(changesRemotes) ? null : remote.urls);
  // What the line puts in its place is compared with what it was.
  const others = [...remote.others, ...(set === null ? [] : (remote.urls ?? []))];
  if (urls === null)
    return [{ destination: { kind: "remote", name, host: null, domain: null, path: "" }, hazard: NONE }];
  return urls.map((url): Found => {
    const { host, path } = addressParts(url);
    if (host === null) return { destination: { kind: "remote", name, host: null, domain: null, path }, hazard: NONE };
    const found = atHost(host, path, span, known);
    // Of two that are alike one is the usual one.
    const hazard = (): Hazard | null => {
      const like = name === USUAL && set === null ? null : addressLike(host, path, others.map(addressParts));
      return like === null ? found.hazard() : { id: "looks-like-another", span, host: `${host}${path}`, path: like };
    };
    return { destination: { ...found.destination, kind: "remote", name }, hazard };
  });
}

/** The address that the line itself gives a remote before it is used. */
function setBefore(name: string | null, before: readonly SimpleCommand[]): string[] | null {
  const found = before.findLast(changesRemotes);
  const words = (found?.argv ?? []).map(({ text, is_resolved }) => (is_resolved ? text : null));
  const at = words.indexOf("remote");
  const [verb, remote, url] = words.slice(at + 1).filter((word) => word === null || !word.startsWith("-"));
  const isAddress = at === 1 && (verb === "add" || verb === "set-url") && remote != null && remote === name;
  return isAddress && url != null && found?.argv.length === words.indexOf(url) + 1 ? [url] : null;
}

/** A command of the same line after which a remote's name may lead elsewhere. */
const changesRemotes = ({ name, argv }: SimpleCommand): boolean =>
  programOf(name).worksOnRepository && argv.some(({ text }) => text === "remote" || text === "config");

const UNREAD: Found = {
  destination: { kind: "host", name: null, host: null, domain: null, path: "" },
  hazard: NONE,
};

/** A machine; a store's name is no host's; a repository of a host is its address. */
function atNamed(host: string, path: string, span: Hazard["span"], known: Known): Found {
  if (host.includes("://"))
    return { destination: { kind: "host", name: null, host, domain: null, path: "" }, hazard: NONE };
  const found = atHost(host, path, span, known);
  return path === "" ? found : { ...found, destination: { ...found.destination, kind: "remote" } };
}

/** What works on the repository of the folder goes where that is hosted. */
function ofHosted({ cwd }: SimpleCommand, span: Hazard["span"], known: Known): Found {
  const remote = hostedRepository(cwd, known.place.home);
  const { host, path } = remote === null ? { host: null, path: "" } : addressParts(remote.url);
  if (remote === null || host === null) return UNREAD;
  const found = atHost(host, path, span, known);
  return { ...found, destination: { ...found.destination, kind: "remote", name: remote.name } };
}

/** Packages come from the registry that the project's files name. */
function ofOwnRegistry(span: Hazard["span"], known: Known): Found[] {
  const host = addressParts(known.files.registry(true) ?? "").host;
  return host === null || host === USUAL_REGISTRY ? [] : [atHost(host, "", span, known)];
}

const USUAL_REGISTRY = "registry.npmjs.org";

/** A host, with a port or without. */
function atHost(written: string, path: string, span: Hazard["span"], { hosts }: Known): Found {
  const host = lookedUp(written);
  const bare = host.replace(/:\d*$/, "");
  const domain = registrableDomain(bare);
  const start = domain === null ? -1 : bare.length - domain.length;
  return {
    destination: { kind: "host", name: null, host, domain: start < 0 ? null : [start, bare.length], path },
    hazard: () => {
      const like = hostLike(bare, hosts);
      return like === null ? null : { id: "looks-like-another", span, host: like.is, path: like.looksLike };
    },
  };
}

/** A name in another alphabet as it is looked up; else as it is. */
function lookedUp(written: string): string {
  const url = `http://${written}/`;
  return URL.canParse(url) && /[^\x20-\x7e]/.test(written) ? new URL(url).host : written.toLowerCase();
}

/** The usual registry; of npm unless files of the project name another one. */
function publishedTo(
  { url, isUsual }: NonNullable<ReturnType<typeof destinationsBy>["registry"]>,
  span: Hazard["span"],
  known: Known,
): Found {
  const isOwn = isUsual && url === `https://${USUAL_REGISTRY}`;
  const address = (isOwn ? known.files.registry(false) : undefined) ?? url;
  if (address === null) return UNREAD;
  const { host, path } = addressParts(address);
  return atHost(host ?? address, path, span, known);
}

/** `publishConfig` of package.json, else `@scope:registry=` or `registry=` of `.npmrc`, the project's before the user's. */
function ownRegistry(place: CallPlace, isFetch: boolean): string | undefined {
  const file = packageFile(place);
  const scope = typeof file?.name === "string" ? /^@[^/]+(?=\/)/.exec(file.name)?.[0] : undefined;
  const settings = [fileText(".npmrc", place), fileText(".npmrc", { ...place, cwd: place.home })];
  const named = [...(scope === undefined || isFetch ? [] : [`${scope}:registry`]), "registry"].flatMap((key) =>
    settings.flatMap((text) => valueIn(text ?? "", key) ?? []),
  )[0];
  const config = file?.publishConfig;
  const own = typeof config === "object" && config !== null && "registry" in config ? config.registry : undefined;
  return typeof own === "string" && !isFetch ? own : named;
}

/** `key = value` of a file with a setting in each line. */
function valueIn(text: string, key: string): string | undefined {
  const lines = text.split("\n").map((line) => line.split("="));
  return lines
    .findLast(([name]) => name?.trim() === key)
    ?.slice(1)
    .join("=")
    .trim();
}

/** The names that package.json or requirements.txt of the project hold. */
function ownPackages(place: CallPlace): string[] {
  const file = packageFile(place);
  const ofFile = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"].flatMap((key) => {
    const part = file?.[key];
    return typeof part === "object" && part !== null ? Object.keys(part) : [];
  });
  const listed = fileText("requirements.txt", place)?.match(/^[A-Za-z0-9][\w.-]*/gm) ?? [];
  return [...ofFile, ...listed];
}

function packageFile(place: CallPlace): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(fileText("package.json", place) ?? "null");
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null; // no JSON: it names nothing
  }
}

function fileText(name: string, place: CallPlace): string | null {
  const folder = place.cwd ?? place.project;
  if (folder == null) return null;
  const read = readBounded(`${folder}/${name}`, MAX_NAMING, place);
  return read.kind === "file" ? read.text : null;
}

/** From the first to the last of the marks, within the text. */
function spanIn({ arg, text }: CommandLine, marks: readonly Span[]): Hazard["span"] {
  const start = Math.min(...marks.map((mark) => mark.start));
  const end = Math.min(Math.max(...marks.map((mark) => mark.end)), text.length);
  return start >= 0 && start < end ? { arg, start, end } : null;
}

/** A request to the web that is no command line; null where it is none. */
export function requestOf({ args }: ProposedCall, manifest: ExecutorManifest): Description["request"] {
  const source = manifest.needs.find(({ target }) => target.from === "url")?.target;
  const url = source?.from === "url" ? args[source.arg] : undefined;
  if (typeof url !== "string" || !URL.canParse(url)) return null;
  const { host, pathname, search } = new URL(url);
  const asked = manifest.reversibility === "reversible" ? "GET" : "POST";
  const method = typeof args.method === "string" && /^[A-Za-z]{1,16}$/.test(args.method) ? args.method : asked;
  return { method: method.toUpperCase(), host, path: (pathname + search).slice(0, MAX_PATH) };
}

/** Its host; null where it is none. */
export function hostRequested(call: ProposedCall, manifest: ExecutorManifest): string | null {
  const host = requestOf(call, manifest)?.host ?? "";
  return host === "" ? null : host;
}
