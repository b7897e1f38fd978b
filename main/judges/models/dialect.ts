import type { ModelQuestion } from "../reviews/judge-ports.ts";

/** How a provider wants to be asked, and how it answers. */
export interface Dialect {
  /** Added to the base URL. */
  readonly path: string;
  headers(key: string | undefined): Record<string, string>;
  /** The request's body. @param withSchema false: the provider takes no JSON Schema, the prompt alone says the answer's form */
  body(question: ModelQuestion, model: string, withSchema: boolean): Record<string, unknown>;
  /** @throws ModelError `malformed`, `refused` */
  read(json: unknown): DialectAnswer;
}

export interface DialectAnswer {
  text: string;
  /** Null where the provider doesn't say. */
  input_tokens: number | null;
  output_tokens: number | null;
}
