import type { BoxStatus } from "../../ipc/contract/box.ts";

/** Of a gate whose box works, and has nothing to do. */
export const WORKING_BOX: BoxStatus = {
  is_available: true,
  problem: null,
  hosts_problem: null,
  detail: "",
  fix: null,
  maker: "bubblewrap 0.8.0",
  agents: [],
  running: 0,
  set_aside: [],
};
