import { z } from "zod";

/** Where the user answered. `app`: the desktop app's window and popup; `notification`: a notification of the desktop. */
const SURFACES = ["page", "app", "terminal", "notification", "telegram", "ntfy"] as const;
export const surfaceSchema = z.enum(SURFACES);
export type Surface = z.infer<typeof surfaceSchema>;
