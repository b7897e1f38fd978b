import type { Env } from "../../../ipc/base/paths.ts";
import type { ModelProblem } from "../../../ipc/contract/judges.ts";
import { ConcurrencyLimit } from "../../base/concurrency-limit.ts";
import { readSecret, SecretError } from "../../base/files/secret-text.ts";
import { isOnline, type ModelConfig } from "../../decide/reviews/config.ts";
import type { ModelSpending, Spent } from "../../records/activity/spending.ts";
import { type Model, type ModelAnswer, ModelBusy, ModelError, type ModelQuestion } from "../reviews/judge-ports.ts";
import { anthropic } from "./anthropic.ts";
import type { Dialect, DialectAnswer } from "./dialect.ts";
import { ENVELOPE_BYTES, exchange, KeyRefused, type Limit, statusError } from "./exchange.ts";
import { ModelMeter } from "./model-meter.ts";
import { openai } from "./openai.ts";
import { send } from "./request.ts";

/** Questions to one model at the same time; the others wait within their own time limits. */
const AT_ONCE = 8;

/** A token of English text is about so many characters: for a provider that doesn't count them. */
const TOKEN_CHARACTERS = 4;

/** How long it is taken as known whether there is a key, in milliseconds: for each question it is read anew. */
const KEY_FRESH_MS = 1000;

export interface ModelParts {
  env: Env;
  spending: ModelSpending;
  /** Aborted once nothing may be asked any more. */
  closed: AbortSignal;
  /** Its problem may be another one now. */
  changed(model: ProviderModel): void;
}

/** A model of gate.toml at its provider. */
export class ProviderModel implements Model {
  readonly name: string;
  readonly config: ModelConfig;
  readonly is_online: boolean;
  /** Host and port. */
  readonly host: string;
  readonly timeoutMs: number;
  readonly max_tokens: number;
  readonly meter = new ModelMeter();
  /** How it failed last, with a sentence; null where it answered last, or wasn't asked yet. */
  failure: ModelError | null = null;
  readonly #parts: ModelParts;
  readonly #dialect: Dialect;
  readonly #baseUrl: string;
  readonly #hostname: string;
  readonly #breaker = new Breaker(() => performance.now());
  readonly #atOnce = new ConcurrencyLimit(AT_ONCE);
  /** Requests of today, by the agent whose calls they were about; since the gate began. */
  readonly #askers = new Map<string, number>();
  #takesSchema = true;
  #keyKnown = { is_missing: false, until: 0 };

  constructor(name: string, config: ModelConfig, parts: ModelParts) {
    const url = new URL(config.base_url);
    this.name = name;
    this.config = config;
    this.is_online = isOnline(config);
    this.host = url.host;
    this.timeoutMs = config.timeout_seconds * 1000;
    this.max_tokens = config.max_tokens;
    this.#hostname = url.hostname;
    this.#parts = parts;
    this.#dialect = config.dialect === "anthropic" ? anthropic : openai(url.hostname);
    this.#baseUrl = config.base_url.replace(/\/+$/, "");
  }

