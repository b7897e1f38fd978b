import { accessSync, constants } from "node:fs";

/** Where anybody may make folders, and which doesn't count as everybody's. */
export const NOT_SHARED = ["/run/lock", "/opt"].find((folder) => {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
});
