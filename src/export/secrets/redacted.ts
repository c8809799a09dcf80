/** What stands before `key` in names of secrets. */
const KINDS_OF_KEY =
  'api|access|account|secret|private|signing|encryption|auth|master|storage|shared[-_. ]?access|shared|admin|service[-_. ]?role|app|application|client|license|webhook|server|hmac|jwt|deploy|client[-_. ]?secret|integration|subscription|write|ingest|insert';

/** The end of names whose values are secrets, in settings, headers, query strings and JSON; not the shell's PWD. */
export const NAME = `(?:(?:${KINDS_OF_KEY})[-_. ]?key|secret(?:[-_.]?key[-_.]?base)?|passw(?:or)?d|passphrase|passcode|(?<![a-z])pwd(?!=\\/)|(?<![a-z])pass|db[-_.]?pass(?:w(?:or)?d|phrase)?|token|credential|mnemonic|seed[-_. ]?phrase|connection[-_. ]?string)`;

/** The end of names of environment variables whose values are secrets. */
export const VARIABLE =
  '(?:(?:API|ACCESS|ACCOUNT|SECRET|PRIVATE|SIGNING|ENCRYPTION|AUTH|MASTER|STORAGE|SHARED|ADMIN|ROLE|APP|CLIENT|LICENSE|WEBHOOK|HMAC|JWT|DEPLOY)_?KEY|KEY_BASE|SECRET|SECRETS|PASSW(?:OR)?D|PASSPHRASE|PASSCODE|_PASS|_PWD|TOKEN|CREDENTIALS?|_SALT|_DSN|MNEMONIC|_PAT)';

/** A word of every text that a row without a sign could match. */
export const SECRET_WORD =
  /bearer|basic|key|secret|pass|pwd|token|credential|cookie|_auth|"auth|identified|login|mnemonic|phrase|connection|digest|negotiate|_salt|_dsn|_pat\b|private-lines|bot\s/i;

const SECRET_KEY = new RegExp(`${NAME}$`, 'i');

/** Whether a key of a JSON object names a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_KEY.test(name.slice(-60));
}

/** What is written where a secret was: what kind it is and, where the whole conversation was looked through, which. */
export function redacted(kind: string, number?: number): string {
  return `[REDACTED:${kind}${number === undefined ? '' : `:${number}`}]`;
}

/** The pattern of what stands in the place of a secret. */
export const REDACTED_SOURCE = '\\[REDACTED:[a-z0-9-]{1,80}(?::\\d{1,9})?\\]';

/** Excludes what stands in the place of a secret: to be put before the pattern of a value. */
export const NEW = `(?!${REDACTED_SOURCE})`;

const WHOLE = new RegExp(`^${REDACTED_SOURCE}$`);
const HERE = new RegExp(REDACTED_SOURCE, 'y');

/** Whether a value stands in the place of a secret. */
export function isRedacted(value: string): boolean {
  return value.startsWith('[') && WHOLE.test(value);
}

/** Whether what stands in the place of a secret begins here. */
export function isRedactedAt(text: string, start: number): boolean {
  HERE.lastIndex = start;
  return HERE.test(text);
}

/** Whether a part of a text lies in what stands in the place of a secret. */
export function isWithinRedacted(text: string, start: number, end: number): boolean {
  const begin = text.lastIndexOf('[REDACTED:', start);
  return begin >= 0 && isRedactedAt(text, begin) && HERE.lastIndex >= end;
}

/** A value that no name of a program would be: letters of both cases or many digits, mixed with digits. */
export function isRandom(value: string): boolean {
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}/i.test(value))
    return false;
  const digits = value.replace(/\D+/g, '').length;
  return (
    (/[a-z]/.test(value) && /[A-Z]/.test(value) && new Set(value).size >= 10) || digits * 6 >= value.length
  );
}

/** A part of a text, from `start` up to, not including, `end`, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}
