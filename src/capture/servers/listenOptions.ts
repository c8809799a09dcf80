/** Where a server listens and writes. */
export interface ListenOptions {
  /** The port; 0 takes any that is free. */
  readonly port: number;
  /** The folder of the recordings. */
  readonly folder: string;
}
