import type { KeptToolView } from "../../../ipc/contract/mcp.ts";
import { readDefinition } from "../../decide/mcp/definition.ts";
import type { KeptTool } from "../../decide/mcp/tool-store.ts";
import { type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

export function mcpMethods(context: OperatorContext): Handlers<"mcp.tools" | "mcp.forget"> {
  const { core } = context;
  const { store } = core.mcp;
  return {
    "mcp.tools": () => store.list().map((kept) => keptToolView(context, kept)),
    "mcp.forget": ({ id }) => {
      const forgotten = store.forget(id);
      if (forgotten !== undefined) {
        recordAct(context, "mcp.forgotten", { server: forgotten.server, tool: forgotten.tool });
        core.publish({ type: "mcp.changed", data: {} });
      }
      return { forgotten: forgotten !== undefined };
    },
  };
}

function keptToolView({ core }: OperatorContext, { definition, ...kept }: KeptTool): KeptToolView {
  const { title = "", description = "" } = readDefinition(definition) ?? {};
  return { ...kept, agent_name: core.agents.get(kept.agent_id)?.name ?? null, title, description };
}
