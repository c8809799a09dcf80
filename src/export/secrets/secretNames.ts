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
