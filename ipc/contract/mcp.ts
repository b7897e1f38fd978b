import { z } from "zod";
import { changeSchema } from "./description.ts";
import { MCP_SERVER_NAME } from "./mcp-names.ts";
import { surfaceSchema } from "./surface.ts";

/** The tools of MCP servers, as a proxy in front of the server says them and as the user's surfaces show them. */

export const MCP_STATES = ["new", "known", "looks", "changed"] as const;
/**
 * What the gate knows of a tool by its definition. `new`: never allowed; `known`: allowed before as it is now; `looks`: the user has said
 * that it only looks; `changed`: it isn't what it was when it was last allowed.
 */
const mcpStateSchema = z.enum(MCP_STATES);
export type McpState = z.infer<typeof mcpStateSchema>;

/** So many tools fit one message, and one connection. */
export const MAX_MCP_TOOLS = 4096;

/** A tool as its server describes it. `__proto__` and depth were checked when the frame was decoded. */
const mcpToolSchema = z.object({
  name: z.string().min(1).max(128),
  title: z.string().max(1024).optional(),
  description: z.string().optional(),
  input_schema: z.unknown(),
  annotations: z.unknown().optional(),
});
export type McpTool = z.infer<typeof mcpToolSchema>;

const mcpServerSchema = z
  .string()
  .regex(MCP_SERVER_NAME, "1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit");

export const mcpToolsSchema = z.object({
  server: mcpServerSchema,
  /** What the server is: SHA-256 (hex) of the command line or URL that the proxy starts. */
  source: z.string().regex(/^[0-9a-f]{64}$/, "64 hex digits"),
  tools: z.array(mcpToolSchema).max(MAX_MCP_TOOLS),
});
export type McpTools = z.infer<typeof mcpToolsSchema>;

export const mcpToolStateSchema = z.object({ name: z.string(), pin: z.string(), state: mcpStateSchema });
export type McpToolState = z.infer<typeof mcpToolStateSchema>;

/** In a call's context: whose tool it is, as the proxy in front of that server says. */
export const mcpContextSchema = z.object({
  server: z.string().min(1).max(64),
  tool: z.string().min(1).max(256),
  /** The MCP client's own id of the request. */
  call_id: z.string().max(128).optional(),
});

/** What a server says of its tool, part by part. */
export const TOOL_PARTS = ["title", "description", "input_schema", "annotations"] as const;
export type ToolPart = (typeof TOOL_PARTS)[number];

/** A server's tool as a card shows it: the server's words, which decide nothing. */
export const askedToolSchema = z.object({
  server: z.string(),
  tool: z.string(),
  state: mcpStateSchema,
  /** Empty where the server says nothing; schema and annotations as JSON. */
  title: z.string(),
  description: z.string(),
  input_schema: z.string(),
  annotations: z.string(),
  /** What the server says is too long to be shown. */
  is_too_long: z.boolean(),
  /** What isn't as it was when the user last allowed it. */
  changed: z.array(z.enum(TOOL_PARTS)),
  difference: changeSchema.nullable(),
  /** Said to only look, it runs without asking from then on: a grant or the level allows it. */
  runs_unasked: z.boolean(),
});
export type AskedTool = z.infer<typeof askedToolSchema>;

/** A tool that the user has allowed, and what they said of it. */
export const keptToolSchema = z.object({
  id: z.number().int(),
  agent_id: z.string(),
  agent_name: z.string().nullable(),
  server: z.string(),
  tool: z.string(),
  /** What the server is: SHA-256 (hex) of the command line or URL that starts it. */
  source: z.string(),
  pin: z.string(),
  state: mcpStateSchema.extract(["known", "looks"]),
  title: z.string(),
  description: z.string(),
  decided_at: z.string(),
  surface: surfaceSchema.nullable(),
});
export type KeptToolView = z.infer<typeof keptToolSchema>;
