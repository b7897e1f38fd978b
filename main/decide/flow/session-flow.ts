import { isAtOrBelow, kindOf, realForm } from "@metnos-gate/shell-reading/files";
import { type Flow, MARKS, type Mark, type Marks, type Seen } from "../../../ipc/contract/flow.ts";
import { projectUsing } from "../description/destinations.ts";
import { placeOf } from "../places/call-place.ts";
import { handedBy } from "../places/further-needs.ts";
import { readAtStart, readBeside } from "../places/instructions.ts";
import type { FlowCall, Saying } from "./call-flow.ts";
import * as calls from "./call-flow.ts";
import type { FlowConfig } from "./config.ts";
import { type Marked, type Session, type SessionMarks, saidWith, say } from "./session-marks.ts";
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
    if (x.subject.agent === null) return undefined;
    const seen = this.#marks.of(x.subject);
    if (calls.onlyReads(x)) return seen === null ? undefined : null;
    // Of an unmarked session only what comes in and stays by one and the same call counts.
    if (seen?.untrusted === undefined && !canPlantAtOnce(x)) return seen === null ? undefined : null;
    const config = this.#config();
    const own = (what: string | undefined): Seen | undefined =>
      what === undefined ? undefined : { what, decision_id: "", at: "" };
    const counted = this.#marks.counted(x.subject);
    if (counted === null) return undefined;
    const kept = once(() => this.#keptIn(x, counted));
    const came = seen?.untrusted ?? own(calls.untrustedIn(x, config) ?? kept().untrusted[0]);
    if (came === undefined) return null;
    const privates = once(() => [...calls.privateIn(x, config, this.#ownFolders(x, counted)), ...kept().private]);
    /** Those that the user hasn't agreed to: an answer for one is none for the others. */
    const open = (rule: Flow["rule"], all: Iterable<string>, reading: () => number = () => 0) => {
      const places = [...all];
      if (places.length === 0) return undefined;
      const reads = reading();
      const to = [...new Set(places)].filter((place) => !this.#marks.isAgreed(x.subject, rule, place, reads));
      return to.length === 0 ? undefined : { rule, came, to, reads };
    };
    const sent = () => {
      if (config.private_untrusted_out === "off" || seen?.untrusted === undefined) return undefined;
      const read = seen.private ?? own(privates()[0]);
      const said = ({ domain, text }: Saying) => saidWith(counted, domain, text);
      const reads = () => (seen.reads ?? 0) + this.#marks.unread(x.subject, privates());
      if (read === undefined) return undefined;
      const flow = open("flow.private-untrusted-out", calls.outOf(x, config, said), reads);
      return flow === undefined ? undefined : { ...flow, read };
    };
    const sending = sent();
    if (sending !== undefined || config.untrusted_later === "off") return sending ?? null;
    return open("flow.untrusted-later", calls.laterIn(x, instructing(x, counted))) ?? null;
  }

  /** A call is allowed: what it brings in marks its session, and what it writes is known to come from there. @throws SQLite's error */
  note(x: FlowCall, decisionId: string): void {
    const { subject } = x;
    const counted = this.#marks.counted(subject);
    if (counted === null) return;
    const config = this.#config();
    // Most calls bring nothing in but what is kept of the files that they name.
    const isPlain = calls.staysIn(x, config, counted.root);
    if (isPlain && this.#files.isEmpty && this.#marks.of(subject) === null) return;
    const brought = this.#keptIn(x, counted);
    if (!isPlain) {
      const came = calls.untrustedIn(x, config);
      brought.private.unshift(...calls.privateIn(x, config, this.#ownFolders(x, counted, true)));
      if (came !== undefined) brought.untrusted.unshift(came);
    }
    // The first last: by that it is named.
    for (const mark of MARKS)
      for (const what of brought[mark].reverse()) this.#marks.note(subject, mark, what, decisionId);
    const written = calls.filesNamed(x, "fs:write");
    for (const { path } of written) this.#files.keep(path);
    const isRun = calls.runsUnknown(x);
    if (isRun) counted.ranIn = [this.#runIn(x), ...(x.confinement?.declaration.writes ?? [])];
    const marks = this.#marks.of(subject);
    if (marks === null) return;
    const held = MARKS.filter((mark) => marks[mark] !== undefined);
    if (held.length === MARKS.length)
      for (const { domain, text } of calls.sayingsOf(x, config)) say(counted, domain, text);
    // What was begun before the session had these may still run, and take what it writes.
    const ran = isRun || counted.held !== held.length ? (counted.ranIn ?? []) : [];
    counted.held = held.length;
    if (written.length === 0 && ran.length === 0) return;
    const { name: writer, root } = counted;
    const project = root ?? this.#runIn(x);
    for (const { path, is_tree } of written) this.#files.note(is_tree ? `${path}/` : path, project, writer, held);
    for (const folder of ran) this.#files.noteRun(folder, writer, held);
  }

  /** The files that it reads, by the marks that they have. */
  #keptIn(x: FlowCall, { name: reader, hasBegun, root }: Session): Record<Mark, string[]> {
    const found: Record<Mark, string[]> = { private: [], untrusted: [] };
    // Its client has read them before its first call.
    const began = hasBegun === undefined ? calls.ownFolder(placeOf(x.call, x.settings.home, x.settings.env)) : null;
    if (began !== null) found.private.push(...handedBy(x.call.context?.cwd ?? began, x.settings.home));
    if (this.#files.isEmpty) return found;
    const named = calls.filesNamed(x, "fs:read");
    for (const { path, is_tree } of calls.namesByTheBy(x) ? [...named, ...this.#mentionedIn(x)] : named)
      for (const mark of this.#files.marksOf(path, is_tree, reader)) found[mark].push(path);
    const run = calls.runsCode(x) ? this.#runIn(x) : null;
    if (run !== null) for (const mark of this.#files.writtenIn(run, reader)) found[mark].push(run);
    const top = root ?? began;
    if (top === null) return found;
    const home = x.settings.home;
    const read = named.map(({ path }) => readBeside(path, top, home));
    if (began !== null)
      read.push(
        readAtStart(began, home),
        readBeside(`${realForm(x.call.context?.cwd ?? began) ?? began}/.`, top, home),
      );
    for (const paths of read)
      for (const path of paths)
        if (this.#files.marksOf(path, false, reader).includes("untrusted")) found.untrusted.push(path);
    return found;
  }

  /** Where it runs what may read and write anything there, as far as is known. */
  #runIn({ call, settings, confinement }: FlowCall): string {
    return confinement?.declaration.project ?? projectUsing(placeOf(call, settings.home, settings.env));
  }

  /** What code names by the by; where that is too much, all of its folder. */
  #mentionedIn(x: FlowCall): { path: string; is_tree: boolean }[] {
    const named = calls.filesMentioned(x);
    if (named === null) return [{ path: x.call.context?.cwd ?? x.settings.home, is_tree: true }];
    return named.map((path) => ({ path, is_tree: kindOf(path) === "folder" }));
  }

  /**
   * Whether a path lies where a session works: where its first call did, so that no later one says that it works where something private
   * is. Those that share their marks may work in any repository. @param isMade the call is allowed: it may be the first
   */
  #ownFolders({ subject, call, settings }: FlowCall, counted: Session, isMade = false): (path: string) => boolean {
    const placed = once(() => placeOf(call, settings.home, settings.env));
    const first = () => {
      const isBegun = counted.hasBegun === true || this.#marks.of(subject)?.untrusted !== undefined;
      return isBegun && placed().project === null ? null : calls.ownFolder(placed());
    };
    const begun = counted.root === undefined && isMade ? first() : null;
    if (begun !== null) counted.root = begun;
    if (isMade) counted.hasBegun = true;
    return (path) => {
      const own = counted.root ?? first();
      if (own !== null && isAtOrBelow(path, own)) return true;
      const other = counted.isOwn || placed().project === null ? null : calls.ownFolder(placed());
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

/** Whether a file is one that clients take in as they begin where its session does, or as they read what lies beside it or below. */
const instructing =
  ({ settings: { home } }: FlowCall, counted: Session) =>
  (path: string): boolean => {
    if (counted.root === undefined) return false;
    counted.readAtStart ??= readAtStart(counted.root, home);
    return counted.readAtStart.has(path) || readBeside(path, counted.root, home).has(path);
  };

/** It gets something from outside, or from a file that may be marked, and writes. */
const canPlantAtOnce = (x: FlowCall): boolean =>
  calls.leads(x, "fs:write") && calls.leads(x, "network:http", "fs:read");

/** Found when it is first asked for, and not again. */
function once<T extends object>(find: () => T): () => T {
  let found: T | undefined;
  return () => (found ??= find());
}
