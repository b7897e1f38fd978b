import { expect, it } from "vitest";
import { killHooks, VICTIMS } from "../../reliability/hooks/kills.ts";
import { IS_WHOLE_RUN, ofDay } from "../support/whole-run.ts";

/** All of them take minutes: `npm run kills`. Otherwise one shell and one victim each day. */
const ALL = ["/bin/dash", "/bin/bash"].flatMap((shell) => VICTIMS.map((victim) => ({ shell, victim })));
const TRIED = ofDay(ALL, ALL.length);
const ROUNDS = IS_WHOLE_RUN ? 200 : 8;

it.each(TRIED)(
  "where $victim is killed as hooks ask by $shell, no answer counts but the gate's, and nothing is left",
  {
    timeout: 900_000,
  },
  async ({ shell, victim }) => {
    const seed = Date.now() % 0x7fff_ffff;
    expect(await killHooks({ shell, victim, rounds: ROUNDS, seed }), `seed ${seed}`).toEqual([]);
  },
);
