import { expect, it, onTestFinished } from "vitest";
import { SessionFlow } from "../../../main/decide/flow/session-flow.ts";
import { flowingCore } from "../../support/flowing-session.ts";

/** What it costs to keep what sessions have seen: of a call that is decided on in this process, without its way over a socket. */

const FILES = 200;
const CALLS = 400;
const ROUNDS = 5;
/** Of a call's time. In this process a call takes a third of what it takes a gate that is asked over a socket. */
const LIMITS = { clean: 0.03, marked: 0.07 };

/** Milliseconds of a call, and what of them this takes. */
interface Round {
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
  for (let at = 0; at < FILES; at++) put(`src/file-${at}.ts`, "export {};");
  says("continue", "clean");
  says("continue", "marked");
  /** The least of some rounds, each with half of its calls reading and half writing: what is busy beside it makes it longer alone. */
  const share = (what: string, session: string) => {
    const rounds = Array.from({ length: ROUNDS }, () => {
      spent = 0;
      const began = performance.now();
      for (let at = 0; at < CALLS; at++) {
        const filePath = `src/file-${at % FILES}.ts`;
        if (at % 2 === 0) call("Read", { file_path: filePath }, { session });
        else call("Edit", { file_path: filePath, old_string: "a", new_string: "b" }, { session });
      }
      return { of: spent / CALLS, all: (performance.now() - began) / CALLS };
    });
    const [{ of: flow, all }] = rounds.toSorted((one, other) => one.of / one.all - other.of / other.all) as [Round];
    console.log(
      `${what}: ${(flow * 1000).toFixed(1)} of ${(all * 1000).toFixed(0)} us, ${((100 * flow) / all).toFixed(1)} %`,
    );
    return flow / all;
  };
  share("warming up", "clean");
  const nobody = share("no session has seen anything", "clean");
  call("Read", { file_path: put(`${home.home}/notes/a.md`, "a") }, { session: "marked" });
  call("WebFetch", { url: "https://docs.example.org/a", prompt: "x" }, { session: "marked" });
  const clean = share("another session has", "clean");
  const marked = share("this session has", "marked");
  expect(nobody).toBeLessThan(LIMITS.clean);
  expect(clean).toBeLessThan(LIMITS.clean);
  expect(marked).toBeLessThan(LIMITS.marked);
}, 400_000);
