import { z } from "zod";

/** What the gate keeps on the disk, and what room is left there. */

export const KEPT_FILES = [
  "trail",
  "archives",
  "receipts",
  "checkpoints",
  "grants",
  "approvals",
  "agents",
  "safety",
  "activity",
  "lines",
] as const;

/** A disk that holds files of the gate. */
const diskRoomSchema = z.object({
  /** A folder on it. */
  path: z.string(),
  free_bytes: z.number().int(),
  total_bytes: z.number().int(),
  /** An alarm says so, too. */
  is_low: z.boolean(),
});
export type DiskRoom = z.infer<typeof diskRoomSchema>;

export const keptFilesSchema = z.object({
  files: z.array(z.object({ kind: z.enum(KEPT_FILES), path: z.string(), bytes: z.number().int() })),
  disks: z.array(diskRoomSchema),
});
export type KeptFiles = z.infer<typeof keptFilesSchema>;
export type KeptFile = KeptFiles["files"][number]["kind"];
