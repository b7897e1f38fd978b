/** Of the user's own words: a client cuts a longer message to its beginning. In characters. */
export const MAX_PROMPT = 16_384;
