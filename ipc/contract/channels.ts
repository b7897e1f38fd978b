import { z } from "zod";
import { LANGUAGES } from "./language.ts";

/** The ways in which the gate calls the user, and the Telegram chat that the user linked. Dates are ISO-8601 UTC. */

export const CHANNELS = ["desktop", "telegram", "ntfy"] as const;
export const channelNameSchema = z.enum(CHANNELS);
export type ChannelName = z.infer<typeof channelNameSchema>;

export const channelStatusSchema = z.object({
  name: channelNameSchema,
  /** `off`: not configured, or unwanted. `waiting`: configured, and no chat is linked yet. `failing`: it is tried again. */
  state: z.enum(["on", "off", "waiting", "failing"]),
  /** The state in one sentence for display, without any secret. */
  text: z.string(),
  /** When it is used, in one sentence in each language: `when nobody answered for 60 s; from 22:00 to 07:00 only what is urgent`. */
  route: z.record(z.enum(LANGUAGES), z.string()),
});
export type ChannelStatus = z.infer<typeof channelStatusSchema>;

/** Who pressed the link in Telegram, or has another name than was linked, and is linked once the user says so here. The names are the other side's own words. */
const telegramClaimSchema = z.object({
  id: z.string(),
  user_id: z.number().int(),
  name: z.string(),
  username: z.string().nullable(),
  claimed_at: z.string(),
  /** The chat is linked already, and its user has another name since. */
  is_renamed: z.boolean(),
});
export type TelegramClaim = z.infer<typeof telegramClaimSchema>;

export const telegramStatusSchema = z.object({
  /** Null where no token is configured, or Telegram can't be reached yet. */
  bot: z.string().nullable(),
  /** The chat that is linked. */
  linked: z.object({ user_id: z.number().int(), name: z.string(), linked_at: z.string() }).nullable(),
  /** A link that was asked for and not used yet. */
  link_expires_at: z.string().nullable(),
  /** Waits for the user's confirmation. */
  claim: telegramClaimSchema.nullable(),
});
export type TelegramStatus = z.infer<typeof telegramStatusSchema>;
