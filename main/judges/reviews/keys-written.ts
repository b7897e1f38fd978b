/**
 * The keys of the object that a JSON text is, each as often as it is written: a parser takes the last value of one in silence.
 * @param json what a parser has read as an object
 */
export function keysWritten(json: string): string[] {
  const keys: string[] = [];
  let depth = 0;
  for (const [token, key] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (key !== undefined && depth === 1) keys.push(String(JSON.parse(key)));
  }
  return keys;
}
