/** A path that was checked: its real place lies inside a workspace folder. */
export interface GuardedPath {
  /** Absolute, without any link in it; what is opened is this and nothing else. */
  readonly path: string;
  /** The real path of the workspace folder it lies in. */
  readonly root: string;
  /** From `root`, with `/`; empty for the folder itself. */
  readonly relative: string;
  readonly kind: 'file' | 'folder' | 'absent';
  /** How many names the file has; more than one: a name may lie outside of the workspace. 0 where absent. */
  readonly names: number;
  /** True where it lies in the folder in which the record of the conversations is kept. */
  readonly inStore?: boolean;
}

/** The text of a file as an agent sees it. */
export interface FileText {
  readonly text: string;
  /** Stands for exactly this content; another content has another version. */
  readonly version: string;
  /** True where a person's editor holds text that is not on disk yet; `text` is the editor's. */
  readonly unsaved?: boolean;
}

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
   * Replaces or creates a file, with the folders it needs, as one step. `expected` is the version that the file
   * must still have, `'absent'` where it must not exist; anything else is `changed` and nothing is written.
   */
  write(
    place: GuardedPath,
    text: string,
    expected: string,
  ): Promise<FileOutcome<{ readonly version: string }>>;
}
