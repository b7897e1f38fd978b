import type { Flow, Mark, Marks, Seen } from "../../../ipc/contract/flow.ts";
import { projectUsing } from "../description/destinations.ts";
import { placeOf } from "../places/call-place.ts";
import { type FlowCall, filesNamed, laterIn, outOf, privateIn, untrustedIn } from "./call-flow.ts";
import type { FlowConfig } from "./config.ts";
import type { Marked, SessionMarks } from "./session-marks.ts";
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
        const read = seen.private ?? own(privateIn(x, config));
        const to = read === undefined ? undefined : outOf(x, config);
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
    if (x.subject.agent === null) return;
    const config = this.#config();
    const brought = new Map<Mark, string>();
    const read = privateIn(x, config);
    if (read !== undefined) brought.set("private", read);
    const came = untrustedIn(x, config);
    if (came !== undefined) brought.set("untrusted", came);
    for (const { path, is_tree } of this.#files.isEmpty ? [] : filesNamed(x, "fs:read"))
      for (const mark of this.#files.marksOf(path, this.#projectOf(x), is_tree))
        if (!brought.has(mark)) brought.set(mark, path);
    for (const [mark, what] of brought) this.#marks.note(x.subject, mark, what, decisionId);
    const written = filesNamed(x, "fs:write");
    const marks = written.length === 0 ? null : this.#marks.of(x.subject);
    if (marks === null) return;
    const held = (["private", "untrusted"] as const).filter((mark) => marks[mark] !== undefined);
    for (const { path, is_tree } of written) this.#files.note(is_tree ? `${path}/` : path, this.#projectOf(x), held);
  }

  /** What counts for a session; null where nothing does. */
  marksOf(session: Marked): Marks | null {
    return this.#marks.of(session);
  }

  /** The user has allowed it for the session, knowing what was shown. */
  agree(session: Marked, flow: Flow): void {
    this.#marks.agree(session, flow);
  }

  #projectOf({ call, settings }: FlowCall): string {
    return projectUsing(placeOf(call, settings.home, settings.env));
  }
}

/** It gets something from outside, and writes. */
function canPlantAtOnce({ stated_needs }: FlowCall): boolean {
  const has = (capability: string) => stated_needs.some((need) => need.capability === capability);
  return has("network:http") && has("fs:write");
}
