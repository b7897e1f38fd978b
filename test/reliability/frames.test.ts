import { expect, it } from "vitest";
import { runCampaign } from "../../fuzz/frames/campaign.ts";
import { hostileFrame } from "../../fuzz/frames/frame-maker.ts";
import { Seeded } from "../../fuzz/seeded.ts";
import { IS_WHOLE_RUN } from "../support/whole-run.ts";

const FRAMES = IS_WHOLE_RUN ? 50_000 : 15_000;

it("hostile frames end no gate, change no answer of others, and leave trail and databases whole", {
  timeout: 120_000,
}, async () => {
  const result = await runCampaign(FRAMES, 7);
  expect(result.violations).toEqual([]);
  expect(result.frames).toBeGreaterThanOrEqual(FRAMES);
  expect(result.answers).toBeGreaterThan(FRAMES / 2);
  expect(result.goodCalls).toBeGreaterThan(20);
});

it("the same seed makes the same frames", () => {
  const frames = (seed: number) => {
    const random = new Seeded(seed);
    return Array.from({ length: 500 }, (_, n) => hostileFrame({ random, tokens: [] }, n).line);
  };
  expect(frames(3)).toEqual(frames(3));
  expect(frames(3)).not.toEqual(frames(4));
});
