/** What a list is told by whoever shows it. */
export interface VirtualListOptions {
  readonly label: string;
  /** The element of a row; the same object as long as nothing of it changed. */
  readonly render: (index: number) => HTMLElement;
  /** Told which rows are drawn, the last one included, and whether the end can be seen. */
  readonly onRange: (first: number, last: number, isAtEnd: boolean) => void;
}

/** A stretch of the list: rows from `first` up to, not including, `end`, of so many. */
export interface ListPart {
  readonly first: number;
  readonly end: number;
  readonly of: number;
}
