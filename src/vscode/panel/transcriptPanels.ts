import type { Disposable, Uri } from 'vscode';
import type { LiveRuns, Scan, ExportTranscript, SavedFilters } from '../../panel/ports.js';
import type { Log } from '../../ports/log.js';
import type { Transcript } from '../../ports/transcript.js';
import type { EventData } from '../../protocol/protocol.js';

/** What the panels need of the rest of the extension. */
export interface TranscriptPanelsDeps {
  readonly extensionUri: Uri;
  /** Rejects with words for a person when the conversation cannot be read. The panel closes it. */
  openTranscript(conversation: string): Promise<Transcript>;
  titleOf(conversation: string): string;
  /** Whether a conversation of this id may be opened at all: a restored or forged id may be anything. */
  isConversation(conversation: string): boolean;
  /** The conversation whose journal this is, or undefined where it lies in no store of ours. */
  conversationAt(journal: Uri): string | undefined;
  readonly runs: LiveRuns;
  readonly scan: Scan;
  readonly exportTranscript: ExportTranscript;
  readonly savedFilters: SavedFilters;
  openFile(path: string, line: number | undefined): Promise<void>;
  openLink(url: string): Promise<void>;
  readonly log: Log;
}

/** What to show when a panel is opened. */
export type ShowOptions = EventData<'show'>;

/** The panels of all transcripts, one per conversation; also restores them and opens journals as editors. */
export interface TranscriptPanelsApi extends Disposable {
  /** Opens the conversation's panel, or brings it to the front. */
  open(conversation: string, options?: ShowOptions): void;
  /** The conversation of the panel that has the focus. */
  readonly active: string | undefined;
}
