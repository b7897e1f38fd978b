/** What the proxy says to the client in the server's place: whole lines, with the client's own ids as they were written. */

const NAME = "Metnos Gate";

/** A protocol without sessions, whose results say what they are. */
const STATELESS = "2026-07-28";

/** The client reads dates as they sort. */
export function isStateless(protocol: string | undefined): boolean {
  return protocol !== undefined && protocol >= STATELESS;
}

/** A call that didn't run: the model reads why. @param id as it was written */
export function toolError(id: string, text: string, isStateless: boolean): string {
  const result = {
    ...(isStateless ? { resultType: "complete" } : {}),
    content: [{ type: "text", text: `${NAME}: ${text}` }],
    isError: true,
  };
  return answer(id, result);
}

/** The client sends the call again by itself, with this state. */
export function sendAgain(id: string, state: string): string {
  return answer(id, { resultType: "input_required", requestState: state });
}

/** @param id as it was written; `null` where there is none that can be read */
export function requestError(id: string, message: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code: -32600, message: `${NAME}: ${message}` })}}\n`;
}

/** @param token as it was written. @param step grows by one with each; the server's own progress is beyond all of ours */
export function progress(token: string, step: number, message: string): string {
  const rest = JSON.stringify({ progress: step / 1e6, message: `${NAME}: ${message}` }).slice(1);
  return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},${rest}}\n`;
}

function answer(id: string, result: object): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}\n`;
}
