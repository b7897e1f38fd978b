import type { Flow } from "../../../ipc/contract/flow.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { ResolvedRequirement } from "../../targets/target.ts";
import type { Executor } from "../executors/catalog.ts";
import type { CommandLines } from "../executors/command-lines.ts";
import type { GuardSettings } from "../guard/guard.ts";
import type { UsedDestinations } from "../places/used-destinations.ts";

/** What is known of a call once it is valid. */
export interface Describable {
  readonly call: ProposedCall;
  readonly executor: Executor;
  readonly needs: readonly ResolvedRequirement[];
  readonly settings: Pick<GuardSettings, "home" | "env"> & {
    /** Where calls of each project have gone. Left out: nothing is said to be new. */
    readonly destinations?: Pick<UsedDestinations, "isUsed" | "hosts" | "note">;
  };
  readonly lines: CommandLines;
  /** Whether all that lies at and below a path is kept before the call, and can be put back. Left out: of nothing. */
  readonly keeps?: ((path: string) => boolean) | undefined;
  /** What its session has seen, for which it is asked about. */
  readonly flow?: Flow;
}
