/** Servers on loopback that behave as those of others do, for runs that aren't tests. */
export { ModelServer } from "../test/support/model-server.ts";
export { NtfyServer } from "../test/support/ntfy-server.ts";
