import { createHash } from 'node:crypto';
import { randomNumbers } from './randomNumbers.js';

export const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
export const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
export const HEX = '0123456789abcdef';
export const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
export const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const MNEMONIC =
  'abandon ability about absent absorb abstract absurd abuse access accident account accuse achieve acid acoustic acquire across action actor actress adapt address adjust admit adult advance advice aerobic affair afford again agent agree ahead aim airport aisle alarm album alcohol alert alien alley allow almost alone alpha already also alter always amateur amazing among amount amused analyst anchor ancient anger angle angry animal ankle announce annual another answer antenna antique anxiety zebra zero zone zoo'.split(
    ' ',
  );

/** Draws what keys are made of. */
export class Draw {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomNumbers(seed);
  }

  below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  one<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error('There is nothing to draw from.');
    return found;
  }

  of(characters: string, length: number): string {
    return Array.from({ length }, () => characters[this.below(characters.length)]).join('');
  }

  /** Like random ones nearly always are: with letters and digits. */
  key(length: number, characters = ALNUM): string {
    for (;;) {
      const key = this.of(characters, length);
      if (/\d/.test(key) && /[A-Za-z]/.test(key)) return key;
    }
  }

  uuid(): string {
    const h = (length: number) => this.of(HEX, length);
    return `${h(8)}-${h(4)}-4${h(3)}-a${h(3)}-${h(12)}`;
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.one(MNEMONIC)).join(' ');
  }

  /** A number of a card, with the last digit that belongs to the others. */
  card(prefix: string, length: number): string {
    const body = prefix + this.of('0123456789', length - prefix.length - 1);
    const sum = [...body].toReversed().reduce((total, digit, at) => {
      const twice = at % 2 === 0 ? Number(digit) * 2 : Number(digit);
      return total + (twice > 9 ? twice - 9 : twice);
    }, 0);
    return `${body}${(10 - (sum % 10)) % 10}`;
  }

  /** A private key of a wallet in its usual form, with its check. */
  wif(isShort: boolean): string {
    const key = Buffer.from(this.of(HEX, 64), 'hex');
    const body = Buffer.concat([Buffer.from([0x80]), key, Buffer.from(isShort ? [1] : [])]);
    const twice = createHash('sha256').update(createHash('sha256').update(body).digest()).digest();
    let number = BigInt(`0x${Buffer.concat([body, twice.subarray(0, 4)]).toString('hex')}`);
    let text = '';
    for (; number > 0n; number /= 58n) text = (BASE58[Number(number % 58n)] ?? '') + text;
    return text;
  }
}
