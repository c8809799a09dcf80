/** A kind of secret: a cheap test without which there is nothing to find, and the pattern itself. */
export interface SecretPattern {
  readonly trigger: RegExp;
  /** Group 1, where there is one, stays in front of what is taken out. */
  readonly pattern: RegExp;
}

/** Names whose values are secrets, in settings, headers, query strings and JSON; whatever stands before them. */
const NAME =
  '(?:(?:api|access|secret|private|signing|encryption)[-_.]?key|secret|passw(?:or)?d|passphrase|pwd|token|credential)';

/** Not what an earlier pattern has put there. */
const NEW = '(?!\\[redacted\\])';

/** A digit in the next characters of a class: words of a language rarely have one, keys nearly always. */
const hasDigit = (characters: string) => `(?=${characters}{0,200}\\d)`;

const KEY = '[A-Za-z0-9_-]';
const HEADER = '[A-Za-z0-9._~+/=-]';
const QUOTED = '[^\\s"\'\\\\]';
const BARE = '[^\\s"\'`,;&<>()\\\\[\\]{}]';

/**
 * What is taken for a secret. The shapes of keys are those that their issuers publish; every repetition is bounded or
 * ends at the first character outside of its class, so that no text takes more than linear time.
 */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  { trigger: /sk-/, pattern: new RegExp(`\\bsk-${hasDigit(KEY)}${KEY}{12,}`, 'g') },
  { trigger: /_(?:live|test)_/, pattern: /\b(?:sk|rk|pk|whsec)_(?:live|test)_[A-Za-z0-9]{10,}/g },
  { trigger: /gh[oprsu]_/, pattern: /\bgh[oprsu]_[A-Za-z0-9]{20,}/g },
  { trigger: /github_pat_/, pattern: /\bgithub_pat_[A-Za-z0-9_]{20,}/g },
  { trigger: /glpat-/, pattern: /\bglpat-[A-Za-z0-9_-]{16,}/g },
  { trigger: /xox|xapp-/, pattern: /\b(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,}/g },
  { trigger: /A[KS]IA/, pattern: /\bA[KS]IA[A-Z0-9]{16}\b/g },
  { trigger: /AIza/, pattern: /\bAIza[A-Za-z0-9_-]{30,}/g },
  { trigger: /ya29\./, pattern: /\bya29\.[A-Za-z0-9_-]{20,}/g },
  { trigger: /npm_|hf_|pypi-|dop_v1_/, pattern: /\b(?:npm_|hf_|pypi-|dop_v1_)[A-Za-z0-9_-]{20,}/g },
  { trigger: /SG\./, pattern: /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g },
  { trigger: /eyJ/, pattern: /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g },
  { trigger: /\d:[A-Za-z0-9_-]{35}/, pattern: /\b\d{8,10}:[A-Za-z0-9_-]{35}\b/g },
  { trigger: /\.[\w-]{6}\./, pattern: /\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/g },
  {
    trigger: /bearer/i,
    pattern: new RegExp(`\\b(bearer\\s{1,4})(?:${hasDigit(HEADER)}${HEADER}{8,}|${HEADER}{20,})`, 'gi'),
  },
  {
    trigger: /basic|token/i,
    pattern: new RegExp(`\\b((?:basic|token)\\s{1,4})${hasDigit(HEADER)}${HEADER}{16,}`, 'gi'),
  },
  {
    trigger: /:\/\//,
    pattern: new RegExp(`(:\\/\\/[^\\s/:@"'<>\\\\]{0,200}:)${NEW}[^\\s/@"'<>\\\\]{1,200}(?=@)`, 'g'),
  },
  // "name": "value", also where the quotes are escaped because JSON stands in JSON
  {
    trigger: new RegExp(`${NAME}\\\\{0,8}["']`, 'i'),
    pattern: new RegExp(`(${NAME}\\\\{0,8}["']\\s{0,4}:\\s{0,4}\\\\{0,8}["'])${NEW}${QUOTED}{6,}`, 'gi'),
  },
  // name = value; with a digit, because code assigns plenty of names that are no secrets
  {
    trigger: new RegExp(`${NAME}\\s{0,4}[:=]`, 'i'),
    pattern: new RegExp(`(${NAME}\\s{0,4}[:=]\\s{0,4}["']?)${NEW}${hasDigit(BARE)}${BARE}{8,}`, 'gi'),
  },
  {
    trigger: /pass|pwd/i,
    pattern: new RegExp(`((?:passw(?:or)?d|passphrase|pwd)=["']?)${NEW}${BARE}{6,}`, 'gi'),
  },
];

const SECRET_KEY = new RegExp(`${NAME}$`, 'i');

/** Whether a key of a JSON object names a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_KEY.test(name.slice(-40));
}