  get problem(): ModelProblem | null {
    if (this.isOverBudget) return "over-budget";
    if (this.#isKeyMissing()) return "key-missing";
    return this.#breaker.isOpen ? "breaker-open" : null;
  }

  get isOverBudget(): boolean {
    const { calls_per_day = Number.POSITIVE_INFINITY, cost_per_day = Number.POSITIVE_INFINITY } = this.config;
    if (calls_per_day === Number.POSITIVE_INFINITY && cost_per_day === Number.POSITIVE_INFINITY) return false;
    const { calls, cost } = this.spentToday;
    return calls >= calls_per_day || cost >= cost_per_day;
  }

  get spentToday(): Readonly<Spent> {
    return this.#parts.spending.today(this.name);
  }

  /** Whose calls it was asked about most today, as far as this gate knows. */
  get mostAskedFor(): { agent: string; calls: number } | null {
    const [most] = [...this.#askers].sort(([, a], [, b]) => b - a);
    return most === undefined ? null : { agent: most[0], calls: most[1] };
  }

  /** True where it failed several times in a row, until it answers. */
  get isFailing(): boolean {
    return this.#breaker.hasOpened;
  }

  /** @throws ModelError; the signal's reason where it was aborted */
  async ask(question: ModelQuestion, signal: AbortSignal): Promise<ModelAnswer> {
    signal.throwIfAborted();
    const begun = performance.now();
    const ends = AbortSignal.any([signal, this.#parts.closed, AbortSignal.timeout(this.timeoutMs)]);
    try {
      const answer = await this.#askInTurn(question, { signal: ends, ends_at: begun + this.timeoutMs });
      const ms = performance.now() - begun;
      this.meter.answered(ms / 1000, answer.cost);
      this.#note(null);
      return { ...answer, ms: Math.round(ms) };
    } catch (error) {
      // An asker with a time limit of its own may say by its reason that the model failed it.
      if (signal.aborted && !(signal.reason instanceof ModelError)) throw signal.reason;
      const failure = this.#failureOf(error);
      this.meter.failed(failure.problem);
      this.#note(failure);
      throw failure;
    }
  }

  /** Notes whether there is a key, without asking anybody. */
  lookForKey(): void {
    const missing = this.#missingKey();
    if (missing !== null) this.#note(missing);
  }

  /** Whether its provider can be reached: asks for the list of its models, which costs nothing. Never throws. */
  async probe(): Promise<void> {
    const attempt = this.#breaker.begin();
    if (attempt === undefined) return;
    try {
      this.#refuseProxy();
      const signal = AbortSignal.any([this.#parts.closed, AbortSignal.timeout(this.timeoutMs)]);
      const headers = { connection: "close", ...this.#dialect.headers(this.#key()) };
      const { status } = await send({ url: `${this.#baseUrl}/models`, headers }, ENVELOPE_BYTES, signal);
      if (status === 401 || status === 403 || status >= 500) throw statusError(status);
      attempt.succeeded();
      this.#note(null);
    } catch (error) {
      const failure = this.#failureOf(error);
      // It is there: its list is of no interest.
      if (failure.problem === "malformed" || this.#parts.closed.aborted) return attempt.dropped();
      if (failure.problem === "key-missing") attempt.dropped();
      else attempt.failed();
      this.#note(failure);
    }
  }

  /** @throws ModelError; the limit's reason */
  async #askInTurn(question: ModelQuestion, limit: Limit): Promise<Omit<ModelAnswer, "ms">> {
    this.#throwProblem();
    const giveBack = await this.#atOnce.take(limit.signal, question.asked_for).catch((error: unknown) => {
      throw isTimeout(error) || error instanceof ModelError ? new ModelBusy() : error;
    });
    try {
      // With less it would fail for the time that others took.
      if (limit.ends_at - performance.now() < this.timeoutMs / 2) throw new ModelBusy();
      // The others that it waited for may have brought it about.
      this.#throwProblem();
      return await this.#askOnce(question, limit);
    } finally {
      giveBack();
    }
  }

  async #askOnce(question: ModelQuestion, limit: Limit): Promise<Omit<ModelAnswer, "ms">> {
    const key = this.#key();
    const attempt = this.#breaker.begin();
    if (attempt === undefined) throw problemError("breaker-open");
    const provider = {
      dialect: this.#dialect,
      base_url: this.#baseUrl,
      model: this.config.model,
      key,
      // On this machine another process may listen there next, and a connection costs little.
      keeps_connection: this.is_online,
      with_schema: this.#takesSchema,
      beforeSending: () => this.#countRequest(question.asked_for),
    };
    try {
      const { answer, took_schema } = await exchange(provider, question, limit);
      attempt.succeeded();
      if (question.schema !== undefined) this.#takesSchema = took_schema;
      return { ...answer, cost: this.#pay(question, answer) };
    } catch (error) {
      if (isProvidersFault(error)) attempt.failed();
      else attempt.dropped();
      // Nobody waits for it any more, but it may be billed.
      if (limit.signal.aborted) this.#pay(question, { text: "", input_tokens: null, output_tokens: 0 });
      throw error;
    }
  }

  /** What is sent to this machine's own server must not leave it. @throws ModelError `unreachable` */
  #refuseProxy(): void {
    // Of the process itself: by these Node decides.
    if (this.is_online || !isProxied(this.#hostname, process.env, process.execArgv)) return;
    throw new ModelError("unreachable", `Node would send it to a proxy: add ${this.#hostname} to NO_PROXY`);
  }

  #countRequest(askedFor: string | undefined): void {
    this.#refuseProxy();
    if (this.isOverBudget) throw problemError("over-budget");
    // A new day may have begun since it was.
    this.#parts.changed(this);
    if (this.spentToday.calls === 0) this.#askers.clear();
    if (askedFor !== undefined) this.#askers.set(askedFor, (this.#askers.get(askedFor) ?? 0) + 1);
    this.#parts.spending.sent(this.name);
  }

  /** Counts what an answer has cost, by the configured prices. */
  #pay({ system, messages }: ModelQuestion, answer: DialectAnswer): number {
    const { input_price, output_price } = this.config;
    const inputTokens = answer.input_tokens ?? tokensOf(system, ...messages.map(({ text }) => text));
    const outputTokens = answer.output_tokens ?? tokensOf(answer.text);
    const cost = (inputTokens * input_price + outputTokens * output_price) / 1_000_000;
    this.#parts.spending.cost(this.name, { input_tokens: inputTokens, output_tokens: outputTokens, cost });
    return cost;
  }

  #note(failure: ModelError | null): void {
    // That it wasn't asked says nothing new.
    const wasAsked = failure?.problem !== "breaker-open" && failure?.problem !== "over-budget";
    if (wasAsked && !(failure instanceof ModelBusy)) this.failure = failure;
    this.#parts.changed(this);
  }

  #throwProblem(): void {
    const { problem } = this;
    // Its own sentence says what is wrong with it.
    if (problem === "key-missing") this.#key();
    else if (problem !== null) throw problemError(problem);
  }

  /** @throws ModelError `key-missing` */
  #key(): string | undefined {
    this.#keyKnown = { is_missing: true, until: performance.now() + KEY_FRESH_MS };
    const key = readKey(this.config, this.#parts.env);
    this.#keyKnown.is_missing = false;
    return key;
  }

  #isKeyMissing(): boolean {
    if (performance.now() >= this.#keyKnown.until) this.#missingKey();
    return this.#keyKnown.is_missing;
  }

  /** Why there is no key; null where there is one, or none is needed. */
  #missingKey(): ModelError | null {
    try {
      this.#key();
      return null;
    } catch (error) {
      return this.#failureOf(error);
    }
  }

  #failureOf(error: unknown): ModelError {
    if (error instanceof ModelError) return error;
    if (this.#parts.closed.aborted) return new ModelError("unreachable", "the gate ends");
    if (isTimeout(error)) return new ModelError("not-answering", `no answer within ${this.config.timeout_seconds} s`);
    throw error;
  }
}

/** False for what the call itself can bring about, such as a refusal to answer: else an agent could open the breaker for all. */
function isProvidersFault(error: unknown): boolean {
  if (!(error instanceof ModelError)) return isTimeout(error);
  return error instanceof KeyRefused || (error.problem !== "refused" && error.problem !== "over-budget");
}

function problemError(problem: ModelProblem): ModelError {
  const why =
    problem === "over-budget"
      ? "its calls or money of the day are used up"
      : "it failed several times in a row, and isn't asked for half a minute";
  return new ModelError(problem, why);
}

function tokensOf(...texts: string[]): number {
  return Math.ceil(texts.reduce((length, text) => length + text.length, 0) / TOKEN_CHARACTERS);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

// Three failures in a row, and nothing is tried for half a minute; then one try says whether that is over.

export const FAILURES = 3;
export const OPEN_MS = 30_000;

/** One try, which ends in one of three ways. */
export interface Try {
  succeeded(): void;
  failed(): void;
  /** It says nothing: it was given up, or failed for a reason of its own. */
  dropped(): void;
}

export class Breaker {
  readonly #now: () => number;
  #failures = 0;
  #openUntil = 0;
  #isTrying = false;

  /** `now`: milliseconds of a clock that nobody sets. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** True while nothing may be tried. */
  get isOpen(): boolean {
    return this.#failures >= FAILURES && (this.#isTrying || this.#now() < this.#openUntil);
  }

  /** True once as many failures in a row were seen, until something succeeds. */
  get hasOpened(): boolean {
    return this.#failures >= FAILURES;
  }

  /** Undefined while nothing may be tried. */
  begin(): Try | undefined {
    if (this.isOpen) return undefined;
    const isOnlyOne = this.hasOpened;
    if (isOnlyOne) this.#isTrying = true;
    const ended = () => {
      if (isOnlyOne) this.#isTrying = false;
    };
    return {
      succeeded: () => {
        ended();
        this.#failures = 0;
      },
      failed: () => {
        ended();
        this.#failures++;
        if (this.hasOpened) this.#openUntil = this.#now() + OPEN_MS;
      },
      dropped: ended,
    };
  }
}

// Where a model's key comes from. It is read anew each time it is used, and kept nowhere.

/**
 * The configured key; undefined where none is configured.
 * @throws ModelError `key-missing`, which says why without the key or its file
 */
export function readKey(
  { key_env, key_file }: Pick<ModelConfig, "key_env" | "key_file">,
  env: Env,
): string | undefined {
  try {
    return readSecret({ env_name: key_env, file: key_file }, env, "key");
  } catch (error) {
    if (error instanceof SecretError) throw new ModelError("key-missing", error.message);
    throw error;
  }
}

/**
 * Whether Node would send what is for `hostname` to a proxy that the environment names. It does so only where it is started with
 * NODE_USE_ENV_PROXY=1 or --use-env-proxy, and then also for this machine's own servers, unless NO_PROXY names them.
 */
export function isProxied(hostname: string, env: Env, nodeOptions: readonly string[]): boolean {
  const options = [...nodeOptions, ...(env.NODE_OPTIONS ?? "").split(/\s+/)];
  if (env.NODE_USE_ENV_PROXY !== "1" && !options.includes("--use-env-proxy")) return false;
  const namesProxy = [env.http_proxy, env.HTTP_PROXY, env.https_proxy, env.HTTPS_PROXY].some(Boolean);
  // An empty one in lower case counts, too; "*" only where it is alone.
  const noProxy = env.no_proxy ?? env.NO_PROXY ?? "";
  return namesProxy && noProxy !== "*" && !noProxy.split(/[\s,]+/).includes(hostname);
}
