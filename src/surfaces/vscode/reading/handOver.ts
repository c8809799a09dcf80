import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../../core/l10n.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import { formatCount } from '../../../app/text/format.js';
import { iconText, plain, words } from '../../../app/text/plainText.js';
import { leftOutWords, NAMED_IN_NOTICE, sharedWords } from '../../../app/transcripts/leftOutWords.js';
import { chosen } from '../../../app/userError.js';
import type { ExportReport } from '../../../export/exportFormat.js';
import { timestampOf } from '../../../export/metadata.js';
import { derivedUuid } from '../../../export/sharing/finding.js';
import { toolHomes } from '../../../import/toolHomes.js';
import type { HandOver, Machine } from '../../../import/tools/home.js';
import { copyText } from '../ui/clipboard.js';
import { askInDialog } from '../ui/notices.js';
import { choose } from '../ui/pickers.js';
import { withProgress } from '../ui/progress.js';
import { workingFolder } from '../workspaceFolders.js';
import { tellExported, deliverTranscript, type TranscriptExportOptions } from './transcriptExport.js';

/** A session that is handed over. */
interface HandedSession {
  /** Its id, a UUID. */
  readonly id: string;
  /** When the conversation began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The absolute path of the folder in which it goes on. */
  readonly folder: string;
}

/** A tool that goes on with a session that it finds in its folder. */
interface HandOverTool extends Pick<HandOver, 'format' | 'commandOf'> {
  readonly id: string;
  readonly name: string;
  /** Where it looks for a session, absolute. */
  fileOf(session: HandedSession, machine: Machine): string;
}

/** When what began at no time that a date can tell is filed. */
const EPOCH = '1970-01-01T00:00:00';

/** Every tool that a transcript can be handed over to. */
const handOverTools: readonly HandOverTool[] = toolHomes.flatMap(({ id, name, places, handOver }) => {
  if (!handOver) return [];
  const fileOf: HandOverTool['fileOf'] = ({ startedAt, ...session }, machine) => {
    const [location] = places(machine, []);
    if (!location) throw new Error(`No place is known for the sessions of ${id}.`);
    const began = (timestampOf(startedAt) ?? EPOCH).slice(0, 19);
    return join(location.folder, handOver.fileOf({ ...session, began }));
  };
  return [{ id, name, format: handOver.format, fileOf, commandOf: handOver.commandOf }];
});

/**
 * Writes a transcript where another tool looks for its sessions, and offers to go on with it there. A session that was handed over
 * before, which that tool may have gone on with, is not written over. `upTo`: the position of the last record that is handed over.
 */
export async function handOver(
  options: TranscriptExportOptions,
  kept: StoredConversation,
  upTo?: number,
): Promise<void> {
  const title = words`Hand Over ${kept.entry.title}`;
  const items = handOverTools.map((tool) => ({
    label: iconText(tool.name),
    description: iconText(tool.commandOf({ ...NO_SESSION, id: '…' })),
    tool,
  }));
  const { tool } = chosen(await choose(items, { title, placeHolder: words`Which tool goes on with it` }));
  const session = await freeSession(tool, kept, upTo);
  if (session === undefined) return;
  const file = fileOf(tool, session);
  const { conversation } = kept.entry;
  const { report } = await withProgress(words`Handing over to ${tool.name}`, (signal, tell) =>
    deliverTranscript(
      options,
      {
        conversation,
        ...(upTo !== undefined && { positions: Array.from({ length: upTo + 1 }, (_, at) => at) }),
        format: tool.format,
        target: 'file',
        file,
        isReviewed: true,
        makesFolder: true,
        session,
      },
      signal,
      tell,
    ),
  );
  await offerToGoOn(tool, session, report);
}

const NO_SESSION: HandedSession = { id: '', startedAt: 0, folder: '' };

const fileOf = (tool: HandOverTool, session: HandedSession): string =>
  tool.fileOf(session, { home: homedir(), platform: process.platform, env: process.env });

/** A session that does not exist yet; undefined where the person goes on with the one that does. */
async function freeSession(
  tool: HandOverTool,
  { entry: { conversation, startedAt } }: StoredConversation,
  upTo: number | undefined,
): Promise<HandedSession | undefined> {
  const folder = workingFolder()?.uri.fsPath ?? homedir();
  const session = {
    id: derivedUuid(upTo === undefined ? conversation : `${conversation}#${upTo}`),
    startedAt,
    folder,
  };
  if (!existsSync(fileOf(tool, session))) return session;
  const [goOn, anew] = [t`Go On With It`, t`Hand Over Anew`];
  const pressed = chosen(
    await askInDialog({
      message: words`This transcript was handed over to ${tool.name} before.`,
      detail: words`${tool.name} may have gone on with it since. Handed over anew, it becomes another session; the one before stays.`,
      buttons: [goOn, anew],
    }),
  );
  if (pressed === anew) return { ...session, id: randomUUID() };
  goOnIn(tool, session);
  return undefined;
}

async function offerToGoOn(tool: HandOverTool, session: HandedSession, report: ExportReport): Promise<void> {
  const [terminal, copy] = [t`Go On in a Terminal`, t`Copy Command`];
  const missing = leftOutWords(report.leftOut, tool.format, NAMED_IN_NOTICE);
  const what = `${formatCount(report.messages, 'message')}${sharedWords(report)}`;
  const told = words`Handed over to ${tool.name}: ${what}.${missing}`;
  const pressed = await tellExported(told, report.leftOut, [terminal, copy]);
  if (pressed === terminal) goOnIn(tool, session);
  else if (pressed === copy) await copyText(tool.commandOf(session));
}

function goOnIn(tool: HandOverTool, session: HandedSession): void {
  const terminal = vscode.window.createTerminal({ name: plain(tool.name), cwd: session.folder });
  terminal.show();
  terminal.sendText(tool.commandOf(session));
}
