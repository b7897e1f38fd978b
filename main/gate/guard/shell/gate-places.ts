import type { Places } from "../../../../ipc/places.ts";

/** Where the gate lives, for those who must keep out. Imports types only: the hook uses it, too. */
export interface GatePlaces {
  /** Folders and files, absolute. */
  places: readonly string[];
  /** The one thing in them that an agent may talk to. */
  agent_socket: string;
}

export function gatePlaces(places: Places): GatePlaces {
  const folders = [places.config_dir, places.state_dir, places.audit_dir, places.runtime_dir];
  const files = [places.grants_db, places.approvals_db, places.config_file];
  return { places: [...new Set([...folders, ...files])], agent_socket: places.agent_socket };
}
