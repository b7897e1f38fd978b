import { callHash, shareKey } from "../../decide/executors/canonical.ts";
import type { Reviewable } from "../../decide/stages/examination.ts";

/** What identical calls share. */
export function keysOf(x: Reviewable): { call_hash: string; share_key: string } {
  const { call, subject, executor, needs, confinement, repeated } = x;
  const call_hash = callHash(call.executor, call.args);
  const { mcp } = call.context ?? {};
  // Several tools of a server may have one executor's name: `a.b` and `a_b`.
  const named = mcp === undefined ? call_hash : JSON.stringify([call_hash, mcp.server, mcp.tool]);
  const agent_id = subject.agent?.agent_id ?? "";
  // Whether the same call may be made again and again is another question than whether it may be made, and one for its session.
  if (repeated !== undefined) return { call_hash, share_key: repeatedKey(agent_id, subject.session ?? "", call_hash) };
  return {
    call_hash,
    share_key: shareKey(agent_id, call.context ?? {}, named, needs, {
      box: confinement?.declaration,
      tool: executor.mcp,
    }),
  };
}

function repeatedKey(agent_id: string, session: string, call_hash: string): string {
  return JSON.stringify([agent_id, "repeated", session, call_hash]);
}
