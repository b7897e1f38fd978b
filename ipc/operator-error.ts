/** A refusal the other side can act on: a stable code, one sentence, a hint. A file of its own: the page loads no schemas. */
export class OperatorError extends Error {
  readonly code: string;
  readonly hint: string;
  constructor(code: string, message: string, hint = "") {
    super(message);
    this.name = "OperatorError";
    this.code = code;
    this.hint = hint;
  }
}
