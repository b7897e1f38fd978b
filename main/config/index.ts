export type { ChannelConfig, Route } from "./channels.ts";
export { type Config, loadConfig, loadConfigWithSources } from "./config.ts";
export { gatePathsWith } from "./gate-paths.ts";
export { loadPolicyOverrides } from "./policy-overrides-file.ts";
export { type LoginItem, Settings } from "./settings.ts";
