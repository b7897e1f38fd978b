/** Keeps what was last found in a text until the decision is made: the lines of a file name others in it, again and again. */
export function onceOfText<T>(find: (text: string) => T): (text: string) => T {
  let last: { text: string; found: T } | undefined;
  return (text) => {
    if (last?.text !== text) {
      last = { text, found: find(text) };
      queueMicrotask(() => {
        last = undefined;
      });
    }
    return last.found;
  };
}
