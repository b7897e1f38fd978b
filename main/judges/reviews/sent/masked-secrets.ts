/**
 * Secrets in a text that is sent to a model, masked: what has the form of one, what is assigned to a name that is a secret's, and long
 * random words. Rather too much than too little: a judge can do without them.
 */

export const MASKED = "<masked>";

/** With what takes its place; `$1` and so on are kept. In this order. */
const FORMS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // A key, to its end or to the text's: also where its line breaks are written as \n.
  [/-----BEGIN [A-Z0-9 ]{1,60}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,60}-----|$)/g, MASKED],
  [
    /\b((?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]{1,64})(["']?\s{0,9}[:=]\s{0,9})["']?[^\n"'`\\]+/gi,
    `$1$2${MASKED}`,
  ],
  [/\b(bearer|basic|digest)\s{1,9}[A-Za-z0-9+/=_.~-]{6,}/gi, `$1 ${MASKED}`],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#"'`@]*(?:@[^\s/?#"'`@]*)*@/gi, `$1${MASKED}@`],
  [
    /\b(hooks\.slack\.com\/(?:services|workflows)\/|discord(?:app)?\.com\/api\/webhooks\/|api\.telegram\.org\/bot)[^\s"'`]+/gi,
    `$1${MASKED}`,
  ],
  // What is issued with a prefix of its own.
  [
    /\b(?:gh[pousr]_|github_pat_|gl(?:pat|dt|rt|ptt)-|sk[-_]|rk_|pk_live_|xox[a-z]-|xapp-|npm_|pypi-|hf_|do[opr]_v1_|SG\.|shp(?:at|ca|pa|ss)_|sq0[a-z]{3}-|whsec_|lin_api_|ya29\.|AIza|ntn_|dckr_pat_|tskey-|gsk_|xai-|pplx-|r8_|nvapi-|ATATT|hv[sb]\.|glsa_|secret_|PMAK-|AGE-SECRET-KEY-)[A-Za-z0-9_.=-]{8,}/g,
    MASKED,
  ],
  [/\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}\b/g, MASKED],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]*/g, MASKED],
  [/\b\d{8,10}:[A-Za-z0-9_-]{30,}/g, MASKED],
  // curl -u name:password, mysql -ppassword
  [
    /(^|\s)(-u|--user|--proxy-user|--http-user|--login)(\s{1,9}|=)?(["'])([^\s:"'/]{1,128}):[^"'\n]+/g,
    `$1$2$3$4$5:${MASKED}`,
  ],
  [/(^|\s)(-u|--user|--proxy-user|--http-user|--login)(\s{1,9}|=)?([^\s:"'/]{1,128}):[^\s"']+/g, `$1$2$3$4:${MASKED}`],
  [/(\s-U\s{0,9}["']?[^\s%"']{1,64}%)[^\s"']+/g, `$1${MASKED}`],
  // What a command is there to set.
  [
    /\b(config(?:ure)?\s{1,9}set\s{1,9}\S{0,200}(?:auth|token|key|secret|pass)\S{0,64}\s{1,9}|gh\s{1,9}secret\s{1,9}set\s[^|;&\n]{0,200}?(?:-b|--body)[\s=]{1,9}|from-literal[\s=]{1,9}["']?[^\s="']{1,128}=|machine\s{1,9}\S{1,200}\s{1,9}login\s{1,9}\S{1,128}\s{1,9}password\s{1,9}|htpasswd\s{1,9}-\w{1,9}\s{1,9}\S{1,200}\s{1,9}\S{1,128}\s{1,9})(?:"[^"\n]*"|'[^'\n]*'|[^\s"'|;&]+)/gi,
    `$1${MASKED}`,
  ],
  [/\b(vault\s{1,9}(?:kv\s{1,9}(?:put|patch)|write|login)\s)[^|;&\n]+/g, `$1${MASKED}`],
  // What is piped into a program that asks for a password.
  [
    /\b((?:echo|printf)\s{1,9})[^|\n]{1,400}(?=\|[^|\n]{0,200}(?:passwd|password-stdin|sudo\s{1,9}-S|--with-token|--passphrase-fd|cryptsetup))/g,
    `$1${MASKED} `,
  ],
  [/(<([\w:.-]{0,64}(?:passw|secret|token|apikey|credential)[\w:.-]{0,64})>)[^<]{1,4096}/gi, `$1${MASKED}`],
  [
    /(\b(?:key|name)=["'][^"'\n]{0,64}(?:passw|secret|token|apikey|credential)[^"'\n]{0,64}["']\s{1,9}value=["'])[^"'\n]+/gi,
    `$1${MASKED}`,
  ],
  [
    /\b((?:mysql|mariadb|sshpass|smbclient|redis-cli|mongo|mongosh|docker login|ldapsearch)[^|;&\n]{0,200}?\s-[paw])\s{0,9}(?:"[^"\n]*"|'[^'\n]*'|[^\s"'|;&]+)/g,
    `$1 ${MASKED}`,
  ],
  [
    /\b((?:(?:7z[az]?|rar|unrar|az login)\s[^|;&\n]{0,200}?\s?-p|(?:zip|unzip)\s[^|;&\n]{0,200}?-P|openssl\s[^|;&\n]{0,200}?\s-[kK]|curl\b[^|;&\n]{0,400}?\s-b))\s{0,9}(?:"[^"\n]*"|'[^'\n]*'|[^\s"'|;&]+)/g,
    `$1 ${MASKED}`,
  ],
];

/** In a name wherever they are (`dbpassword`). */
const TELLING =
  /passw(?:or)?d|passphrase|passcode|secret|credential|token(?!iz)|cookie|authorization|signature|webhook|connectionstring|(?:api|app|access|private|encryption|signing|master|ssh|account|client|license|deploy|storage|session)key|sessionid/;
/** Only as words of their own (`DB_PASS`, `dbPass`, not `compass`). */
const TELLING_WORDS = new Set(["pass", "pwd", "auth", "bearer", "sig", "dsn", "jwt", "otp", "pin", "salt", "pw"]);

/** What of this name is a secret, whatever it looks like. */
export function isSecretName(name: string): boolean {
  if (TELLING.test(name.toLowerCase().replace(/[^a-z0-9]/g, ""))) return true;
  return name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).some((word) => TELLING_WORDS.has(word.toLowerCase()));
}

/** A name, then what says that its value follows. */
const ASSIGNED = /(?<![\w.-])([\w.-]+)\\?["']?\]?\s{0,9}(?:=>|:=|=|:)[^\S\n]{0,9}/g;
const OPTION = /(?<=^|[\s"'])--?([A-Za-z][\w-]*)[^\S\n]{1,9}/g;
/** After a colon the value is the rest of the line, else a word. */
const QUOTED = /"""[\s\S]*?(?:"""|$)|\\?"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`[^`\n]*`?/y;
const REST_OF_LINE = /[^\n"']+/y;
const ONE_WORD = /[^\s"'&;|,]+/y;

/** The text with the values after secret names masked. */
function withoutAssigned(text: string, names: RegExp): string {
  let result = "";
  let done = 0;
  names.lastIndex = 0;
  for (let found = names.exec(text); found !== null; found = names.exec(text)) {
    if (found.index < done || !isSecretName(found[1] ?? "")) continue;
    const from = names.lastIndex;
    const unquoted = /[:>]\s*$/.test(found[0]) ? REST_OF_LINE : ONE_WORD;
    const end = endOf(QUOTED, text, from) ?? endOf(unquoted, text, from);
    if (end === undefined || text.startsWith(MASKED, from)) continue;
    result += text.slice(done, from) + MASKED;
    done = end;
    names.lastIndex = end;
  }
  return result + text.slice(done);
}

function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** An assignment as in a .env file: whatever its name is, unless its value is a plain setting. */
const ENV_LINE =
  /(?<![\w.<>-])((?:export\s{1,9})?[A-Z][A-Z0-9_]{1,63}=)(?!<masked>)("[^"\n]*"?|'[^'\n]*'?|[^\s"';&|]+)/g;
const PLAIN_SETTING =
  /^["']?(?:\d{1,5}|true|false|yes|no|on|off|info|debug|warn(?:ing)?|error|trace|dev(?:elopment)?|prod(?:uction)?|test(?:ing)?|staging|ci|utf-?8|C|POSIX|[a-z]{2}_[A-Z]{2}\.UTF-8|~?\/[\w./-]*|\.{1,2}\/[\w./-]*)?["']?$/;

const WITH_SLASH = /[A-Za-z0-9+/=]{32,}/g;
const WITHOUT_SLASH = /[A-Za-z0-9+=_-]{20,}/g;
const CARD = /(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w.])/g;

/** The text without its secrets, as far as they can be recognised. Takes time in proportion to its length: cut it before. */
export function withoutSecrets(text: string): string {
  if (text.length < 4) return text;
  let masked = text;
  for (const [pattern, replacement] of FORMS) masked = masked.replace(pattern, replacement);
  return withoutAssigned(withoutAssigned(masked, ASSIGNED), OPTION)
    .replace(ENV_LINE, (whole, name: string, value: string) => (PLAIN_SETTING.test(value) ? whole : name + MASKED))
    .replace(CARD, (digits) => (isCardNumber(digits) ? MASKED : digits))
    .replace(WITH_SLASH, (word) => (word.includes("/") && isRandomPath(word) ? MASKED : word))
    .replace(WITHOUT_SLASH, (word) => (isRandom(word) ? MASKED : word));
}

const WORD = /[\p{L}\p{N}]{3,}/gu;
/** Characters of all texts that are looked through for words. */
const MAX_LOOKED_THROUGH = 65_536;

/**
 * What takes secrets out of texts that were made of these ones: also pieces of a secret, which look like none by themselves. Null where
 * the texts are too long to be looked through.
 */
export function secretsRemover(texts: readonly string[]): ((text: string) => string) | null {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length > MAX_LOOKED_THROUGH) return null;
  const secret = new Set<string>();
  for (const text of texts) {
    const masked = withoutSecrets(text);
    if (masked === text) continue;
    const left = new Set(masked.match(WORD));
    for (const word of text.match(WORD) ?? []) if (!left.has(word)) secret.add(word.toLowerCase());
  }
  return (text) => withoutSecrets(text).replace(WORD, (word) => (secret.has(word.toLowerCase()) ? MASKED : word));
}

/** Of a path, the parts are words; of what was drawn at random, slash or not, they aren't. */
function isRandomPath(word: string): boolean {
  return /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word) && partLength(word) < 3.6;
}

/** Whether nobody has chosen this word: hexadecimal digits, or parts that are shorter than words are. */
function isRandom(word: string): boolean {
  const bare = word.replace(/[-_+=]/g, "");
  if (bare.length < 16 || !/[A-Za-z]/.test(bare)) return false;
  const digits = bare.replace(/\D/g, "").length;
  if (digits > 0 && bare.length >= 24 && /^[0-9a-f]+$/i.test(bare)) return true;
  return partLength(word) < (digits / bare.length >= 0.12 ? 3.2 : 2.4);
}

/** The average length of what a word consists of: `getElementById` has get, Element, By, Id. */
function partLength(word: string): number {
  const parts = word.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return parts.length === 0 ? word.length : parts.join("").length / parts.length;
}

/** By the check digit (Luhn). */
function isCardNumber(text: string): boolean {
  const digits = [...text.replace(/\D/g, "")].reverse().map(Number);
  const sum = digits.reduce((total, digit, index) => {
    const counted = index % 2 === 1 ? digit * 2 : digit;
    return total + (counted > 9 ? counted - 9 : counted);
  }, 0);
  return sum % 10 === 0;
}
