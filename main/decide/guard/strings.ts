/** The strings in a call's arguments, each with its argument's name, also nested ones. Imports nothing. */
export interface FoundString {
  key: string;
  value: string;
}

/** Every string value in `args`; those below the keys in `except` are left out. Keys of nested objects are not values. */
export function stringsIn(args: Record<string, unknown>, except: readonly string[] = []): FoundString[] {
  const found: FoundString[] = [];
  for (const key in args) {
    if (except.includes(key)) continue;
    const value = args[key];
    if (typeof value === "string") found.push({ key, value });
    else if (typeof value === "object" && value !== null) collect(key, value, found);
  }
  return found;
}

function collect(key: string, root: object, found: FoundString[]): void {
  const waiting: object[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    for (const child of Object.values(value)) {
      if (typeof child === "string") found.push({ key, value: child });
      else if (typeof child === "object" && child !== null) waiting.push(child);
    }
  }
}
