import { z } from "zod";

/** What arrives from Telegram, as far as it is used. Whatever doesn't pass is refused. */

const MAX_NAME = 256;
const MAX_TEXT = 4096;
/** The most that a button can carry. */
const MAX_DATA = 64;

const number = z.number().int().safe();

const userSchema = z.object({
  id: number.positive(),
  is_bot: z.boolean(),
  first_name: z.string().max(MAX_NAME),
  last_name: z.string().max(MAX_NAME).optional(),
  username: z.string().max(MAX_NAME).optional(),
});
export type TelegramUser = z.infer<typeof userSchema>;

const chatSchema = z.object({ id: number, type: z.string().max(32) });

const messageSchema = z.object({
  message_id: number.positive(),
  chat: chatSchema,
  from: userSchema.optional(),
  text: z.string().max(MAX_TEXT).optional(),
  forward_origin: z.unknown().optional(),
});
export type IncomingMessage = z.infer<typeof messageSchema>;

const callbackSchema = z.object({
  id: z.string().min(1).max(128),
  from: userSchema,
  message: z.object({ message_id: number.positive(), chat: chatSchema }).optional(),
  data: z.string().max(MAX_DATA).optional(),
});
export type Callback = z.infer<typeof callbackSchema>;

const updateSchema = z.object({
  update_id: number.nonnegative(),
  message: messageSchema.optional(),
  callback_query: callbackSchema.optional(),
});
export type Update = z.infer<typeof updateSchema>;

const numberedSchema = z.object({ update_id: number.nonnegative() });

/** One entry of an answer to `getUpdates`. `update`: null where nothing of it can be used but its number. */
export function readUpdate(entry: unknown): { update_id: number; update: Update | null } | undefined {
  const numbered = numberedSchema.safeParse(entry);
  if (!numbered.success) return undefined;
  return { update_id: numbered.data.update_id, update: updateSchema.safeParse(entry).data ?? null };
}

export const botSchema = z.object({ id: number.positive(), username: z.string().regex(/^[A-Za-z0-9_]{1,64}$/) });
export type BotAccount = z.infer<typeof botSchema>;

export const sentSchema = z.object({ message_id: number.positive() });
