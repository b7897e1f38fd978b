import { lstatSync, realpathSync } from "node:fs";
import { basename } from "node:path";
import { GateError } from "../../../ipc/gate-error.ts";
import type { Declaration } from "../../gate/confinement/declaration.ts";
import { kindOf } from "../../gate/targets/path-kind.ts";
import { isAtOrBelow } from "../../gate/targets/pattern.ts";
import type { FoundPlaces } from "../arguments/bubblewrap.ts";
import { type Found, identityOf, ProjectTree, TREE_LIMITS, type TreeLimits } from "./project-tree.ts";
import type { Turns } from "./turns.ts";

/** The places of the folders that boxes may write: what may stay there, and what has appeared since. */

/** Folders that are remembered: each holds a tree. */
const MAX_TREES = 24;

/** What was found in the folders that a run may write. */
export interface Look {
  /** For the box: paths that are UTF-8. */
  readonly found: FoundPlaces;
  /** For the box as well: paths with one character for each byte. */
  readonly unnamed: readonly string[];
  readonly known: readonly Known[];
  /** When, in milliseconds since this process began. */
  readonly at: number;
}

/** What is in a folder before the first of the runs that are going there. */
export interface Known {
  readonly folder: string;
  readonly places: readonly KnownPlace[];
}

/** `leads_to`: of a link, in which folder what lies that it leads to; null for what is none. */
export type KnownPlace = Found & { readonly leads_to: string | null };

/** A project that holds more than a box can be made for. */
export class TooLarge extends GateError {
  constructor(what: string) {
    super("box_unavailable", `its project holds ${what} for a box`, "send it again: it is asked about then");
  }
}

export class Places {
  readonly #trees = new Map<string, ProjectTree>();
  readonly #limits: TreeLimits;

  constructor(limits = TREE_LIMITS) {
    this.#limits = limits;
  }

  /** Looks at what a declaration lets a box write, and for secrets at what it lets it read. @throws TooLarge; the system's error */
  before({ kind, project, writes, reads }: Declaration): Look {
    const at = performance.now();
    const is_narrow = kind !== undefined;
    const folders = is_narrow ? (writes.length > 0 ? [project] : []) : [project, ...writes];
    const looks = folders.map((folder) => ({ folder, ...this.#tree(folder).look() }));
    if (!looks.every(({ is_whole }) => is_whole)) throw new TooLarge("too many files and folders");
    const places = looks.flatMap((look) => look.places.map(({ path }) => path));
    const read = is_narrow ? reads.filter((path) => !folders.includes(path) && isFolder(path)) : [];
    const secrets = [...looks, ...read.map((folder) => this.#tree(folder).look())].flatMap((look) =>
      look.secrets.map(({ path }) => path),
    );
    const bound = places.flatMap((path) => withTarget(path, is_narrow ? writes : folders));
    return {
      found: { run_later: bound.flatMap(asText), secrets: secrets.flatMap(asText) },
      unnamed: bound.filter((path) => asText(path).length === 0 && isWithin(path, is_narrow ? writes : folders)),
      known: looks.map(({ folder, places }) => ({
        folder,
        places: places.map((place) => ({ ...place, leads_to: leadsTo(place) })),
      })),
      at,
    };
  }

  /** What is there now and wasn't before, or isn't what it was. `is_whole`: all was looked through. @throws the system's error */
  async appeared({ folder, places }: Known, turns: Turns): Promise<{ found: Found[]; is_whole: boolean }> {
    const by_path = new Map(places.map((place) => [place.path, place]));
    const by_own = new Map(places.map((place) => [place.own, place]));
    const look = await this.#tree(folder).lookInTurns(turns);
    const found = look.places.filter((place) => {
      const at_path = by_path.get(place.path);
      if (at_path?.is_link || place.is_link) return !isSameLink(place, by_own.get(place.own));
      // In the box a place itself can't be replaced, only a folder that it lies in: anybody else may have.
      if (at_path !== undefined && (at_path.own === place.own || at_path.parent === place.parent)) return false;
      // With its folder a place moves as it is.
      return by_own.get(place.own)?.changed_at !== place.changed_at;
    });
    return { found, is_whole: look.is_whole };
  }

  #tree(folder: string): ProjectTree {
    const known = this.#trees.get(folder);
    const tree = known ?? new ProjectTree(folder, basename(folder) === ".git" ? "repository" : "plain", this.#limits);
    this.#trees.delete(folder);
    this.#trees.set(folder, tree);
    const [oldest] = this.#trees.keys();
    if (this.#trees.size > MAX_TREES && oldest !== undefined) this.#trees.delete(oldest);
    return tree;
  }
}

/**
 * A link can be replaced in the box, and so can a folder or another link on its way; what it leads to in the end is a mount, or isn't
 * there to be written. So it is the same only while all of this is.
 */
function isSameLink(place: Found, known: KnownPlace | undefined): boolean {
  return known?.is_link === true && known.changed_at === place.changed_at && known.leads_to === leadsTo(place);
}

function leadsTo({ path, is_link }: Found): string | null {
  if (!is_link) return null;
  try {
    const real = realpathSync.native(Buffer.from(path, "latin1"), { encoding: "latin1" });
    const name_at = real.lastIndexOf("/") + 1;
    const parent = lstatSync(Buffer.from(real.slice(0, name_at), "latin1"));
    return `${real.slice(name_at)} in ${identityOf(parent)}`;
  } catch {
    return ""; // nowhere
  }
}

/** A link, and what it leads to where a box may write that. */
function withTarget(path: string, folders: readonly string[]): string[] {
  const [text] = asText(path);
  if (text === undefined) return [path];
  try {
    const real = realpathSync.native(text);
    return folders.some((folder) => isAtOrBelow(real, folder)) ? [Buffer.from(real).toString("latin1")] : [];
  } catch {
    return []; // it leads nowhere: there is nothing to keep
  }
}

const isFolder = (path: string): boolean => kindOf(path) === "folder";

function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isAtOrBelow(path, Buffer.from(folder).toString("latin1")));
}

/** A path of bytes as text; none where it isn't UTF-8. */
function asText(path: string): string[] {
  const bytes = Buffer.from(path, "latin1");
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? [text] : [];
}
