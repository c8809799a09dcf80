import { inLanguage, t } from '../../core/l10n.js';
import { dialogs } from '../surfaces/dialogs.js';
import * as vscode from 'vscode';
import { isObject } from '../../core/message.js';
import type { ExportTarget } from '../../panel/ports.js';
import { EXPORT_FORMATS, type ExportFormat } from '../../ports/exportFormats.js';
import type { Criteria } from '../../protocol/criteria.js';
import type { EventData } from '../../protocol/events.js';
import type { StoredConversation, Stores } from '../../app/stores/stores.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { choose, type Choice } from '../surfaces/pickers.js';
import { iconText, plain, words } from '../../app/text/plainText.js';
import { withProgress } from '../surfaces/progress.js';
import { formatWords } from '../../app/transcripts/exportFormatWords.js';
import { criteriaWords, matchingPositions, MessageFilters } from '../../app/transcripts/messageFilters.js';
import type { WindowReader } from '../../reader/windowReader.js';
import type { SharedTokens } from '../../app/transcripts/sharedTokens.js';
import { subsetText, type Aspect } from '../../app/transcripts/subsetText.js';
import { exportIntoEditors, exportIntoFolder } from '../reading/exportSeveral.js';
import { exportTranscript, showText, type ExportRequest } from '../reading/transcriptExport.js';
import { chosen } from '../../app/userError.js';
import { targetOf, type ConversationChoice } from './chooseConversation.js';
import { filterCommands } from './filterCommands.js';

/** What the commands for reading need. */
export interface ReadingCommandsDeps {
  readonly stores: Stores;
  readonly reader: WindowReader;
  readonly tokens: SharedTokens;
  readonly choice: ConversationChoice;
  readonly panels: TranscriptPanels;
}

/** The whole transcript, or what its current filter finds. */
type Scope = 'all' | 'filtered';

const SCOPES: readonly Scope[] = ['all', 'filtered'];
const TARGETS: readonly ExportTarget[] = ['editor', 'file', 'clipboard'];

/** What was searched for, where an argument tells it; anything else in its place is ignored. */
function foundIn(argument: unknown): EventData<'show'>['found'] {
  const found = isObject(argument) && isObject(argument.found) ? argument.found : undefined;
  if (typeof found?.text !== 'string' || found.text === '') return undefined;
  return { text: found.text, matchCase: found.matchCase === true, wholeWord: found.wholeWord === true };
}

/** The commands that show or export a transcript, or the part of it that a filter finds. */
export function readingCommands({ stores, reader, tokens, choice, panels }: ReadingCommandsDeps) {
  const filters = new MessageFilters();
  const send = (request: ExportRequest) => exportTranscript({ stores, reader, tokens }, request);
  return {
    async openTranscript(argument?: unknown) {
      const position = targetOf(argument)?.position;
      const { entry } = await choice.one(argument, t`Open Transcript`);
      const found = foundIn(argument);
      const preserveFocus = isObject(argument) && argument.preserveFocus === true;
      const what = { ...(position !== undefined && { position }), ...(found && { found }) };
      panels.open(entry.conversation, what, preserveFocus);
    },
    ...filterCommands({
      choice,
      panels,
      filters,
      actions: {
        read: ({ entry: { conversation } }, positions) =>
          send({ conversation, positions, format: 'markdown', target: 'editor' }),
        export: async ({ entry: { conversation } }, positions) =>
          send({ conversation, positions, format: await chooseFormat(), target: await chooseTarget() }),
      },
    }),
    showTimeline: (argument?: unknown) => show(argument, t`Show Timeline`, 'timeline', 'timeline'),
    showStatistics: (argument?: unknown) => show(argument, t`Show Statistics`, 'statistics', 'stats'),
    showToolSummary: (argument?: unknown) => show(argument, t`Show Tool Summary`, 'tools', 'toolSummary'),

    async exportMarkdown(argument?: unknown, selection?: unknown) {
      const kept = await choice.several(argument, selection, t`Export Transcript to Markdown`);
      await sendAll(kept, { format: 'markdown', target: 'editor' });
    },

    async exportTranscript(argument?: unknown, selection?: unknown) {
      const kept = await choice.several(argument, selection, t`Export Transcript`);
      const said = asked(argument);
      const [only, ...others] = kept;
      const criteria = only && others.length === 0 ? criteriaOf(only) : undefined;
      const title = others.length === 0 ? t`Export Transcript` : t`Export ${kept.length} Transcripts`;
      const unsaid = said.format ? 'all' : await chooseScope(title, criteria);
      const scope = said.scope ?? unsaid;
      const { format = await chooseFormat(title), file } = said;
      const { target = await chooseTarget(title, kept.length) } = said;
      const positions = scope === 'filtered' && only ? await found(only, criteria) : undefined;
      await sendAll(kept, { positions, format, target, file });
    },
  };

  async function sendAll(kept: readonly StoredConversation[], request: Omit<ExportRequest, 'conversation'>) {
    const [only, ...others] = kept;
    if (only && others.length === 0) {
      await send({ ...request, conversation: only.entry.conversation });
      return;
    }
    const exportAll = request.target === 'file' ? exportIntoFolder : exportIntoEditors;
    await exportAll({ stores, reader, tokens }, kept, request.format);
  }

  /** Shows a view of the whole transcript in its panel, or of the messages that the filter finds as a text. */
  async function show(
    argument: unknown,
    title: string,
    tab: 'timeline' | 'statistics' | 'tools',
    aspect: Aspect,
  ) {
    const kept = await choice.one(argument, title);
    const criteria = criteriaOf(kept);
    const scope = asked(argument).scope ?? (await chooseScope(title, criteria));
    if (scope === 'all') {
      panels.open(kept.entry.conversation, { tab });
      return;
    }
    await showText(
      await subsetText(kept, await found(kept, criteria), aspect, { tokens, dialogs }),
      'plaintext',
    );
  }

  /** The filter of the panel, which is visible, else the one from the command palette. */
  function criteriaOf({ entry: { conversation } }: StoredConversation): Criteria | undefined {
    return panels.criteriaOf(conversation) ?? filters.criteriaOf(conversation);
  }
}

