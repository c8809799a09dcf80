/** The end of names whose values are secrets, in settings, headers, query strings and JSON; not the shell's PWD. */
const NAME =
  '(?:(?:api|access|account|secret|private|signing|encryption)[-_.]?key|secret|passw(?:or)?d|passphrase|pwd(?!=\\/)|token|credential)';

/** The end of names of environment variables whose values are secrets. */
const VARIABLE =
  '(?:(?:API|ACCESS|ACCOUNT|SECRET|PRIVATE|SIGNING|ENCRYPTION)_?KEY|SECRET|PASSW(?:OR)?D|PASSPHRASE|TOKEN|CREDENTIALS?)';

/** Excludes what an earlier pattern has replaced. */
const NEW = '(?!\\[redacted\\])';

/** Requires a digit among the next characters of a class: words rarely have one, keys nearly always. */
const hasDigit = (characters: string) => `(?=${characters}{0,200}\\d)`;

/** What may precede a key: no letter or digit, unless it ends an escape sequence of JSON, of a URL or of a terminal. */
const BEFORE =
  '(?:^|[^A-Za-z0-9]|\\\\[bfnrtv]|\\\\u[0-9A-Fa-f]{4}|\\\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\\[[0-9;]{0,16}[A-Za-z])';

/** The start of a key. What precedes it is checked last, so that the engine can search for the prefix. */
const begins = (prefix: string) => `${prefix}(?<=${BEFORE}${prefix})`;

const global = (source: string) => new RegExp(source, 'g');
const named = (source: string) => new RegExp(source, 'gi');

const KEY = '[A-Za-z0-9_-]';
const HEADER = '[A-Za-z0-9._~+/=-]';
const BARE = '[^\\s"\'`,;&<>()\\\\[\\]{}]';

/** Prefixes of further issuers' keys, each followed by a long run of letters and digits. */
const PREFIXES = '(?:dapi|hv[sb]\\.|gsk_|xai-|glsa_|GOCSPX-|ATATT3|dckr_pat_|AGE-SECRET-KEY-1)';

/** A character that ends one of these prefixes of secrets. */
const ending = (sign: string, ...beginnings: string[]) =>
  `${sign}(?<=${beginnings.map((beginning) => beginning + sign).join('|')})`;

/**
 * A cheap test whether any of the SECRET_PATTERNS could match. Each branch starts with a character that is rare in texts
 * and looks back from there, so that most characters are skipped at once.
 */
export const SECRET_SIGN = new RegExp(
  [
    ending('-', 'sk', 'xox[a-z]', 'xapp', 'glpat', 'pypi', 'xai', 'GOCSPX', 'AGE'),
    ending('_', '_live', '_test', 'gh[oprsu]', '_pat', 'npm', 'hf', '_v1', 'gsk', 'glsa'),
    ending('\\.', 'ya29', 'SG', 'hv[sb]'),
    '\\.(?=[\\w-]{27})(?<=\\.[\\w-]{6}\\.)',
    ending('\\/', ':\\/', 'com\\/services', 'api\\/webhooks'),
    ending('=', 'sig'),
    'A(?:[KS]IA|Iza|TATT3)',
    ':AA',
    'J(?<=eyJ)',
    'p(?<=dap)i[0-9a-f]',
    '-(?<=\\s-)u',
    '-(?<=\\s-)-user',
  ].join('|'),
);

/**
 * Secrets recognised by their shape; group 1, where there is one, is kept. The shapes of keys are those that their
 * issuers publish. Every repetition is bounded or ends at the first character outside of its class, so that no text
 * takes more than linear time.
 */
