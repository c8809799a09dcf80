/** What a record that carries no message tells a reader of a full export. */
export interface RecordNote {
  /** One line, plain text. */
  readonly line: string;
  /** A longer text that belongs to it, as it was written; what it is called is `label`. */
  readonly text?: string | undefined;
  readonly label?: string | undefined;
  readonly isError: boolean;
}
