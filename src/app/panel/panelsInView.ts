import { Emitter, type Disposable, type ListenerFailure } from '../../core/event.js';
import { t } from '../../core/l10n.js';
import { isObject } from '../../core/message.js';
import { READER, toolWords } from '../../import/toolWords.js';
import type { ConversationSource } from '../../core/ports/transcript.js';
import type { Provenance } from '../../page/protocol/panelState.js';

/** Which transcripts are in front of the person, so that nothing they show needs another notice. */
export class PanelsInView implements Disposable {
  /** The conversations in view, by panel. */
  readonly #shown = new Map<object, string>();
  readonly #changed: Emitter<string>;

  constructor(onFailure: ListenerFailure) {
    this.#changed = new Emitter(onFailure);
  }

  /** Fires with a conversation that came into view, or of which no panel is in view any more. */
  get onDidChange() {
    return this.#changed.event;
  }

  isVisible(conversation: string): boolean {
    return [...this.#shown.values()].includes(conversation);
  }

  /** To be called whenever a panel may have come into view or have left it. */
  set(panel: object, conversation: string, isVisible: boolean): void {
    const before = this.isVisible(conversation);
    if (isVisible) this.#shown.set(panel, conversation);
    else this.#shown.delete(panel);
    if (this.isVisible(conversation) !== before) this.#changed.fire(conversation);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

/**
 * The conversation that a restored panel showed, as its page kept it; undefined where it kept none. Any name may be the
 * id of a conversation: whether there is one is for the stores to say. What it showed of an archive has another id each time.
 */
export function restoredConversation(state: unknown): string | undefined {
  if (!isObject(state)) return undefined;
  const { conversation, archived } = state;
  if (archived !== undefined) return undefined;
  return typeof conversation === 'string' && conversation !== '' ? conversation : undefined;
}

/** Where a transcript comes from, as far as its store knows; `folder` is that of the workspace that the store belongs to. */
export function provenanceOf(folder: string, origin: ConversationSource | undefined): Provenance {
  return {
    ...(origin && { tool: toolWords(origin.tool) }),
    ...(origin?.path !== undefined && { path: origin.path }),
    // What a session says of its project is the project, whatever its file's folder is called and wherever its copy lies.
    folder: origin?.project ?? folder,
    details: [
      ...(origin?.version === undefined ? [] : [{ name: t`Version`, value: String(origin.version) }]),
      ...(origin && isReadByOlder(origin) ? [{ name: t`Read by version`, value: readerWords(origin) }] : []),
    ],
  };
}

/** The same as questions ask for it. */
export function askedOrigin(
  origin: ConversationSource | undefined,
):
  | { readonly source: string; readonly toolSession: string; readonly project: string | undefined }
  | undefined {
  return origin && { source: origin.tool, toolSession: origin.session, project: origin.project };
}

/** Whether older readers than these have read an imported conversation. */
export function isReadByOlder({ reader = 1 }: ConversationSource): boolean {
  return reader < READER;
}

/** By which readers it was read, and what to do. */
export function readerWords({ reader = 1 }: ConversationSource): string {
  return t`${reader} of the readers, now ${READER}: import its file again to read it anew`;
}