export const SECRET_PATTERNS: readonly RegExp[] = [
  global(`${begins('sk-')}${hasDigit(KEY)}${KEY}{12,}`),
  global(`${begins('(?:sk|rk|pk|whsec)_(?:live|test)_')}[A-Za-z0-9]{10,}`),
  global(`${begins('gh[oprsu]_')}[A-Za-z0-9]{20,}`),
  global(`${begins('github_pat_')}[A-Za-z0-9_]{20,}`),
  global(`${begins('glpat-')}${KEY}{16,}`),
  global(`${begins('(?:xox[abceoprs]|xapp)-')}[A-Za-z0-9-]{10,}`),
  global(`${begins('A[KS]IA')}[A-Z0-9]{16}(?![A-Za-z0-9])`),
  global(`${begins('AIza')}${KEY}{30,}`),
  global(`${begins('ya29\\.')}${KEY}{20,}`),
  global(`${begins('(?:npm_|hf_|pypi-|dop_v1_)')}${KEY}{20,}`),
  global(`${begins('SG\\.')}${KEY}{16,}\\.${KEY}{16,}`),
  global(`${begins('eyJ')}${KEY}{8,}\\.${KEY}{8,}(?:\\.${KEY}*)?`),
  // Telegram's and Discord's bot tokens; in Telegram's URLs the token directly follows a word
  /(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{33,}/g,
  global(`${begins(`[MNO]${KEY}{23,27}\\.`)}${KEY}{6}\\.${KEY}{27,}`),
  /(hooks\.slack\.com\/services\/|discord(?:app)?\.com\/api\/webhooks\/)[A-Za-z0-9/_-]{20,}/g,
  global(`(:\\/\\/[^\\s/:@"'<>\\\\]{0,200}:)${NEW}[^\\s/@"'<>\\\\]{1,200}(?=@)`),
  global(`${begins(PREFIXES)}(?=[A-Za-z0-9._=-]{0,200}\\d)[A-Za-z0-9._=-]{16,}`),
  global(`(curl[^\\n]{0,300}?\\s(?:-u|--user)[\\s=]{1,4}["']?[^\\s:"'\\\\]{1,100}:)${NEW}[^\\s"'\\\\]{6,}`),
  global(`([?&;]sig=)${NEW}[A-Za-z0-9%+/=_-]{20,}`),
];

/** A word of every text that NAMED_SECRETS or `quotedValues` could match. */
export const SECRET_WORD = /bearer|basic|key|secret|passw|passphrase|pwd|token|credential/i;

/** Secrets recognised by the name before them; group 1, the name, is kept. */
export const NAMED_SECRETS: readonly RegExp[] = [
  named(`(bearer(?<=${BEFORE}bearer)\\s{1,4})(?:${hasDigit(HEADER)}${HEADER}{8,}|${HEADER}{20,})`),
  named(`((?:basic|token)(?<=${BEFORE}(?:basic|token))\\s{1,4})${hasDigit(HEADER)}${HEADER}{16,}`),
  // a line of an environment file, up to its end; a value that starts with a sign like $ is a reference
  new RegExp(
    `((?:^|\\\\n)[ \\t]{0,8}(?:export[ \\t]{1,4})?[A-Z][A-Z0-9_]{0,60}(?<=${VARIABLE})=)${NEW}(?![$<%{(])[^\\s"'\`\\\\]{6,}`,
    'gm',
  ),
  // name = value; with a digit, because code is full of assignments to such names that are not secrets
  named(`(${NAME}\\s{0,4}[:=>]\\s{0,4}\\\\{0,8}["']?)${NEW}${hasDigit(BARE)}${BARE}{8,}`),
  named(`((?:passw(?:or)?d=|passphrase=|pwd=(?!\\/))["']?)${NEW}${BARE}{6,}`),
  // .netrc; a quote belongs to the password only where it cannot close a JSON string around it
  named(
    `(login\\s{1,4}\\S{1,200}\\s{1,4}password\\s{1,4}\\\\{0,8}["']?)${NEW}(?:[^\\s"'\\\\]|["'](?=[A-Za-z0-9])){4,}`,
  ),
];

/**
 * The name before a quoted value, up to the opening quote. Groups: the closing quote of the name, if it is quoted, as in
 * JSON; the backslashes before the value's quote, as in JSON nested in JSON; the quote.
 */
export const VALUE_BEGIN = new RegExp(`${NAME}(\\\\{0,8}["'])?\\s{0,4}[:=]\\s{0,4}(\\\\{0,8})(["'])`, 'gi');

const SECRET_KEY = new RegExp(`${NAME}$`, 'i');

/** Whether a key of a JSON object names a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_KEY.test(name.slice(-40));
}
