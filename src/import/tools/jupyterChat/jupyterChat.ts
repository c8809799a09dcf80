import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, list, objects, text, time, without, type Fields } from '../../reading/fields.js';
import { titleIn } from '../../messages/looseTalks.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';

/** Chats of JupyterLab, in which people and personas of Jupyter AI speak; a table says who is which. */
export const jupyterChat: TranscriptFormat = {
  name: 'jupyter-chat',
  of: 'Jupyter AI',
  files: '`*.chat`',
  carries: ['messages', 'times'],
  detect: (head) => head.length > 0 && head.every((value) => isChat(value)),
  read(entries, sink) {
    for (const value of sink.values(entries)) readChat(fields(value), sink);
  },
};

function isChat(value: unknown): boolean {
  const { messages, users } = fields(value);
  const isSaid = objects(messages).some(
    ({ body, sender }) => typeof body === 'string' && typeof sender === 'string',
  );
  return isSaid && Object.keys(fields(users)).length > 0;
}

function readChat(chat: Fields, sink: ImportSink): void {
  const users = fields(chat.users);
  /** Personas say that they are programs, or are called by the package and the class that they are. */
  const isPersona = (sender: string) => fields(users[sender]).bot === true || sender.includes('::');
  const nameOf = (sender: string): string => {
    const { display_name, name } = fields(users[sender]);
    return text(display_name) ?? text(name) ?? sender;
  };
  const said = list(chat.messages);
  const first = objects(said).find(({ sender }) => isPersona(asText(sender)));
  const entry = first ? nameOf(asText(first.sender)) : 'Jupyter AI';
  const builder = sink.conversation(fields(chat.metadata).id, entry);
  builder.title = titleIn(fields(chat.metadata));
  builder.keep(builder.entry, 'chat', without(chat, 'messages'));
  for (const item of said) {
    const { body, sender, time: at } = fields(item);
    if (typeof body !== 'string' || typeof sender !== 'string') {
      builder.keep(builder.entry, 'unknown', item, time(at));
      continue;
    }
    const isAnswer = isPersona(sender);
    const message = { role: isAnswer ? 'assistant' : 'user', content: body };
    const agent = isAnswer ? nameOf(sender) : undefined;
    builder.message(builder.entry, message, { time: time(at), raw: item, agent });
  }
}
