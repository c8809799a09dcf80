/**
 * The calls of one conversation with a model, as the APIs want them: each id once, and each result right behind the message that makes
 * its call. What is not so is refused with all that stands around it.
 */
export class OpenCalls {
  readonly #made = new Set<string>();
  #open = new Set<string>();

  /** Whether a call of this id can be made. */
  readonly isFree = (id: string): boolean => id !== '' && !this.#made.has(id);

  /** A message that is no result, with the calls that it makes: no result of an earlier call can follow. */
  begin(ids: readonly string[] = []): void {
    for (const id of ids) this.#made.add(id);
    this.#open = new Set(ids);
  }

  /** Whether a result of this call can stand here; each only once. */
  answer(id: string): boolean {
    return this.#open.delete(id);
  }
}