/** What the filter finds; everything without a filter. */
async function found(kept: StoredConversation, criteria: Criteria | undefined) {
  if (!criteria) return undefined;
  return withProgress(words`Filtering messages`, (signal) => matchingPositions(kept, criteria, signal));
}

interface Asked {
  readonly format?: ExportFormat;
  readonly target?: ExportTarget;
  readonly scope?: Scope;
  readonly file?: vscode.Uri;
}

/** What an argument from another extension asks for. */
function asked(argument: unknown): Asked {
  if (!isObject(argument)) return {};
  const format = EXPORT_FORMATS.find((known) => known === argument.format);
  const target = TARGETS.find((known) => known === argument.target);
  const scope = SCOPES.find((known) => known === argument.scope);
  const file = argument.file instanceof vscode.Uri ? argument.file : undefined;
  return {
    ...(format && { format }),
    ...(target && { target }),
    ...(scope && { scope }),
    ...(file && { file }),
  };
}

async function chooseScope(title: string, criteria: Criteria | undefined): Promise<Scope> {
  if (!criteria) return 'all';
  const items: readonly (Choice & { readonly scope: Scope })[] = [
    { label: iconText(t`All Messages`), scope: 'all' },
    {
      label: iconText(t`The Filtered Messages`),
      description: iconText(criteriaWords(criteria)),
      scope: 'filtered',
    },
  ];
  const options = { title: plain(title), placeHolder: words`Which messages` };
  return chosen(await choose(items, options)).scope;
}

async function chooseFormat(title = t`Export Transcript`): Promise<ExportFormat> {
  const items = (Object.keys(formatWords) as ExportFormat[]).map((format) => ({
    label: iconText(inLanguage(formatWords[format].label)),
    description: iconText(`.${formatWords[format].extension}`),
    format,
  }));
  const options = { title: plain(title), placeHolder: words`Format` };
  return chosen(await choose(items, options)).format;
}

type TargetItem = Choice & { readonly target: ExportTarget };

async function chooseTarget(title = t`Export Transcript`, count = 1): Promise<ExportTarget> {
  const one: readonly TargetItem[] = [
    { label: iconText(t`Into an editor`, 'go-to-file'), target: 'editor' },
    { label: iconText('To a file…', 'save'), target: 'file' },
    { label: iconText(t`To the clipboard`, 'clippy'), target: 'clipboard' },
  ];
  const several: readonly TargetItem[] = [
    { label: iconText(t`To files in a folder…`, 'save'), target: 'file' },
    { label: iconText(t`Into editors`, 'go-to-file'), target: 'editor' },
  ];
  const options = { title: plain(title), placeHolder: words`Where to` };
  return chosen(await choose(count === 1 ? one : several, options)).target;
}
