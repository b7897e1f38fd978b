/** A press counts only this long after a card appeared, changed or moved, in milliseconds: it must be meant for what is shown. */
export const PRESS_DELAY_MS = 500;
