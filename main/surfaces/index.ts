export { type Channels, startChannels } from "./channels/channels.ts";
export { SharedScreen } from "./notifications/shared-screen.ts";
export {
  type GateNotifications,
  type NotificationOptions,
  pageReview,
  startNotifications,
} from "./notifications/start.ts";
export { Operator } from "./operator/operator.ts";
