/** A part of the page that is loaded when it is asked for first, once; where that fails, when it is asked for again. */
export class LatePart<Part> {
  readonly #load: () => Promise<Part>;
  #loading: Promise<Part> | undefined;

  constructor(load: () => Promise<Part>) {
    this.#load = load;
  }

  get(): Promise<Part> {
    return (this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    }));
  }
}
