import * as vscode from 'vscode';
import { features } from '../../../app/features/features.js';
import type { ModelCatalog } from '../../../app/models/modelCatalog.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import type { ForkRequest } from '../../../app/answers/runRequest.js';
import { iconText, plain, words } from '../../../app/text/plainText.js';
import { withTranscript } from '../../../app/transcripts/withTranscript.js';
import { chosen, UserError } from '../../../app/userError.js';
import type { AgentDefinition } from '../../../core/agent.js';
import { t } from '../../../core/l10n.js';
import { textOf } from '../../../core/message.js';
import type { Transcript } from '../../../core/ports/transcript.js';
import { isMessageRecord, type LogRecord, type MessageRecord } from '../../../core/record.js';
import { preview, singleLine } from '../../../core/text.js';
import type { AgentLibrary } from '../agentLibrary.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { handOver } from '../reading/handOver.js';
import type { TranscriptExportOptions } from '../reading/transcriptExport.js';
import { showInformation } from '../ui/notices.js';
import { askForText, choose, type Choice } from '../ui/pickers.js';
import { requireTrust } from '../workspaceFolders.js';
import { targetOf } from './chooseConversation.js';
import { chooseAgent, runWithProgress, type RunCommandsOptions } from './runCommands.js';

/** How much of a message a list shows, in code points. */
const SHOWN = 100;
/** How many messages are listed where none is pointed at, the latest first. */
const MAX_LISTED = 500;
/** Texts that are longer, or have several lines, are changed in an editor, in code points. */
const MAX_IN_BOX = 200;

/** What the command works with. */
export interface ForkCommandOptions extends RunCommandsOptions, TranscriptExportOptions {
  readonly library: AgentLibrary;
  readonly models: ModelCatalog;
  readonly panels: TranscriptPanels;
}

/** A message with what stands around it. */
interface Here {
  readonly record: MessageRecord;
  /** What its calls answered. */
  readonly results: readonly MessageRecord[];
}

/** A way to go on from a message. */
interface Way extends Choice {
  readonly seq: number;
  /** What is asked of the person: the text of the message, what comes next, both or nothing. */
  readonly edits?: string;
  readonly asks?: string;
}

/** The command that goes on from a message of a conversation. */
export function forkCommands(options: ForkCommandOptions) {
  const { choice, library, models, panels } = options;
  return {
    async goOn(argument?: unknown) {
      const title = t`Go On from Here`;
      const kept = await choice.one(argument, title);
      const { store, entry } = kept;
      const { conversation } = entry;
      const messages = await withTranscript(store, conversation, messagesOf);
      const position = targetOf(argument)?.position ?? (await chooseMessage(messages, title));
      if (!entry.recordedHere || options.stores.isUnlisted(conversation)) {
        await handOver(options, kept, position);
        return undefined;
      }
      requireTrust();
      const way = chosen(
        await choose(waysFrom(hereAt(messages, position)), {
          title: plain(title),
          placeHolder: words`How does it go on?`,
        }),
      );
      const by = await chooseWho(library, models, kept, messages, way.seq);
      const text = way.edits === undefined ? undefined : await askForLongText(way.edits, way.label);
      const prompt = way.asks === undefined ? '' : await askForLongText(way.asks, t`What comes next`);
      const from: ForkRequest = { conversation, seq: way.seq, text };
      return await runWithProgress(options, entry.title, { prompt, from, ...(by && { agent: by }) }, (fork) =>
        panels.open(fork, {}),
      );
    },
  };
}

/** A message of a conversation with its place among the records. */
interface Placed {
  readonly position: number;
  readonly record: MessageRecord;
}

async function messagesOf(transcript: Transcript): Promise<readonly Placed[]> {
  const { restoredRecords } = await features.transcripts();
  const found: Placed[] = [];
  let position = 0;
  for await (const record of restoredRecords(transcript)) {
    const known = record as LogRecord;
    if (isMessageRecord(known)) found.push({ position, record: known });
    position++;
  }
  return found;
}

async function chooseMessage(messages: readonly Placed[], title: string): Promise<number> {
  const items = messages
    .filter(({ record }) => record.message.role !== 'system')
    .toReversed()
    .slice(0, MAX_LISTED)
    .map(({ position, record }) => ({
      label: iconText(saidIn(record)),
      description: iconText(`${record.agent} · ${record.toolName ?? record.message.role}`),
      position,
    }));
  if (items.length === 0) throw new UserError(t`There is no message to go on from.`);
  const options = { title: plain(title), placeHolder: words`From which message?`, matchOnDescription: true };
  return chosen(await choose(items, options)).position;
}

