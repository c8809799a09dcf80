import { asText, fields, number, objects, text, withoutKeys, type Fields } from '../../reading/fields.js';

/** A message with its parts, as OpenCode exports it. */
export interface ExportedMessage extends Fields {
  readonly info: Fields;
  readonly parts: readonly Fields[];
}

/**
 * A row of OpenCode's table `session_message`, which it keeps since version 2, as the message with its parts that older versions
 * kept; undefined for one that is no message. What it says of itself stands in its row.
 */
export function messageOfRow(row: Fields): ExportedMessage | undefined {
  const { data, ...about } = row;
  const said = fields(data);
  const time = { created: row.time_created, ...fields(said.time) };
  const own = (role: string, parts: readonly Fields[], more: Fields = {}): ExportedMessage => ({
    ...about,
    info: { id: row.id, role, time, ...more },
    parts,
  });
  switch (row.type) {
    case 'user':
      return own(
        'user',
        [textPart(said.text), ...objects(said.files).map(filePart)],
        restOf(said, 'text', 'files'),
      );
    case 'synthetic':
    case 'system':
      return own('user', [{ ...textPart(said.text), synthetic: true }], restOf(said, 'text'));
    case 'shell':
      return own(
        'user',
        [textPart(`!${asText(said.command)}`), { ...textPart(said.output), synthetic: true }],
        said,
      );
    case 'compaction':
      return own(
        'user',
        [{ ...textPart(said.summary), synthetic: true, injected: 'summary' }],
        restOf(said, 'summary'),
      );
    case 'assistant':
      return own('assistant', objects(said.content).map(answerPart), {
        ...restOf(said, 'content', 'error'),
        modelID: fields(said.model).id,
        providerID: fields(said.model).providerID,
        ...(said.error !== undefined && { error: errorOf(said.error) }),
      });
    default:
      return undefined;
  }
}

/** What was typed and not taken up yet, as a message. */
export function messageOfInput(row: Fields): ExportedMessage | undefined {
  const words = text(fields(row.data).text) ?? text(fields(fields(row.data).prompt).text);
  return words === undefined
    ? undefined
    : messageOfRow({ ...row, type: 'user', data: { ...fields(row.data), text: words } });
}

function restOf(said: Fields, ...keys: readonly string[]): Fields {
  return withoutKeys(said, [...keys, 'time']);
}

function textPart(words: unknown): Fields {
  return { type: 'text', text: asText(words) };
}

function filePart(file: Fields): Fields {
  const { uri, url, mime, name, ...rest } = file;
  return { ...rest, type: 'file', mime, url: url ?? uri, filename: name };
}

/** A part of an answer: what a call gave is a list of texts and files. */
function answerPart(part: Fields): Fields {
  if (part.type !== 'tool') return part;
  const { id, name, state, time, ...rest } = part;
  const { content, structured, error, attachments, ...told } = fields(state);
  const output = objects(content).flatMap((each) => (each.type === 'text' ? [asText(each.text)] : []));
  const files = objects(content).filter((each) => each.type === 'file');
  const { ran, created, completed } = fields(time);
  return {
    ...rest,
    type: 'tool',
    callID: id,
    tool: name,
    state: {
      ...told,
      ...(content !== undefined && { output: output.join('\n') }),
      ...(error !== undefined && { error: text(fields(error).message) ?? error }),
      ...(structured !== undefined && { metadata: structured }),
      attachments: [...objects(attachments), ...files].map(filePart),
      time: { start: number(ran) ?? created, end: completed },
    },
  };
}

function errorOf(error: unknown): Fields {
  const { name, type, message, ...rest } = fields(error);
  return { name: name ?? type ?? 'error', data: { ...rest, message: message ?? asText(error) } };
}
