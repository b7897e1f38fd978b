import { type BenchHome, benchHome, startGate } from "../bench/gate-process.ts";
import { OperatorClient } from "../ipc/socket/operator-client.ts";

/** A gate in a home of its own whose user allows all that it asks about, at once. */
export interface AnsweringGate {
  home: BenchHome;
  /** How many cards were answered. */
  readonly answered: number;
  close(): Promise<void>;
}

/** The agent that is paired with it. */
export const AGENT = "conformance";

export async function startAnsweringGate(): Promise<AnsweringGate> {
  const home = benchHome([], AGENT);
  const gate = await startGate(home);
  const operator = await OperatorClient.connect(home.paths.operator_socket, home.paths.operatorToken);
  const seen = new Set<string>();
  const answerAll = async () => {
    for (const { token } of await operator.call("approvals.list", {})) {
      if (seen.has(token)) continue;
      seen.add(token);
      // A call whose client has ended meanwhile asks no more.
      await operator.call("approvals.resolve", { token, decision: "approved" }).catch(() => undefined);
    }
  };
  operator.subscribe(
    () => void answerAll().catch((error: Error) => console.error(error.message)),
    ["approval.waiting"],
  );
  return {
    home,
    get answered() {
      return seen.size;
    },
    close: async () => {
      await operator.close();
      await gate.stop();
      home.remove();
    },
  };
}
