/** How much a client may say of a session. Plain values: a hook loads no schemas. */

/** Of the user's own words: a client cuts a longer message to its beginning. In characters. */
export const MAX_PROMPT = 16_384;
/** Of other hooks beside the gate's, so many, each cut to so many characters. */
export const MAX_HOOKS = 16;
export const MAX_HOOK = 300;
