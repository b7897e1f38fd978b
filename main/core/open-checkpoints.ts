import { Checkpoints } from "../records/audit/checkpoints.ts";
import type { ReceiptKeys } from "../records/receipts/receipt-keys.ts";
import type { Opened } from "./stores.ts";

export function openCheckpoints(
  { paths, config, clock, alarms, audit, failed }: Opened,
  keys: ReceiptKeys,
): Checkpoints {
  return new Checkpoints({
    audit,
    keys: { current: () => keys.current, known: () => keys.known.map(({ public_bytes }) => public_bytes) },
    folder: paths.audit_dir,
    record_file: paths.checkpoint_record,
    checkpoints_dir: paths.checkpoints_dir,
    checkpoint_file: config.receipts.checkpoint_file,
    now: clock.now,
    alarms,
    failed,
  });
}
