/** A part of the page that is loaded when it is asked for first, once; where that fails, when it is asked for again. */
export class LatePart<Part> {
  readonly #load: () => Promise<Part>;
  #loading: Promise<Part> | undefined;
  #loaded: Part | undefined;

  constructor(load: () => Promise<Part>) {
    this.#load = load;
  }

  /** The part where it is there already; else undefined. */
  get present(): Part | undefined {
    return this.#loaded;
  }

  get(): Promise<Part> {
    return (this.#loading ??= this.#load().then(
      (part) => (this.#loaded = part),
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    ));
  }
}
