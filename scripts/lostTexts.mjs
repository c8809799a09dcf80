/**
 * The lost-text check: every text and every large number of a file stands in the records that were made of it, or in
 * what the import kept of it as it was. Written apart from the importers, against nothing but the bytes of the file, so
 * that it does not share their mistakes. Texts are compared whole, then line by line without the white space around them.
 * JSON within texts is looked into; times stand as milliseconds, base64 in `data:` URLs.
 */
import { readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';

/** Shorter texts are not looked for, nor are smaller numbers. */
const MIN_TEXT = 8;
const MIN_NUMBER = 10_000;

/** Keys under which formats say what kind of thing an object is, which is what decides what record is made of it. */
const KIND_KEYS = new Set(['type', 'kind', 'role', 'object', 'say', 'ask', 'event', 'subtype']);

/** @typedef {{ path: string, value: string | number }} Lost */

/** The values of a file of JSON or JSON lines; what is neither is one text. @param {string} file @returns {unknown[]} */
export function rawValues(file) {
  const bytes = readFileSync(file);
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return [];
  const text = new TextDecoder('utf-8').decode(bytes);
  const whole = /\.ya?ml$/i.test(file) ? parseYaml(text, { maxAliasCount: 1000 }) : parsed(text);
  if (whole !== undefined) return [whole];
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => parsed(line) ?? line.trim());
}

/** What of values stands nowhere in records. @param {readonly unknown[]} values @param {unknown} records @returns {Lost[]} */
export function lostTexts(values, records) {
  const standing = new Standing(records);
  /** @type {Lost[]} */
  const lost = [];
  values.forEach((value, index) => look(value, values.length > 1 ? `line ${index + 1}` : '', standing, lost));
  return lost;
}

/** @param {unknown} value @param {string} path @param {Standing} standing @param {Lost[]} lost */
function look(value, path, standing, lost) {
  if (typeof value === 'string') lookAtText(value, path, standing, lost);
  else if (typeof value === 'number') {
    if (Math.abs(value) >= MIN_NUMBER && !standing.hasNumber(value)) lost.push({ path, value });
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      // The name of an attribute in a list of pairs is a key, and keys need not stand anywhere.
      if (key === 'key' && 'value' in value) continue;
      if (KIND_KEYS.has(key) && typeof each === 'string' && /^[\w./-]{1,40}$/.test(each)) continue;
      look(each, `${path}/${key}`, standing, lost);
    }
  }
}

/** @param {string} value @param {string} path @param {Standing} standing @param {Lost[]} lost */
function lookAtText(value, path, standing, lost) {
  if (value.trim().length < MIN_TEXT || standing.hasText(value)) return;
  // A recorded stream is its events; what stands between them are marks.
  const events = value
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []));
  if (events.some((event) => typeof parsed(event) === 'object')) {
    events.forEach((event, index) => lookAtText(event, `${path}#${index}`, standing, lost));
    return;
  }
  const inside = parsed(value);
  if (typeof inside === 'string' && inside !== value) lookAtText(inside, `${path}→`, standing, lost);
  else if (typeof inside === 'object' && inside !== null) look(inside, `${path}→`, standing, lost);
  else lost.push({ path, value });
}

/** The texts and numbers of records. */
class Standing {
  /** @type {Set<string>} */
  #lines = new Set();
  /** @type {Set<number>} */
  #numbers = new Set();
  /** @type {string[]} */
  #texts = [];

  /** @param {unknown} records */
  constructor(records) {
    this.#add(records);
  }

  /** @param {unknown} value */
  #add(value) {
    if (typeof value === 'number') this.#numbers.add(value);
    else if (typeof value === 'object' && value !== null)
      for (const each of Object.values(value)) this.#add(each);
    else if (typeof value === 'string') {
      this.#texts.push(value);
      for (const line of value.split('\n')) this.#lines.add(line.trim());
      this.#lines.add(value.replace(/^data:[^,]*;base64,/, ''));
      const inside = parsed(value);
      if (typeof inside === 'object') this.#add(inside);
    }
  }

  /** @param {string} text */
  hasText(text) {
    const lines = text.split('\n').map((line) => line.trim());
    if (lines.every((line) => line === '' || this.#lines.has(line))) return true;
    if (/^-?\d{1,15}$/.test(text) && this.#numbers.has(Number(text))) return true;
    if (/^\d{4}-\d\d-\d\dT/.test(text) && this.#numbers.has(Date.parse(text))) return true;
    const trimmed = text.trim();
    return this.#texts.some((whole) => whole.includes(trimmed));
  }

  /** @param {number} number */
  hasNumber(number) {
    const times = [number, number * 1000, number / 1000, number / 1e6].map(Math.round);
    return this.#numbers.has(number) || times.some((time) => time > 1e11 && this.#numbers.has(time));
  }
}

/** @param {string} text @returns {unknown} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
