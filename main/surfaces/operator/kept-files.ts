import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { KeptFiles } from "../../../ipc/contract/kept-files.ts";
import { BESIDE } from "../../base/sqlite/database-file.ts";
import { foldersOf, roomOf } from "../../core/storage/disk-watch.ts";
import { filesIn } from "../../records/audit/month-files.ts";
import type { Handlers, OperatorContext } from "./handlers.ts";

export function keptFileMethods({ core: { paths } }: OperatorContext): Handlers<"storage.files"> {
  return {
    "storage.files": (): KeptFiles => {
      const trail = filesIn(paths.audit_dir);
      const ofTrail = (role: string) => sum(trail.map((file) => (file.role === role ? file.size : 0)));
      const database = (kind: "grants" | "approvals" | "agents" | "safety" | "activity") => {
        const path = paths[`${kind}_db`];
        return { kind, path, bytes: sum(["", ...BESIDE].map((end) => sizeOf(`${path}${end}`))) };
      };
      return {
        files: [
          { kind: "trail", path: paths.audit_dir, bytes: ofTrail("month") },
          { kind: "archives", path: paths.audit_dir, bytes: ofTrail("archive") },
          { kind: "receipts", path: paths.receipts_dir, bytes: folderSize(paths.receipts_dir) },
          { kind: "checkpoints", path: paths.checkpoints_dir, bytes: folderSize(paths.checkpoints_dir) },
          database("grants"),
          database("approvals"),
          database("agents"),
          database("safety"),
          database("activity"),
        ],
        disks: roomOf(foldersOf(paths)),
      };
    },
  };
}

const sum = (sizes: readonly number[]) => sizes.reduce((all, size) => all + size, 0);

/** 0 where it can't be seen. */
function sizeOf(file: string): number {
  try {
    return lstatSync(file).size;
  } catch {
    return 0;
  }
}

function folderSize(folder: string): number {
  try {
    return sum(readdirSync(folder).map((name) => sizeOf(join(folder, name))));
  } catch {
    return 0;
  }
}
