import { createHash } from 'node:crypto';
import { escapeRegExp } from '../../core/escapeRegExp.js';
import { isObject } from '../../core/message.js';
import { messageOf } from '../../core/text.js';
import type { Span } from '../secrets/redacted.js';
import type { SecretRow } from '../secrets/secretRow.js';
import { slugOf } from '../secrets/secretKind.js';

/** What becomes of a finding. */
export type Decision = 'leaveIn' | 'leaveOut';

/** What a person wants left out besides secrets, by a pattern of RE2. */
export interface OwnPattern {
  /** What placeholders call it. */
  readonly name: string;
  readonly pattern: string;
}

/** What a person has settled about sharing; it can be sent to another thread. */
export interface SharingPolicy {
  /** Names of people, hosts, customers: left out wherever they stand as a word, in either case. */
  readonly names?: readonly string[] | undefined;
  readonly patterns?: readonly OwnPattern[] | undefined;
  /** Whether the folders of people are left out, such as `/home/anna`. */
  readonly homeFolders?: boolean | undefined;
  /** Kinds that are not secrets here: they stay as they are. */
  readonly leaveIn?: readonly string[] | undefined;
  /** Kinds that are left out without a question. */
  readonly leaveOut?: readonly string[] | undefined;
  /** What was decided about single values, by their `valueHash`. */
  readonly values?: Readonly<Record<string, Decision>> | undefined;
}

/** A shorter name would be found in half of all words. */
const MIN_NAME = 3;

/** A value as decisions remember it, without telling it. */
export function valueHash(value: string): string {
  return createHash('sha256').update(`agent-logbook sharing\n${value}`).digest('hex');
}

/** A policy that can be followed. */
export interface SharingRules extends SharingPolicy {
  /** By which what the person named is found. */
  readonly rows: readonly SecretRow[];
  /** The kinds of those that stay where nobody decides otherwise. */
  readonly stays?: ReadonlySet<string>;
}

/**
 * For whom something is shared: `readers` know nothing of who made it, so that what tells of people and their machines is left out
 * unless somebody decides otherwise; of what is `reviewed`, a person is shown where such things stand, and decides.
 */
export type SharedFor = 'readers' | 'reviewed';

/** Secrets are left out, and nothing else. */
export const DEFAULT_RULES: SharingRules = { rows: [] };

/** Makes what a policy names ready to be found. Rejects with an Error that names the entry that cannot be used. */
export async function sharingRules(policy: SharingPolicy = {}, sharedFor?: SharedFor): Promise<SharingRules> {
  const { names = [], patterns = [], homeFolders = false } = policy;
  const rows: SecretRow[] = sharedFor === undefined ? (homeFolders ? [HOME] : []) : [HOME, MAIL, HOST];
  const stays = new Set(sharedFor === 'reviewed' ? ['home', 'mail', 'host'] : []);
  if (homeFolders) stays.delete('home');
  if (patterns.length > 0) {
    // The engine for patterns is large, and nearly nobody has any.
    const { linearSpans } = await import('../../node/patterns/linearSpans.js');
    for (const { name, pattern } of patterns)
      rows.push(ownRow(name, slugOf(name), compiled(name, pattern, linearSpans)));
  }
  if (names.length > 0) rows.push(nameRow(names));
  return { ...policy, rows, stays };
}

