import { describe, expect, it } from "vitest";
import { MAX_PROMPT } from "../../../ipc/contract/session-limits.ts";
import { MAX_SHOWN_WORDS, userWordsLine } from "../../../ipc/words/user-words.ts";
import { KEPT_TURNS, MAX_CHARACTERS, UserWords } from "../../../main/agents/sessions/user-words.ts";

const of = (session: string, agentId = "a1") => ({ agent: { agent_id: agentId }, session });
const inTurn = (turn?: string) => ({ context: turn === undefined ? {} : { turn } });

describe("what the user asked for", () => {
  it("is that of the turn that a call names; of a call that names none, its session's last; of another turn, unknown", () => {
    const words = new UserWords();
    words.note("a1", { session: "s1", turn: "t1", text: "first" });
    words.note("a1", { session: "s1", turn: "t2", text: "second" });
    words.note("a1", { session: "s2", turn: "t3", text: "elsewhere" });
    expect(words.of(inTurn("t1"), of("s1"))).toBe("first");
    expect(words.of(inTurn(), of("s1"))).toBe("second");
    expect(words.of(inTurn("t3"), of("s1"))).toBeNull();
    expect(words.of(inTurn("t1"), of("s1", "a2"))).toBeNull();
    expect(words.of(inTurn(), { agent: null, session: "s1" })).toBeNull();
    words.note("a1", { session: "s1", turn: "t2", text: " \n" });
    expect(words.of(inTurn("t2"), of("s1"))).toBeNull();
  });

  it("ends with its session, and all of it with its agent's pairing", () => {
    const words = new UserWords();
    for (const session of ["s1", "s2", "s3"]) words.note("a1", { session, turn: "t", text: session });
    words.end("a2", "s1");
    words.end("a1", "s1");
    expect(["s1", "s2"].map((session) => words.of(inTurn(), of(session)))).toEqual([null, "s2"]);
    words.end("a1");
    expect(["s2", "s3"].map((session) => words.of(inTurn(), of(session)))).toEqual([null, null]);
  });

  it("is bounded: of a session the last messages, of an agent so many characters, of many agents the last", () => {
    const words = new UserWords();
    for (let turn = 0; turn <= KEPT_TURNS; turn++) words.note("a1", { session: "s1", turn: `t${turn}`, text: "x" });
    expect(words.of(inTurn("t0"), of("s1"))).toBeNull();
    expect(words.of(inTurn("t1"), of("s1"))).toBe("x");

    const long = "y".repeat(MAX_PROMPT);
    const sessions = Array.from({ length: 100 }, (_, index) => `many-${index}`);
    for (const session of sessions) words.note("a1", { session, turn: "t", text: long });
    const kept = sessions.filter((session) => words.of(inTurn("t"), of(session)) !== null);
    expect(kept.length * MAX_PROMPT).toBeLessThanOrEqual(MAX_CHARACTERS);
    expect(kept.at(-1)).toBe("many-99");

    for (let agent = 0; agent < 100; agent++) words.note(`b${agent}`, { session: "s", turn: "t", text: "z" });
    expect(words.of(inTurn("t"), of("many-99"))).toBeNull();
    expect(words.of(inTurn("t"), of("s", "b0"))).toBeNull();
    expect(words.of(inTurn("t"), of("s", "b99"))).toBe("z");
  });

  it("is one line with who says so, cut where it is long", () => {
    const line = (userWords: string | null, language: "en" | "it" = "en") =>
      userWordsLine({ user_words: userWords, agent_name: "claude-code" }, language);
    expect(line("tidy\n\n  up\tplease ")).toEqual({ label: "You asked, says claude-code:", text: "tidy up please" });
    expect(line("ciao", "it")?.label).toBe("Hai chiesto, dice claude-code:");
    expect(line(null)).toBeNull();
    expect(line(" \n")).toBeNull();
    const cut = line("😀".repeat(MAX_SHOWN_WORDS))?.text ?? "";
    expect([...cut]).toHaveLength(200);
    expect(cut.endsWith("😀…")).toBe(true);
  });
});
