/** What a virtual list needs from its owner. */
export interface VirtualListOptions {
  readonly label: string;
  /** What it is for screen readers, and whether the keyboard reaches it; a feed whose rows alone are reached. */
  readonly role?: 'feed' | 'tree';
  readonly tabIndex?: number;
  /** What stands below the last row and is scrolled with the rows. */
  readonly below?: HTMLElement;
  /** The element of a row; the same object as long as nothing of it changed. */
  readonly render: (index: number) => HTMLElement;
  /** Told which rows are drawn, the last one included, and whether the end can be seen. */
  readonly onRange: (first: number, last: number, isAtEnd: boolean) => void;
}

/** A part of the list: the rows from `first` up to, not including, `end`, out of all. */
export interface ListPart {
  readonly first: number;
  readonly end: number;
  readonly of: number;
}
