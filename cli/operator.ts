import { ownCommand } from "../ipc/base/own-command.ts";
import { gatePaths } from "../ipc/base/paths.ts";
import { GateError } from "../ipc/contract/gate-error.ts";
import type { OperatorApi } from "../ipc/contract/operator-api.ts";
import { LastingOperator } from "../ipc/socket/lasting-operator.ts";
import { OperatorClient } from "../ipc/socket/operator-client.ts";
import { EXIT, type ExitCode, say } from "./output.ts";

/** How long a gate may take to take a command's connection, in milliseconds. */
const PATIENCE_MS = 3000;

/** What can be done about a gate that doesn't answer, by its process. */
type Hint = (pid: number | "PID") => string;
const TRY_AGAIN: Hint = (pid) => `it is busy, or was stopped: try again, or end it: kill ${pid}`;

/**
 * The operator's contract for one command: the running gate's, or, while none runs, the databases' own under the gate's lock.
 * `unanswered`: what to do where the gate doesn't answer. @throws GateError as `answeringGate`, and what `use` throws
 */
export async function withOperator<T>(use: (api: OperatorApi) => Promise<T>, unanswered?: Hint): Promise<T> {
  const api = await runningGate(unanswered);
  return await (api === undefined ? withoutGate(use) : thenClosed(api, use));
}

/**
 * As `withOperator`, for a listing: where no gate runs it shows what the last one has left, says so, and ends with its own exit code.
 * @throws GateError as `withOperator`
 */
export async function listedBy(
  done: (code: ExitCode) => void,
  use: (api: OperatorApi) => Promise<void>,
): Promise<void> {
  const api = await runningGate();
  if (api !== undefined) return await thenClosed(api, use);
  await withoutGate(use);
  say(`no gate is running: this is what the last one left; start one: ${ownCommand("start")}`);
  done(EXIT.not_running);
}

/** Only the running gate's: for commands that make no sense without one. */
export async function withRunningGate<T>(use: (api: OperatorClient) => Promise<T>): Promise<T> {
  return await thenClosed(await answeringGate(OperatorClient), use);
}

/** A connection to the user's running gate, or undefined while none listens. @throws GateError as `answeringGate` */
export async function runningGate(unanswered?: Hint): Promise<OperatorClient | undefined> {
  try {
    return await answeringGate(OperatorClient, unanswered);
  } catch (error) {
    if (error instanceof GateError && error.code === "not_running") return undefined;
    throw error;
  }
}

/** @throws GateError `not_answering`, with the gate's process and what `unanswered` says; `not_running`, `not_authorised` */
async function answeringGate<T>(
  client: { connect(path: string, tokenFile: string, patienceMs: number): Promise<T> },
  unanswered = TRY_AGAIN,
): Promise<T> {
  const { operator_socket, operatorToken, lockDb } = gatePaths(process.env);
  try {
    return await client.connect(operator_socket, operatorToken, PATIENCE_MS);
  } catch (error) {
    if (!(error instanceof GateError && error.code === "not_answering")) throw error;
    const { holderOf } = await import("../main/base/files/file-lock.ts");
    const pid = holderOf(lockDb);
    const gate = pid === undefined ? "the gate" : `the gate (pid ${pid})`;
    throw new GateError("not_answering", `${gate} doesn't answer`, unanswered(pid ?? "PID"), { cause: error });
  }
}

/** The running gate's, for as long as the user wants: a gate that goes is waited for. */
export async function withLastingGate<T>(use: (api: LastingOperator) => Promise<T>): Promise<T> {
  return await thenClosed(await answeringGate(LastingOperator), use);
}

async function thenClosed<A extends OperatorApi, T>(api: A, use: (api: A) => Promise<T>): Promise<T> {
  try {
    return await use(api);
  } finally {
    await api.close();
  }
}

async function withoutGate<T>(use: (api: OperatorApi) => Promise<T>): Promise<T> {
  const [{ openCore }, { Operator }] = await Promise.all([
    import("../main/core/core.ts"),
    import("../main/surfaces/operator/operator.ts"),
  ]);
  let core: Awaited<ReturnType<typeof openCore>>;
  try {
    core = await openCore();
  } catch (error) {
    if (error instanceof GateError && error.code === "already_running") {
      throw new GateError(
        "not_authorised",
        "a gate is running, but its operator socket can't be used",
        `see: ${ownCommand("doctor")}`,
      );
    }
    throw error;
  }
  try {
    return await use(new Operator(core, { surface: "terminal" }));
  } finally {
    core.close();
  }
}
