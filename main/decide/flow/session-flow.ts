import { isAtOrBelow } from "@metnos-gate/shell-reading/files";
import { type Flow, MARKS, type Mark, type Marks, type Seen } from "../../../ipc/contract/flow.ts";
import { projectUsing } from "../description/destinations.ts";
import { type CallPlace, placeOf } from "../places/call-place.ts";
import {
  type FlowCall,
  filesMentioned,
  filesNamed,
  laterIn,
  outOf,
  ownFolder,
  privateIn,
  runsUnknown,
  type Saying,
  sayingsOf,
  untrustedIn,
} from "./call-flow.ts";
import type { FlowConfig } from "./config.ts";
import { type Marked, type SessionMarks, saidWith, say } from "./session-marks.ts";
import type { WrittenFiles } from "./written-files.ts";

/** What sessions have seen, and what of it counts for a call. */
export class SessionFlow {
  readonly #marks: SessionMarks;
  readonly #files: WrittenFiles;
  readonly #config: () => FlowConfig;

  constructor(marks: SessionMarks, files: WrittenFiles, config: () => FlowConfig) {
    this.#marks = marks;
    this.#files = files;
    this.#config = config;
  }

  /** What this call is asked about for; null where it may pass, undefined where its session has seen nothing. */
  of(x: FlowCall): Flow | null | undefined {
    const { agent } = x.subject;
    if (agent === null) return undefined;
    const seen = this.#marks.of(x.subject);
    // Of an unmarked session only what comes in and stays by one and the same call counts.
    if (seen?.untrusted === undefined && !canPlantAtOnce(x)) return seen === null ? undefined : null;
    const config = this.#config();
    const own = (what: string | undefined): Seen | undefined =>
      what === undefined ? undefined : { what, decision_id: "", at: "" };
    const came = seen?.untrusted ?? own(untrustedIn(x, config));
    if (came === undefined) return null;
    const reads = seen?.reads ?? 0;
    const found = [
      () => {
        if (config.private_untrusted_out === "off" || seen?.untrusted === undefined) return undefined;
        const now = () => privateIn(x, config, this.#ownFolders(x)) ?? this.#keptIn(x).get("private");
        const read = seen.private ?? own(now());
        const counted = this.#marks.counted(x.subject);
        const said = ({ domain, text }: Saying) => (counted === null ? 0 : saidWith(counted, domain, text));
        const to = read === undefined ? undefined : outOf(x, config, said);
        return to === undefined ? undefined : { rule: "flow.private-untrusted-out" as const, read, came, to, reads };
      },
      () => {
        const to = config.untrusted_later === "off" ? undefined : laterIn(x);
        return to === undefined ? undefined : { rule: "flow.untrusted-later" as const, came, to, reads };
      },
    ];
    for (const find of found) {
      const flow = find();
      if (flow !== undefined && !this.#marks.isAgreed(x.subject, flow)) return flow as Flow;
    }
    return null;
  }

  /** A call is allowed: what it brings in marks its session, and what it writes is known to come from there. @throws SQLite's error */
  note(x: FlowCall, decisionId: string): void {
    const { subject } = x;
    const counted = this.#marks.counted(subject);
    if (counted === null) return;
    const config = this.#config();
    const brought = new Map<Mark, string>();
    const read = privateIn(x, config, this.#ownFolders(x, true));
    if (read !== undefined) brought.set("private", read);
    const came = untrustedIn(x, config);
    if (came !== undefined) brought.set("untrusted", came);
    for (const [mark, path] of this.#keptIn(x)) if (!brought.has(mark)) brought.set(mark, path);
    for (const [mark, what] of brought) this.#marks.note(subject, mark, what, decisionId);
    const marks = this.#marks.of(subject);
    if (marks === null) return;
    const held = MARKS.filter((mark) => marks[mark] !== undefined);
    if (held.length === MARKS.length) for (const { domain, text } of sayingsOf(x, config)) say(counted, domain, text);
    const written = filesNamed(x, "fs:write");
    const isRun = runsUnknown(x);
    if (written.length === 0 && !isRun) return;
    const { name: writer, root } = counted;
    const works = () => projectUsing(placeOf(x.call, x.settings.home, x.settings.env));
    const project = root ?? works();
    for (const { path, is_tree } of written) this.#files.note(is_tree ? `${path}/` : path, project, writer, held);
    if (isRun) this.#files.noteRun(x.confinement?.declaration.project ?? works(), writer, held);
  }

  /** The marks that files have which it reads, each with such a file. */
  #keptIn(x: FlowCall): Map<Mark, string> {
    const found = new Map<Mark, string>();
    if (this.#files.isEmpty) return found;
    const reader = this.#marks.counted(x.subject)?.name ?? "";
    const mentioned = runsUnknown(x) ? filesMentioned(x).map((path) => ({ path, is_tree: false })) : [];
    for (const { path, is_tree } of [...filesNamed(x, "fs:read"), ...mentioned])
      for (const mark of this.#files.marksOf(path, is_tree, reader)) if (!found.has(mark)) found.set(mark, path);
    return found;
  }

  /**
   * Whether a path lies where a session works: where its first call did, so that no later one says that it works where something private
   * is. Those that share their marks may work in any repository. @param isMade the call is allowed: it may be the first
   */
  #ownFolders({ subject, call, settings }: FlowCall, isMade = false): (path: string) => boolean {
    const counted = this.#marks.counted(subject);
    let place: CallPlace | undefined;
    const placed = () => {
      place ??= placeOf(call, settings.home, settings.env);
      return place;
    };
    const first = () => {
      const isBegun = this.#marks.of(subject)?.untrusted !== undefined;
      return isBegun && placed().project === null ? null : ownFolder(placed());
    };
    const begun = counted?.root === undefined && isMade ? first() : null;
    if (counted !== null && begun !== null) counted.root = begun;
    return (path) => {
      const own = counted?.root ?? first();
      if (own !== null && isAtOrBelow(path, own)) return true;
      const other = counted?.isOwn === true || placed().project === null ? null : ownFolder(placed());
      return other !== null && isAtOrBelow(path, other);
    };
  }

  /** What counts for a session; null where nothing does. */
  marksOf(session: Marked): Marks | null {
    return this.#marks.of(session);
  }

  /** The user has allowed it for the session, knowing what was shown. */
  agree(session: Marked, flow: Flow): void {
    this.#marks.agree(session, flow);
  }
}

/** It gets something from outside, and writes. */
function canPlantAtOnce({ stated_needs }: FlowCall): boolean {
  const has = (capability: string) => stated_needs.some((need) => need.capability === capability);
  return has("network:http") && has("fs:write");
}
