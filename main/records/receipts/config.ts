import { z } from "zod";
import { absolutePath } from "../../base/config-values.ts";

/** `[receipts]` of gate.toml: where the newest checkpoint of the trail goes each day. */
export const receiptsConfigSchema = z.strictObject({
  /** To these channels, and to the system's log (`journal`: by the gate's own output). */
  send_checkpoint: z.array(z.enum(["telegram", "ntfy", "journal"])).default(["journal"]),
  /** Added to this file, best on another disk. */
  checkpoint_file: absolutePath.optional(),
});
