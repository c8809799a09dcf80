/** A checked path: its real path lies inside a workspace folder. */
export interface GuardedPath {
  /** Absolute and free of links; only this path is ever opened. */
  readonly path: string;
  /** The real path of the workspace folder it lies in. */
  readonly root: string;
  /** Relative to `root`, separated by `/`; empty for the folder itself. */
  readonly relative: string;
  readonly kind: 'file' | 'folder' | 'absent';
  /** The number of hard links, 0 where absent; with more than one, another name may lie outside of the workspace. */
  readonly names: number;
  /** True where it lies in the folder of the store. */
  readonly inStore?: boolean;
}

/** The text of a file as an agent sees it. */
export interface FileText {
  readonly text: string;
  /** Identifies exactly this content; different content has a different version. */
  readonly version: string;
  /** True where an editor holds changes that are not on disk yet; `text` is then the editor's. */
  readonly unsaved?: boolean;
}

/** The result of a file operation, or why it failed. */
export type FileOutcome<T> =
  | ({ readonly ok: true } & T)
  | {
      readonly ok: false;
      readonly why: 'absent' | 'binary' | 'tooLarge' | 'changed' | 'refused' | 'failed';
      /** One sentence for the model. */
      readonly message: string;
    };

/**
 * The files of the workspace as tools read and write them. Never rejects.
 * Implemented over the disk in `tools/`, and over the editors and the disk in `vscode/`.
 */
export interface WorkspaceFiles {
  /** The text of a file of at most `maxBytes`; binary content is refused. */
  read(place: GuardedPath, maxBytes: number): Promise<FileOutcome<FileText>>;
  /**
   * Replaces or creates a file atomically, with the folders it needs. `expected` is the version that the file must
   * still have, or `'absent'` where it must not exist; otherwise the outcome is `changed` and nothing is written.
   */
  write(
    place: GuardedPath,
    text: string,
    expected: string,
  ): Promise<FileOutcome<{ readonly version: string }>>;
}
