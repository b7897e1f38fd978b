import type { SimpleCommand, Span } from "@metnos-gate/shell-reading";
import { addressParts, gitRemoteOf } from "@metnos-gate/shell-reading/git";
import { destinationsBy, programOf, wrapperOf } from "@metnos-gate/shell-reading/programs";
import type { Destination, Hazard } from "../../../ipc/contract/description.ts";
import { registrableDomain } from "../../targets/listed-host.ts";
import type { CommandLine } from "../executors/command-lines.ts";
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
const MAX_DESTINATIONS = 16;
/** Bytes of a file that names a project's packages, or its registry. */
const MAX_NAMING = 256 * 1024;

interface Found {
  destination: Destination;
  hazard: Hazard | null;
}

interface Known {
  place: CallPlace;
  used: Pick<UsedDestinations, "isUsed" | "hosts"> | undefined;
  hosts: readonly string[];
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
  const known: Known = { place, used, hosts: used?.hosts(projectUsing(place)) ?? [] };
  const found = [
    ...(request === null ? [] : [atHost(request, "", null, known)]),
    ...lines.flatMap((line) => line.reading.commands.flatMap((command) => ofCommand(line, command, known))),
  ];
  const once = new Map(found.map((one) => [JSON.stringify(one.destination), one]));
  const kept = [...once.values()].slice(0, MAX_DESTINATIONS);
  return {
    to: kept.map(({ destination }) => isNew(destination, known)),
    hazards: kept.flatMap(({ hazard }) => hazard ?? []),
  };
}

function isNew(destination: Destination, { used, place }: Known): Destination {
  if (used === undefined || destination.host === null || used.isUsed(projectUsing(place), destination))
    return destination;
  return { ...destination, is_first: true };
}

function ofCommand(line: CommandLine, command: SimpleCommand, known: Known): Found[] {
  if (command.isSpeculative || command.via.some((label) => wrapperOf(label).runsElsewhere)) return [];
  const spanOf = (marks: readonly Span[]) => spanIn(line, marks);
  if (programOf(command.name).worksOnRepository) return ofRemote(command, spanOf([command]), known);
  const goes = destinationsBy(command);
  const named = goes.packages;
  const packages = named?.packages.map(({ word, name }): Found => {
    const like = packageLike(named.registry, name, ownPackages(known.place));
    return {
      destination: { kind: "package", name, host: named.registry, domain: null, path: "" },
      hazard: like === null ? null : { id: "looks-like-another", span: spanOf([word]), host: name, path: like },
    };
  });
  const { registry, imagePushed: image, fetchedHost: fetched } = goes;
  const span = spanOf([command]);
  return [
    ...(packages ?? []),
    ...(registry === null ? [] : [publishedTo(registry, span, known)]),
    ...(image === null
      ? []
      : [atHost(image.slice(0, image.indexOf("/")), image.slice(image.indexOf("/")), span, known)]),
    ...(fetched === null ? [] : [atHost(fetched, "", span, known)]),
    ...goes.mailedTo.map((address) => {
      const found = atHost(address.slice(address.indexOf("@") + 1), "", span, known);
      return { ...found, destination: { ...found.destination, name: address } };
    }),
  ];
}

/** What a clone calls the repository that it came from. */
const USUAL = "origin";

function ofRemote(command: SimpleCommand, span: Hazard["span"], known: Known): Found[] {
  const remote = gitRemoteOf(command, known.place.home);
  if (remote === null) return [];
  const { name, urls } = remote;
  if (urls === null)
    return [{ destination: { kind: "remote", name, host: null, domain: null, path: "" }, hazard: null }];
  return urls.map((url): Found => {
    const { host, path } = addressParts(url);
    if (host === null) return { destination: { kind: "remote", name, host: null, domain: null, path }, hazard: null };
    const found = atHost(host, path, span, known);
    // Of two that are alike one is the usual one.
    const like = name === USUAL ? null : addressLike(host, path, remote.others.map(addressParts));
    const hazard: Hazard | null =
      like === null ? found.hazard : { id: "looks-like-another", span, host: `${host}${path}`, path: like };
    return { destination: { ...found.destination, kind: "remote", name }, hazard };
  });
}

/** A host, with a port or without. */
function atHost(written: string, path: string, span: Hazard["span"], { hosts }: Known): Found {
  const host = lookedUp(written);
  const bare = host.replace(/:\d*$/, "");
  const like = hostLike(bare, hosts);
  const domain = registrableDomain(bare);
  const start = domain === null ? -1 : bare.length - domain.length;
  return {
    destination: { kind: "host", name: null, host, domain: start < 0 ? null : [start, bare.length], path },
    hazard: like === null ? null : { id: "looks-like-another", span, host: like.is, path: like.looksLike },
  };
}

/** A name in another alphabet as it is looked up; else as it is. */
function lookedUp(written: string): string {
  const url = `http://${written}/`;
  return URL.canParse(url) && /[^\x20-\x7e]/.test(written) ? new URL(url).host : written.toLowerCase();
}

/** The usual registry, unless files of the project name another one. */
function publishedTo(
  { url, isUsual }: NonNullable<ReturnType<typeof destinationsBy>["registry"]>,
  span: Hazard["span"],
  known: Known,
): Found {
  const address = (isUsual ? ownRegistry(known.place) : undefined) ?? url;
  if (address === null)
    return { destination: { kind: "host", name: null, host: null, domain: null, path: "" }, hazard: null };
  const { host, path } = addressParts(address);
  return atHost(host ?? address, path, span, known);
}

/** `registry=` of `.npmrc`, `publishConfig` of package.json. */
function ownRegistry(place: CallPlace): string | undefined {
  const settings = fileText(".npmrc", place);
  const named = settings === null ? undefined : /^\s*(?:@[\w-]+:)?registry\s*=\s*(\S+)/m.exec(settings)?.[1];
  const config = packageFile(place)?.publishConfig;
  const own = typeof config === "object" && config !== null && "registry" in config ? config.registry : undefined;
  return typeof own === "string" ? own : named;
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
