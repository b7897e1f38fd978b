import type { Env } from "../../../ipc/base/paths.ts";
import type { OperatorApi } from "../../../ipc/contract/operator-api.ts";
import type { Core } from "../../core/core.ts";

/** What a channel is opened with. */
export interface ChannelHost {
  core: Core;
  env: Env;
  /** Where the page is served, without a secret; left out: nowhere. */
  page_url?: string | undefined;
  /** The operator's contract, as this channel's surface. */
  api: OperatorApi;
  /** The channel's state is another one. */
  changed(): void;
  /** The user wants to see each of an agent's gathered requests. */
  showEach(agentId: string): void;
  log(line: string): void;
}
