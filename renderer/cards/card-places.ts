/**
 * Where the cards are: a card that has ended leaves its place empty, so that no other one moves under the user's eyes. Pure.
 */

export interface Place {
  key: string;
  /** How high the empty place is that its card has left, in pixels; null while the card is there. */
  left: number | null;
}

interface Change {
  /** The cards that are there, in the order that new ones come in. */
  keys: readonly string[];
  /** Cards that have ended, and how high each was. What is gone but has not ended was put into another card: it leaves nothing. */
  ended: ReadonlyMap<string, number>;
  /** The user has just answered here, or doesn't see the page: empty places are closed. */
  closes: boolean;
}

export function placed(before: readonly Place[], { keys, ended, closes }: Change): Place[] {
  const there = new Set(keys);
  const known = new Set(before.map(({ key }) => key));
  const kept = before.flatMap((place): Place[] => {
    if (there.has(place.key)) return [{ key: place.key, left: null }];
    if (closes) return [];
    const height = place.left ?? ended.get(place.key) ?? 0;
    return height > 0 ? [{ key: place.key, left: height }] : [];
  });
  const added = keys.filter((key) => !known.has(key)).map((key): Place => ({ key, left: null }));
  const all = [...kept, ...added];
  // Below the last card nothing can move.
  return all.slice(0, all.findLastIndex(({ left }) => left === null) + 1);
}
