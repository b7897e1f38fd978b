import { GateError } from "../ipc/gate-error.ts";
import { LastingOperator } from "../ipc/lasting-operator.ts";
import type { OperatorApi } from "../ipc/operator-api.ts";
import { OperatorClient } from "../ipc/operator-client.ts";
import { ownCommand } from "../ipc/own-command.ts";
import { gatePaths } from "../ipc/paths.ts";

/** The operator's contract for one command: the running gate's, or, while none runs, the databases' own under the gate's lock. */
export async function withOperator<T>(use: (api: OperatorApi) => Promise<T>): Promise<T> {
  const paths = gatePaths(process.env);
  let api: OperatorApi;
  try {
    api = await OperatorClient.connect(paths.operator_socket, paths.operator_token);
  } catch (error) {
    if (!(error instanceof GateError && error.code === "not_running")) throw error;
    return await withoutGate(use);
  }
  try {
    return await use(api);
  } finally {
    await api.close();
  }
}

/** Only the running gate's: for commands that make no sense without one. */
export async function withRunningGate<T>(use: (api: OperatorClient) => Promise<T>): Promise<T> {
  const paths = gatePaths(process.env);
  const api = await OperatorClient.connect(paths.operator_socket, paths.operator_token);
  try {
    return await use(api);
  } finally {
    await api.close();
  }
}

/** The running gate's, for as long as the user wants: a gate that goes is waited for. */
export async function withLastingGate<T>(use: (api: LastingOperator) => Promise<T>): Promise<T> {
  const paths = gatePaths(process.env);
  const api = await LastingOperator.connect(paths.operator_socket, paths.operator_token);
  try {
    return await use(api);
  } finally {
    await api.close();
  }
}

async function withoutGate<T>(use: (api: OperatorApi) => Promise<T>): Promise<T> {
  const [{ openCore }, { Operator }] = await Promise.all([
    import("../main/core.ts"),
    import("../main/operator/operator.ts"),
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
