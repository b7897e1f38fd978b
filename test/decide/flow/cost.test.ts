import { expect, it, onTestFinished } from "vitest";
import { SessionFlow } from "../../../main/decide/flow/session-flow.ts";
import { flowingCore } from "../../support/flowing-session.ts";

/** What it costs to keep what sessions have seen: of a call that is decided on in this process, without its way over a socket. */

const CALLS = 40;
/** Of each session: each is read, then written. */
const FILES = CALLS / 2;
const ROUNDS = 120;
/** Of a call's time. In this process a call takes a third of what it takes a gate that is asked over a socket. */
const LIMITS = { clean: 0.03, beside: 0.05, marked: 0.07 };

/** The least that a call took of all rounds, and what of it this took, in milliseconds: what is busy beside a round makes it longer alone. */
interface Least {
  of: number;
  all: number;
}

it("takes a small part of a call's time, and hardly any in a session that has seen nothing", async () => {
  const { of, note } = SessionFlow.prototype;
  onTestFinished(() => void Object.assign(SessionFlow.prototype, { of, note }));
  let spent = 0;
  const timed = <Given extends unknown[], Found>(act: (this: SessionFlow, ...given: Given) => Found) =>
    function (this: SessionFlow, ...given: Given): Found {
      const began = performance.now();
      const found = act.apply(this, given);
      spent += performance.now() - began;
      return found;
    };
  Object.assign(SessionFlow.prototype, { of: timed(of), note: timed(note) });
  const { call, says, put, home } = await flowingCore({ config: "[rate]\nenabled = false\n" });
  for (const session of ["clean", "marked"]) {
    for (let at = 0; at < FILES; at++) put(`src/${session}/file-${at}.ts`, "export {};");
    says("continue", session);
  }
  /** One round, half of its calls reading and half writing. */
  const round = (session: string, { of, all }: Least): Least => {
    spent = 0;
    const began = performance.now();
    for (let at = 0; at < CALLS; at++) {
      const filePath = `src/${session}/file-${at >> 1}.ts`;
      if (at % 2 === 0) call("Read", { file_path: filePath }, { session });
      else call("Edit", { file_path: filePath, old_string: "a", new_string: "b" }, { session });
    }
    return { of: Math.min(of, spent / CALLS), all: Math.min(all, (performance.now() - began) / CALLS) };
  };
  /** Rounds of several sessions in turn, so that all have the same beside them: the parts of a call's time. */
  const shares = (all: Readonly<Record<string, string>>): number[] => {
    const least = Object.keys(all).map((): Least => ({ of: Infinity, all: Infinity }));
    for (let at = 0; at < ROUNDS; at++)
      for (const [index, session] of Object.values(all).entries()) least[index] = round(session, least[index] as Least);
    return least.map(({ of: flow, all: whole }, index) => {
      const [us, of, part] = [1000 * flow, 1000 * whole, (100 * flow) / whole];
      console.log(`${Object.keys(all)[index]}: ${us.toFixed(1)} of ${of.toFixed(0)} us, ${part.toFixed(1)} %`);
      return flow / whole;
    });
  };
  shares({ "warming up": "clean" });
  const [nobody] = shares({ "no session has seen anything": "clean" });
  call("Read", { file_path: put(`${home.home}/notes/a.md`, "a") }, { session: "marked" });
  call("WebFetch", { url: "https://docs.example.org/a", prompt: "x" }, { session: "marked" });
  const [clean] = shares({ "another session has": "clean" });
  const [beside, marked] = shares({ "another one writes here": "clean", "this session has": "marked" });
  expect([nobody, clean].filter((part) => !(Number(part) < LIMITS.clean))).toEqual([]);
  expect(beside).toBeLessThan(LIMITS.beside);
  expect(marked).toBeLessThan(LIMITS.marked);
}, 400_000);
