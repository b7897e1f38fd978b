import { ModelServer, type ReceivedRequest, type Scripted } from "../test/support/model-server.ts";

/** Judges whose model is a server on loopback that only pretends: what it says is written here. */

export interface PretendJudges {
  /** Their sections of gate.toml. */
  toml: string;
  close(): Promise<void>;
}

/** A question of the web takes it so long, in milliseconds: meanwhile it is to be seen that it is being judged. */
const SLOW_MS = 20_000;

/** A judge and a validator, which refuses what rewrites a remote's history. */
export async function startPretendJudges(): Promise<PretendJudges> {
  const server = await ModelServer.start(answered);
  const more = ["calls_per_day = 500", "timeout_seconds = 60"];
  const toml = `[judge]
kind = "llm-v1"
model = "local-8b"
override = true
[judge.when]
capabilities = ["code:exec", "network:http"]
${server.toml("local-8b", "openai", ...more).replace("test-model", "qwen3:8b")}
[judge_agents.reviewer]
kind = "model"
model = "local-8b"
prompt = "You review what an agent is about to run."
[[validators]]
type = "semantic"
judge_agent = "reviewer"
criteria = "Nothing is published and no history is rewritten that the intent doesn't speak of."
timeout_seconds = 60
[validators.when]
capabilities = ["code:exec"]
`;
  return { toml, close: () => server.close() };
}

function answered({ text, system }: ReceivedRequest): Scripted {
  if (text.includes("https://")) return { text: JUDGED.fits, after: SLOW_MS };
  const isValidator = system.includes("You review what an agent is about to run.");
  if (!isValidator) return JUDGED.fits;
  return text.includes("--force") ? JUDGED.rewrites : JUDGED.fine;
}

const JUDGED = {
  fits: JSON.stringify({ score: 0.86, reason: "It does what the intent says, and nothing else." }),
  fine: JSON.stringify({ score: 0.94, confidence: 0.9, reasoning: "It runs only what package.json names." }),
  rewrites: JSON.stringify({
    score: 0.1,
    confidence: 0.95,
    reasoning: "It rewrites the history of main, and the intent says nothing of that.",
  }),
};
