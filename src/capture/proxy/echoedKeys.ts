import type { IncomingHttpHeaders } from 'node:http';
import { assembledAnswer } from '../../import/general/streamedAnswer.js';
import { streamedObjects } from '../../import/reading/streamedObjects.js';
import { KnownValues } from '../../export/secrets/knownValues.js';
import { PlainText } from '../../export/secrets/plainText.js';
import { Redactor } from '../../export/secrets/redact.js';
import { NO_KINDS, SHAPED_KINDS } from '../../export/secrets/secretTable.js';
import { LEFT_OUT_KEY } from './withoutKeys.js';

/** The names under which a header or an address carries a key: each gateway has names of its own. */
const KEY_NAME =
  /(?<!idempotency)(?:^|[-_])(?:(?:api|app|access|secret|private|auth|master|virtual|subscription|account)?key|(?:access|auth|security|session|csrf|xsrf|id)?token|(?:proxy)?auth(?:orization|entication)?|cookie|secret|password|passwd|passphrase|pat|jwt[-_]?assertion|credentials?|sig(?:nature)?|jwt|bearer)s?$/i;
/** An address carries one under these, too. */
const KEY_PARAMETER = /^code$/i;
/** What is shorter is no key but a word, as clients send where none is asked for. */
const MIN_KEY = 8;
/** How many keys are looked for: those that came last, where they change all the time. */
const MAX_KEYS = 200;
/** The most characters at the end of a text that are held back because a key may begin there. */
const MAX_HELD = 4096;
/** The beginning of a key of a known kind at the end of a text. */
const BEGUN =
  /(?<![A-Za-z0-9])(?:sk-|pk-|rk_|gsk_|xai-|pplx-|nvapi-|hf_|gh[oprsu]_|github_pat_|gl[a-z]{2,5}-|npm_|xox[a-z]-|AKIA|ASIA|AIza|ya29\.|eyJ|whsec_|sk_|lsv2_|tvly-|r8_|dop_v1_|shpat_|SG\.)[\w.-]*$/;
/** How many of the first characters of a key may stand alone: they tell nothing, and keys begin alike. */
const MAX_BEGINNING = 2;

/** The keys that a request carries: in its headers, and in what its address asks for. */
export function keysOf(headers: IncomingHttpHeaders, address: string): readonly string[] {
  const told = Object.entries(headers)
    .filter(([name]) => KEY_NAME.test(name))
    .flatMap(([, values = []]) => values)
    .flatMap(keysInHeader);
  const query = address.split('?')[1] ?? '';
  const asked = [...new URLSearchParams(query)].flatMap(([name, value]) =>
    KEY_NAME.test(name) || KEY_PARAMETER.test(name) ? [value] : [],
  );
  return [...new Set([...told, ...asked])].filter(isKey);
}

/** The keys in a header: of a scheme as Bearer, of names and passwords, and of cookies. */
function keysInHeader(value: string): readonly string[] {
  const [, scheme = '', rest = ''] = /^([A-Za-z][\w-]*)\s+(\S.*)$/.exec(value) ?? [];
  if (scheme.toLowerCase() === 'basic') {
    const plain = Buffer.from(rest, 'base64').toString('utf8');
    return [rest, plain, plain.slice(plain.indexOf(':') + 1)];
  }
  // A signed request names its key, and what it is signed with: `Credential=AKIA…/20261130/…, Signature=…`.
  const signed = [...rest.matchAll(/([\w-]+)=(?:"([^"]*)"|([^\s",/]+))/g)].flatMap(
    ([, name = '', quoted, part]) => (KEY_NAME.test(name) ? [quoted ?? part ?? ''] : []),
  );
  if (signed.length > 0) return [rest, ...signed];
  if (scheme !== '') return [rest];
  const cookies = value.split(';').map((each) => each.slice(each.indexOf('=') + 1).trim());
  return value.includes('=') ? [value, ...cookies] : [value];
}

