import { z } from "zod";
import type { OperatorEvent } from "./operator-api.ts";

/** The messages on the page's WebSocket `/operator`: one JSON object in each text frame. */

export const PAGE_SOCKET_PATH = "/operator";

/** The page's requests are short. */
export const MAX_PAGE_FRAME_BYTES = 64 * 1024;

export const pageRequestSchema = z.object({
  id: z.number().int(),
  method: z.string().max(64),
  params: z.unknown(),
});

/** Each request is answered once, by its `id`; events are sent in between. */
export type PageAnswer =
  | { id: number; result: unknown }
  | { id: number; failure: { code: string; message: string; hint: string } }
  | { event: OperatorEvent };
