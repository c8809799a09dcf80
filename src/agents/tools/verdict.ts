/** What is known about an action before it is done. */
export type Verdict =
  /** Nothing is against it; the policy decides. */
  | { readonly kind: 'allow' }
  /** A person must be asked, whatever the policy says. Each reason is a part of a sentence, without a full stop. */
  | { readonly kind: 'ask'; readonly reason: string }
  /** Nobody can allow it. */
  | { readonly kind: 'refuse'; readonly reason: string };

/** The verdict that nothing is against it. */
export const allow: Verdict = { kind: 'allow' };

/** The verdict that a person must be asked. */
export const ask = (reason: string): Verdict => ({ kind: 'ask', reason });

/** The first verdict over `items` that does not allow; reads no further. */
export function firstObjection<T>(items: Iterable<T>, judge: (item: T, at: number) => Verdict): Verdict {
  let at = 0;
  for (const item of items) {
    const verdict = judge(item, at++);
    if (verdict.kind !== 'allow') return verdict;
  }
  return allow;
}
