import type { PendingCall } from "../contract/agent-port.ts";
import type { Hello } from "../contract/wire.ts";
import type { LineConnection } from "./line-connection.ts";

/** A call that waits for an answer, or is being judged, by the id of its message. */
export interface WaitingCall {
  id: string;
  call: PendingCall;
}

/** One connection of an agent, as the server knows it. */
export interface Client {
  connection: LineConnection;
  phase: "new" | "pairing" | "ready" | "closed";
  hello: Hello | undefined;
  agent_id: string;
  session: string;
  isSessionOurs: boolean;
  requested_at: string;
  pending: Set<WaitingCall>;
  timer: NodeJS.Timeout | undefined;
}

export function newClient(connection: LineConnection): Client {
  return {
    connection,
    phase: "new",
    hello: undefined,
    agent_id: "",
    session: "",
    isSessionOurs: false,
    requested_at: "",
    pending: new Set(),
    timer: undefined,
  };
}
