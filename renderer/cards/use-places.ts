import { type RefObject, useEffect, useLayoutEffect, useReducer, useRef } from "react";
import { type Place, placed } from "./places.ts";

/**
 * The places of the cards in `stack`, whose elements carry their key as `data-place`.
 * @param answered how many were answered from here: another number closes the places that are empty
 * @param ended the keys of cards that have ended lately
 */
export function usePlaces(
  stack: RefObject<HTMLElement | null>,
  keys: readonly string[],
  ended: ReadonlySet<string>,
  answered: number,
): readonly Place[] {
  const places = useRef<readonly Place[]>([]);
  const heights = useRef(new Map<string, number>());
  const closed_at = useRef(answered);
  const [, lookAgain] = useReducer((count: number) => count + 1, 0);

  const closes = closed_at.current !== answered || document.visibilityState === "hidden";
  const left = new Map([...ended].map((key) => [key, heights.current.get(key) ?? 0]));
  const now = placed(places.current, { keys, ended: left, closes });

  useLayoutEffect(() => {
    places.current = now;
    closed_at.current = answered;
    heights.current = new Map(
      [...(stack.current?.querySelectorAll<HTMLElement>("[data-place]") ?? [])].map((element) => [
        element.dataset.place ?? "",
        element.getBoundingClientRect().height,
      ]),
    );
  });
  useEffect(() => {
    document.addEventListener("visibilitychange", lookAgain);
    return () => document.removeEventListener("visibilitychange", lookAgain);
  }, []);
  return now;
}
