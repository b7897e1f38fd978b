export type { ChannelConfig, Route } from "./channels.ts";
export { type Config, loadConfig, loadConfigWithSources, longestAnswerSeconds } from "./config.ts";
export { gatePathsWith } from "./gate-paths.ts";
export { loadPolicyOverrides, profilesOfText } from "./policy-overrides-file.ts";
export { type LoginItem, loadChosenConfig, Settings } from "./settings.ts";