function saidIn({ message }: MessageRecord): string {
  const calls = (message.tool_calls ?? []).map((call) => call.function.name).join(', ');
  return preview(singleLine(textOf(message.content)), SHOWN) || calls || t`(no text)`;
}

function hereAt(messages: readonly Placed[], position: number): Here {
  // A row may stand for what is no message: then the one before it is meant.
  const at = messages.findLastIndex((each) => each.position <= position);
  const record = messages[at]?.record;
  if (!record) throw new UserError(t`There is no message here to go on from.`);
  const ids = new Set((record.message.tool_calls ?? []).map(({ id }) => id));
  const results = messages
    .slice(at + 1)
    .map((each) => each.record)
    .filter(({ call, message }) => call === record.call && ids.has(message.tool_call_id ?? ''));
  return { record, results };
}

function waysFrom({ record, results }: Here): readonly Way[] {
  const { seq, message } = record;
  const text = textOf(message.content);
  if (message.role === 'system') return [{ label: iconText(t`Begin Anew…`, 'edit'), seq, asks: '' }];
  if (message.role === 'user')
    return [
      {
        label: iconText(t`Another Prompt…`, 'edit'),
        description: iconText(t`in place of this one`),
        seq,
        asks: text,
      },
      { label: iconText(t`The Same Prompt`, 'refresh'), description: iconText(t`asked once more`), seq },
    ];
  if (message.role === 'tool') return waysBehind([record]);
  const [first] = results;
  const calls = message.tool_calls ?? [];
  if (calls.length === 0)
    return [
      { label: iconText(t`Something Else Comes Next…`, 'edit'), seq, asks: '' },
      {
        label: iconText(t`Another Answer…`, 'edit'),
        description: iconText(t`then what comes next`),
        seq,
        edits: text,
        asks: '',
      },
    ];
  return [
    ...(first ? waysBehind(results) : []),
    {
      label: iconText(t`Make Its Calls Again`, 'refresh'),
      description: iconText(t`now, and ask as ever`),
      seq,
    },
    {
      label: iconText(t`Something Else Comes Next…`, 'edit'),
      description: iconText(t`its calls stay without an answer`),
      seq,
      asks: '',
    },
  ];
}

/** The ways behind what calls answered. */
function waysBehind(results: readonly MessageRecord[]): readonly Way[] {
  const [first] = results;
  if (!first) return [];
  return [
    {
      label: iconText(t`Ask the Model Again`, 'refresh'),
      description: iconText(t`with what its calls answered`),
      seq: first.seq,
    },
    ...results.map((result) => ({
      label: iconText(t`Another Result of ${result.toolName ?? t`the Call`}…`, 'edit'),
      description: iconText(saidIn(result)),
      seq: result.seq,
      edits: textOf(result.message.content),
    })),
  ];
}

/** Who goes on: nobody else, another agent, or the same one by another model. */
async function chooseWho(
  library: AgentLibrary,
  models: ModelCatalog,
  { entry }: StoredConversation,
  messages: readonly Placed[],
  seq: number,
): Promise<AgentDefinition | undefined> {
  const name = messages.find(({ record }) => record.seq === seq)?.record.agent ?? '';
  const known = (await library.agents()).find((agent) => agent.name === name);
  const items = [
    ...(known ? [{ label: iconText(t`${name} as Before`, 'play'), who: 'same' as const }] : []),
    ...(known ? [{ label: iconText(t`${name} by Another Model…`), who: 'model' as const }] : []),
    { label: iconText(t`Another Agent…`), who: 'agent' as const },
  ];
  const title = words`Go On from ${entry.title}`;
  const { who } = chosen(await choose(items, { title, placeHolder: words`Who goes on?` }));
  if (who === 'same') return undefined;
  if (who === 'agent') return await chooseAgent(library, undefined, title);
  return known && { ...known, models: [await models.pick(t`Model for ${name}`)] };
}

/** Asks for a text: in a box, or where it has many words or lines in an editor. Rejects with `Cancelled` where the person leaves. */
async function askForLongText(text: string, title: string): Promise<string> {
  if (!text.includes('\n') && text.length <= MAX_IN_BOX)
    return chosen(
      await askForText({
        title: plain(title),
        value: text,
        ignoreFocusOut: true,
        validateInput: (said) => (said.trim() === '' ? words`Say something.` : undefined),
      }),
    );
  const document = await vscode.workspace.openTextDocument({ content: text, language: 'markdown' });
  await vscode.window.showTextDocument(document, { preview: false });
  const goOn = t`Go On`;
  const pressed = await showInformation(words`Change the text as you want it, then go on.`, goOn);
  const said = document.getText();
  await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  return chosen(pressed === goOn && said.trim() !== '' ? said : undefined);
}
