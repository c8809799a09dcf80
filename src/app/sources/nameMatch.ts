/** The word for the newest of them. */
export const LATEST = 'latest';

/** What a name means: the one; undefined where it means none, or as many as begin with it. */
export interface NameMatch<Item> {
  readonly found: Item | undefined;
  readonly begun: readonly Item[];
}

/** What is named, of a list with the newest first: by its id, the beginning of its id where no other begins so, or `latest`. */
export function foundByName<Item>(
  all: readonly Item[],
  name: string,
  idOf: (item: Item) => string,
): NameMatch<Item> {
  if (name === '') return { found: undefined, begun: [] };
  const begun = name === LATEST ? all.slice(0, 1) : all.filter((item) => idOf(item).startsWith(name));
  const exact = begun.find((item) => idOf(item) === name);
  return { found: exact ?? (begun.length === 1 ? begun[0] : undefined), begun };
}
