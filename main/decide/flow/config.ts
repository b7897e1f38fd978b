import { z } from "zod";
import { MCP_SERVER_NAME } from "../../../ipc/contract/mcp-names.ts";
import { absolutePath } from "../../base/config-values.ts";
import { normaliseHostPattern } from "../../targets/host.ts";

/** `[flow]` of gate.toml: what of a session counts as private or as said by others, and what is asked about for that (docs/flow.md). */

const rule = z.enum(["ask", "off"]).default("ask");
const servers = z.array(z.string().regex(MCP_SERVER_NAME)).max(64).default([]);
const folders = z.array(absolutePath).max(64).default([]);

export const flowConfigSchema = z.strictObject({
  /** Sending, in a session that has read something private and got something from outside. */
  private_untrusted_out: rule,
  /** Changing what runs later or instructs agents, in a session that got something from outside. */
  untrusted_later: rule,
  /** Whose answers are the user's own words, and what is sent there stays with the user: `example.org`, `*.example.org`. */
  trusted_hosts: z
    .array(z.string().refine((text) => normaliseHostPattern(text) !== null, "expected a host, or *.domain"))
    .max(256)
    .default([]),
  /** The same of MCP servers. */
  trusted_servers: servers,
  /** Outside of projects, and not private all the same. */
  trusted_folders: folders,
  /** Private, also in a project. */
  private_folders: folders,
  /** MCP servers whose answers are private: mail, calendars, databases. */
  private_servers: servers,
});
export type FlowConfig = z.output<typeof flowConfigSchema>;
