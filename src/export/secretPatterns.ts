/** Kinds of secrets that are looked for together. */
export interface SecretPatterns {
  /** A cheap look at a text that tells whether any of the patterns could find something. */
  readonly trigger: RegExp;
  /** Group 1, where there is one, stays in front of what is taken out. */
  readonly patterns: readonly RegExp[];
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
export const SECRET_PATTERNS: readonly SecretPatterns[] = [
  {
    // Each branch begins with a letter or sign that text rarely has: one that began with any digit would cost twice the rest.
    trigger:
      /sk-|_live_|_test_|gh[oprsu]_|github_pat_|glpat-|xox|xapp-|A[KS]IA|AIza|ya29|npm_|hf_|pypi-|dop_v1_|SG\.|eyJ|:\/\/|:AA|\.[\w-]{6}\.[\w-]{27}/,
    patterns: [
      new RegExp(`\\bsk-${hasDigit(KEY)}${KEY}{12,}`, 'g'),
      /\b(?:sk|rk|pk|whsec)_(?:live|test)_[A-Za-z0-9]{10,}/g,
      /\bgh[oprsu]_[A-Za-z0-9]{20,}/g,
      /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
      /\bglpat-[A-Za-z0-9_-]{16,}/g,
      /\b(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,}/g,
      /\bA[KS]IA[A-Z0-9]{16}\b/g,
      /\bAIza[A-Za-z0-9_-]{30,}/g,
      /\bya29\.[A-Za-z0-9_-]{20,}/g,
      /\b(?:npm_|hf_|pypi-|dop_v1_)[A-Za-z0-9_-]{20,}/g,
      /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
      /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g,
      // Telegram's and Discord's bots
      /\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b/g,
      /\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/g,
      new RegExp(`(:\\/\\/[^\\s/:@"'<>\\\\]{0,200}:)${NEW}[^\\s/@"'<>\\\\]{1,200}(?=@)`, 'g'),
    ],
  },
  {
    trigger: /bearer|basic|key|secret|passw|passphrase|pwd|token|credential/i,
    patterns: [
      new RegExp(`\\b(bearer\\s{1,4})(?:${hasDigit(HEADER)}${HEADER}{8,}|${HEADER}{20,})`, 'gi'),
      new RegExp(`\\b((?:basic|token)\\s{1,4})${hasDigit(HEADER)}${HEADER}{16,}`, 'gi'),
      // "name": "value", also where the quotes are escaped because JSON stands in JSON
      new RegExp(`(${NAME}\\\\{0,8}["']\\s{0,4}:\\s{0,4}\\\\{0,8}["'])${NEW}${QUOTED}{6,}`, 'gi'),
      // name = value; with a digit, because code assigns plenty of names that are no secrets
      new RegExp(`(${NAME}\\s{0,4}[:=]\\s{0,4}["']?)${NEW}${hasDigit(BARE)}${BARE}{8,}`, 'gi'),
      new RegExp(`((?:passw(?:or)?d|passphrase|pwd)=["']?)${NEW}${BARE}{6,}`, 'gi'),
    ],
  },
];

const SECRET_KEY = new RegExp(`${NAME}$`, 'i');

/** Whether a key of a JSON object names a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_KEY.test(name.slice(-40));
}