/** Whether a value is one that somebody made to be secret, and no word that stands in the place of one. */
function isKey(value: string): boolean {
  return (
    value.length >= MIN_KEY && (/\d/.test(value) || value.length >= 16 || /^(?:sk|key|tok)[-_]/.test(value))
  );
}

/**
 * The keys that requests carry, which providers and gateways repeat in answers and errors: looked for as they are and however
 * they are written (with the escapes of JSON, of a URL or of HTML, and within Base64), with what the shape of alone says that it
 * is a key.
 */
export class EchoedKeys {
  #known = new KnownValues();
  /** Those that came last stand last. */
  #values: string[] = [];
  #redactor = redactorOf(SHAPED_KINDS, this.#known);
  #own = redactorOf(NO_KINDS, this.#known);

  /** Looks for these from now on. */
  add(keys: readonly string[]): void {
    for (const key of keys) {
      const at = this.#values.lastIndexOf(key);
      if (at >= 0) this.#values.splice(at, 1);
      this.#values.push(key);
      if (at < 0) this.#lookFor(key);
    }
    if (this.#values.length <= MAX_KEYS) return;
    this.#values = this.#values.slice(-MAX_KEYS / 2);
    this.#known = new KnownValues();
    this.#redactor = redactorOf(SHAPED_KINDS, this.#known);
    this.#own = redactorOf(NO_KINDS, this.#known);
    for (const key of this.#values) this.#lookFor(key);
  }

  #lookFor(key: string): void {
    // What follows a beginning that was written before, see `heldFrom`.
    for (let from = 0; from <= MAX_BEGINNING && key.length - from >= MIN_KEY; from++)
      this.#known.add(key.slice(from));
  }

  /** A value of JSON or a text without any key; the value itself where it has none. */
  without<Value>(value: Value): { readonly value: Value; readonly count: number } {
    return cleaned(this.#redactor, value);
  }

  /** The same of the body of an answer: a key may stand over several events of a stream, which then are put together. */
  inAnswer(body: unknown): { readonly value: unknown; readonly count: number } {
    const clean = this.without(body);
    const whole = wholeIn(body);
    const said = whole === undefined ? undefined : this.without<unknown>(whole);
    // Where no key stands over several events, they stay as they came.
    if (!said || said.count === 0 || JSON.stringify(wholeIn(clean.value)) === JSON.stringify(said.value))
      return clean;
    return said;
  }

  /** The same without those keys alone that were added. */
  withoutOwn<Value>(value: Value): { readonly value: Value; readonly count: number } {
    return cleaned(this.#own, value);
  }

  /** From where on the end of a text may be the beginning of a key; its length where it is none. */
  heldFrom(text: string): number {
    const from = Math.max(0, text.length - MAX_HELD);
    const shaped = BEGUN.exec(text.slice(from));
    const plain = new PlainText(text.slice(from));
    let held = shaped ? from + shaped.index : text.length;
    for (const key of this.#values) {
      for (let length = Math.min(key.length - 1, plain.text.length); length > MAX_BEGINNING; length--) {
        if (!plain.text.endsWith(key.slice(0, length))) continue;
        held = Math.min(held, from + plain.from(plain.text.length - length));
        break;
      }
    }
    return held;
  }
}

function redactorOf(kinds: typeof NO_KINDS, known: KnownValues): Redactor {
  return new Redactor({ kinds, known, judge: () => LEFT_OUT_KEY });
}

function cleaned<Value>(redactor: Redactor, value: Value): { readonly value: Value; readonly count: number } {
  const before = redactor.count;
  const clean = redactor.value(value) as Value;
  return { value: clean, count: redactor.count - before };
}

/** The answer that the text of a stream adds up to; undefined for any other body. */
function wholeIn(body: unknown): unknown {
  const events = typeof body === 'string' ? streamedObjects(body) : [];
  return events.length > 0 ? assembledAnswer(events) : undefined;
}