const HOME: SecretRow = {
  name: 'folder of a person',
  kind: 'home',
  find: /(?:\/home\/|\/Users\/|\b[A-Za-z]:(?:\\{1,4}|\/)Users(?:\\{1,4}|\/))[^\s/\\"'`:;,<>|()[\]{}*?]{1,64}/g,
  example: '/home/anna/work',
  counterExample: '/usr/share/home',
};

const MAIL: SecretRow = {
  name: 'mail address',
  kind: 'mail',
  find: /(?<![\w.+%-])(?!git@|noreply@|no-reply@)[\w.+%-]{1,64}@(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}(?![\w-])/g,
  example: 'anna.baker@bakery.org',
  counterExample: 'git@github.com:bakery/oven.git',
};

/** Hosts of a network of one's own, by their endings, and where a prompt of a shell names one. */
const HOST: SecretRow = {
  name: 'name of a host',
  kind: 'host',
  find: /(?<![\w.@/-])(?!host\.docker\.|metadata\.google\.|gateway\.docker\.)(?:[a-z0-9][a-z0-9-]{0,62}\.){1,6}(?:local|internal|intranet|lan|corp|localdomain|home\.arpa)(?!\.?[\w-])|(?<=(?<![\w.-])[a-z_][\w-]{0,31}@)[a-z0-9][a-z0-9-]{1,62}(?=:[~/][^\s:]{0,120} ?[$#])/gi,
  example: 'build-7.bakery.internal',
  counterExample: 'host.docker.internal',
};

function nameRow(names: readonly string[]): SecretRow {
  const short = names.find((name) => name.trim().length < MIN_NAME);
  if (short !== undefined)
    throw new Error(`sharing.names: '${short}' is too short. A name has at least ${MIN_NAME} characters.`);
  const sources = names.map((name) => escapeRegExp(name.trim())).toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${sources.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
  const spans = (text: string) =>
    Array.from(text.matchAll(pattern), ({ index, 0: match }) => ({
      start: index,
      end: index + match.length,
    }));
  return ownRow('name', 'name', spans);
}

function ownRow(name: string, kind: string, find: (text: string) => readonly Span[]): SecretRow {
  return { name, kind, find, example: '', counterExample: '' };
}

function compiled<Find>(name: string, pattern: string, compile: (pattern: string) => Find): Find {
  try {
    return compile(pattern);
  } catch (error) {
    throw new Error(`sharing.patterns: '${name}' is no pattern of RE2: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

const FIELDS: ReadonlySet<string> = new Set([
  'names',
  'patterns',
  'homeFolders',
  'leaveIn',
  'leaveOut',
  'values',
]);

/** What is decided about a value by itself, else about its kind; undefined where the default counts: it is left out. */
export function decisionIn(
  { leaveIn = [], leaveOut = [], values = {}, stays }: SharingPolicy & Pick<SharingRules, 'stays'>,
  kind: string,
  value: string,
): Decision | undefined {
  const settled = Object.keys(values).length > 0 ? values[valueHash(value)] : undefined;
  if (settled !== undefined) return settled;
  if (leaveOut.includes(kind)) return 'leaveOut';
  return leaveIn.includes(kind) || stays?.has(kind) === true ? 'leaveIn' : undefined;
}

/** A policy that was read from outside. Throws an Error that names the field and what belongs there. */
export function parseSharingPolicy(value: unknown): SharingPolicy {
  if (!isObject(value)) throw new Error('A policy for sharing is an object.');
  const unknown = Object.keys(value).find((key) => !FIELDS.has(key));
  if (unknown !== undefined)
    throw new Error(`${unknown} is no field of a policy for sharing. There are: ${[...FIELDS].join(', ')}.`);
  return {
    names: texts(value, 'names'),
    leaveIn: texts(value, 'leaveIn'),
    leaveOut: texts(value, 'leaveOut'),
    patterns: patternsIn(value.patterns),
    homeFolders: flag(value.homeFolders),
    values: decisionsIn(value.values),
  };
}

function texts(policy: Readonly<Record<string, unknown>>, field: string): readonly string[] {
  const list = policy[field] ?? [];
  if (Array.isArray(list) && list.every((one) => typeof one === 'string')) return list;
  throw new Error(`${field}: a list of texts belongs here.`);
}

function flag(value: unknown = false): boolean {
  if (typeof value === 'boolean') return value;
  throw new Error('homeFolders: true or false belongs here.');
}

function patternsIn(list: unknown = []): readonly OwnPattern[] {
  if (!Array.isArray(list)) throw new Error('patterns: a list of { "name", "pattern" } belongs here.');
  return list.map((one: unknown, at) => {
    if (isObject(one) && typeof one.name === 'string' && typeof one.pattern === 'string')
      return { name: one.name, pattern: one.pattern };
    throw new Error(`patterns[${at}]: { "name": …, "pattern": … } belongs here, both of them texts.`);
  });
}

function decisionsIn(value: unknown = {}): Readonly<Record<string, Decision>> {
  if (!isObject(value)) throw new Error('values: an object of decisions by hash belongs here.');
  for (const [hash, decision] of Object.entries(value))
    if (!/^[0-9a-f]{64}$/.test(hash) || (decision !== 'leaveIn' && decision !== 'leaveOut'))
      throw new Error(`values: '${hash}' is no SHA-256 with "leaveIn" or "leaveOut".`);
  return value as Readonly<Record<string, Decision>>;
}
