import { type AgentMessageType, agentMessages, type WireError } from "../contract/wire.ts";
import { idOf, problemOf } from "./agent-answers.ts";
import type { Client } from "./agent-client.ts";

/** Parses an agent's frame as a message that is allowed in this phase of its connection, or gives the error to respond with. */
export function readMessage(
  { type, data }: Record<string, unknown>,
  phase: Client["phase"],
): { type: AgentMessageType; data: unknown } | { error: WireError } {
  const refused = (code: WireError["code"], message: string, hint: string) => ({
    error: { ...idOf(data), code, message, hint },
  });
  if (typeof type !== "string" || !Object.hasOwn(agentMessages, type)) {
    const message = typeof type === "string" ? "there is no message of this type" : "a message needs a type";
    return refused("unknown_type", message, `one of: ${Object.keys(agentMessages).join(", ")}`);
  }
  const known = type as AgentMessageType;
  const parsed = agentMessages[known].safeParse(data);
  if (!parsed.success) return refused("invalid_message", `${type}: ${problemOf(parsed.error)}`, "see docs/protocol.md");
  if (phase !== "ready" && known !== "hello" && known !== "ping") {
    const message = phase === "pairing" ? "the user has not paired this agent yet" : "send hello first";
    return refused("hello_required", message, 'send {"type":"hello",...} and wait for hello.ok');
  }
  return { type: known, data: parsed.data };
}
