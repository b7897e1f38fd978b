import {
  HOSTS,
  type Host,
  letThrough,
  type Result,
  runHookBench,
  SCENARIO_KINDS,
  type ScenarioKind,
  type Score,
  scoreOf,
} from "@metnos-gate/hook-bench";
import { type Command, Option } from "commander";
import { removeFolder } from "../../main/base/files/remove-folder.ts";
import { type DataOptions, EXIT, jsonOption, list, say, usageError } from "../output.ts";

interface Options extends DataOptions {
  hook?: string;
  host: Host;
  only?: ScenarioKind;
  askAfter: string;
  each?: boolean;
}

/** `bench`: scores any gate's hook by the same scenarios (docs/hook-bench.md). */
export function benchCommand(program: Command, done: (code: number) => void): void {
  program
    .command("bench")
    .description("scores a hook by attacks, ordinary calls and workflows; only the hook runs, none of the calls does")
    .option(
      "--hook <command>",
      "the hook as the agent's settings call it (default: this gate's, with a gate of its own)",
    )
    .addOption(new Option("--host <agent>", "whose hook it is").choices(HOSTS).default("claude-code"))
    .addOption(new Option("--only <kind>", "these scenarios alone").choices(SCENARIO_KINDS))
    .option("--ask-after <seconds>", "a hook that hasn't answered by then is asking somebody", "3")
    .option("--each", "a line for each scenario, too")
    .addOption(jsonOption())
    .action(async ({ hook, host, only, askAfter, each, ...options }: Options) => {
      const askAfterMs = Number(askAfter) * 1000;
      if (!(askAfterMs > 0 && askAfterMs <= 600_000))
        throw usageError(`--ask-after must be seconds, up to 600: ${JSON.stringify(askAfter)}`);
      const kinds = only === undefined ? SCENARIO_KINDS : [only];
      // A gate is loaded for this gate's own hook alone.
      const own = async (places: { home: string }) => (await import("../bench/own-gate.ts")).openOwnGate(host, places);
      const onResult = (result: Result) => {
        if (each === true) say(`${result.verdict.padEnd(8)}${result.kind}: ${result.name}`);
      };
      const results = await runHookBench({
        host,
        kinds,
        askAfterMs,
        onResult,
        hook: hook ?? own,
        remove: removeFolder,
      });
      list<Score>(
        kinds.map((kind) => scoreOf(kind, results)),
        COLUMNS,
        options,
      );
      const missed = letThrough(results);
      for (const { name, verdict } of missed)
        say(`${verdict === "error" ? "the hook failed, and the call would run" : "let through"}: ${name}`);
      done(missed.length > 0 ? EXIT.problemFound : EXIT.ok);
    });
}

const COLUMNS = [
  { title: "scenarios", text: ({ kind }: Score) => kind },
  { title: "number", text: ({ scenarios }: Score) => String(scenarios), isRight: true as const },
  { title: "blocked", text: ({ blocked }: Score) => String(blocked), isRight: true as const },
  { title: "asked", text: ({ asked }: Score) => String(asked), isRight: true as const },
  { title: "allowed", text: ({ allowed }: Score) => String(allowed), isRight: true as const },
  { title: "failed", text: ({ errors }: Score) => String(errors), isRight: true as const },
  { title: "asks in each", text: ({ asks_each }: Score) => asks_each?.toFixed(1) ?? "", isRight: true as const },
];
