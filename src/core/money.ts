/**
 * An amount of money in billionths of a US dollar, always whole and never negative. One cached token of a cheap model costs a few of
 * them, so that nothing that was paid for is rounded away; sums are exact up to `MAX_MONEY`.
 */
export type NanoDollars = number & { readonly unit: 'nano-dollars' };

/** The largest amount, some nine million dollars: sums stop there, whatever order they are made in. */
export const MAX_MONEY = Number.MAX_SAFE_INTEGER as NanoDollars;

/** No money. */
export const NO_MONEY = 0 as NanoDollars;

const NANOS = 1e9;

/**
 * A number of dollars as money, rounded to whole nano-dollars; what is more than nothing is at least one. Undefined for what
 * is no amount: not a number, not finite, negative.
 */
export function dollars(value: unknown): NanoDollars | undefined {
  return typeof value === 'number' ? nanos(value * NANOS) : undefined;
}

/** The same of a number of nano-dollars, which may have a fraction. */
export function nanos(value: unknown): NanoDollars | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return undefined;
  if (value === 0) return NO_MONEY;
  return Math.min(Math.max(1, Math.round(value)), MAX_MONEY) as NanoDollars;
}

/** The sum of two amounts, at most `MAX_MONEY`. */
export function addMoney(a: NanoDollars, b: NanoDollars): NanoDollars {
  return Math.min(a + b, MAX_MONEY) as NanoDollars;
}

/** An amount as a number of dollars, for what other programs read. */
export function inDollars(amount: NanoDollars): number {
  return amount / NANOS;
}

/**
 * An amount as it is shown, the only place where it is rounded: `$1,234.50`, `$0.37`, `$0.0042`; of less than a dollar two
 * significant digits, so that what costs something never reads as nothing; `> $9,007,199` for what is more than can be counted.
 */
export function formatMoney(amount: NanoDollars): string {
  const value = inDollars(amount);
  if (amount >= MAX_MONEY) return `> $${Math.floor(value).toLocaleString('en')}`;
  if (amount === 0) return '$0';
  if (value >= 0.995)
    return `$${value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  const digits = Math.min(9, Math.max(2, 1 - Math.floor(Math.log10(value))));
  const text = value.toFixed(digits);
  return `$${digits > 2 ? text.replace(/0+$/, '') : text}`;
}
