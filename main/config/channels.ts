import { z } from "zod";
import { absolutePath, variableName } from "../base/config-values.ts";
import { isLoopback } from "../targets/host.ts";

/** The sections of gate.toml about calling the user: `[channels.NAME]`, `[digest]`, `[telegram]`, `[ntfy]`. */

const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "expected a time of day such as 22:00");

/** When a channel is used. Times of day are local. */
export const routeSchema = z.strictObject({
  /** At once; after nobody answered for a while; or while the screen is locked. */
  when: z.enum(["now", "unanswered", "locked"]).default("now"),
  /** With `unanswered`: seconds. */
  after_seconds: z.number().int().min(1).max(86_400).default(60),
  quiet_hours: z
    .strictObject({ from: timeOfDay, to: timeOfDay })
    .refine(({ from, to }) => from !== to, { path: ["to"], error: "expected another time than `from`" })
    .optional(),
  /** What comes in quiet hours: what is dangerous and what pauses the gate, or nothing. */
  in_quiet_hours: z.enum(["urgent", "nothing"]).default("urgent"),
});
export type Route = z.output<typeof routeSchema>;

/** Https, but for this machine itself: what is sent may be read by whoever carries it. */
const serverAddress = z
  .url({ protocol: /^https?$/, abort: true, error: "expected an address such as https://ntfy.example.org" })
  .refine((url) => new URL(url).protocol === "https:" || isLoopback(new URL(url).hostname), {
    error: "another machine is reached by https only",
  })
  .refine((url) => new URL(url).username === "" && new URL(url).password === "", {
    error: "a secret in the address would be shown: use token_env or token_file",
  });

const oneSecret = ({ token_env, token_file }: { token_env?: string | undefined; token_file?: string | undefined }) =>
  token_env === undefined || token_file === undefined;
const ONE_SECRET = { path: ["token_file"], message: "token_env or token_file, not both" };

export const channelSections = {
  channels: z
    .strictObject({
      desktop: routeSchema.prefault({}),
      telegram: routeSchema.prefault({}),
      ntfy: routeSchema.prefault({}),
    })
    .prefault({}),
  digest: z
    .strictObject({
      /** More requests of one agent than these, of those that aren't urgent, are gathered into one message. */
      above: z.number().int().min(1).max(100).default(3),
      /** When what was allowed, denied and expired that day is sent; left out: not at all. */
      evening: timeOfDay.optional(),
    })
    .prefault({}),
  telegram: z
    .strictObject({
      token_env: variableName.optional(),
      /** A file of yours that nobody else can read (0600), which holds the bot's token. */
      token_file: absolutePath.optional(),
      api_url: serverAddress.default("https://api.telegram.org"),
      /** What a message shows: the card, or only that something waits. */
      show: z.enum(["card", "title"]).default("card"),
      /** A file (0600) that holds a PIN, which the chat is asked for before the first answer of a day. */
      pin_file: absolutePath.optional(),
    })
    .refine(oneSecret, ONE_SECRET)
    .prefault({}),
  ntfy: z
    .strictObject({
      server: serverAddress.optional(),
      /** Whoever knows it can read it: as long and random as a password. */
      topic: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,64}$/, "1 to 64 letters, digits, '_' or '-'")
        .optional(),
      token_env: variableName.optional(),
      token_file: absolutePath.optional(),
    })
    .refine(oneSecret, ONE_SECRET)
    .refine(({ server, topic }) => (server === undefined) === (topic === undefined), {
      path: ["topic"],
      message: "server and topic, both or neither",
    })
    .prefault({}),
};
const channelConfigSchema = z.strictObject(channelSections);
export type ChannelConfig = z.output<typeof channelConfigSchema>;
