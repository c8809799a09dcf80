import type { ConversationBuilder, Draft } from '../../building/conversationBuilder.js';
import type { ImportSink } from '../../building/importSink.js';
import { consolePieces, isConsoleText, type ConsolePiece } from '../../reading/recordedText.js';
import { asText, type Fields } from '../../reading/fields.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';

/** What Claude Code shows in its terminal, as `/export` writes it. Tools are shown by their names and what they gave. */
export const claudeConsole: TranscriptFormat = {
  name: 'claude-console',
  of: 'Claude Code',
  files: 'what `/export` writes (`.txt`), or what was copied from the terminal',
  carries: ['messages', 'calls', 'models'],
  detect: ([value]) => typeof value === 'string' && isConsoleText(value),
  read(entries, sink) {
    for (const value of sink.values(entries)) if (typeof value === 'string') readConsole(value, sink);
  },
};

function readConsole(value: string, sink: ImportSink): void {
  const reader = new ConsoleReader(sink.conversation(undefined, 'Claude'), consolePieces(value));
  reader.read();
}

class ConsoleReader {
  readonly #builder: ConversationBuilder;
  readonly #pieces: readonly ConsolePiece[];
  readonly #model: string | undefined;
  #calls = 0;
  /** The call whose results follow, and the message that they are. */
  #open: { readonly id: string; result?: Draft } | undefined;

  constructor(builder: ConversationBuilder, pieces: readonly ConsolePiece[]) {
    this.#builder = builder;
    this.#pieces = pieces;
    this.#model = modelIn(pieces[0]);
  }

  read(): void {
    for (const [index, piece] of this.#pieces.entries()) {
      const words = wordsOf(piece);
      // As it is shown, with its mark.
      const raw = { line: `${piece.mark}${piece.lines[0] ?? ''}`.trimEnd() };
      if (piece.kind === 'head') this.#builder.keep(this.#builder.entry, 'head', words);
      else if (piece.kind === 'given') this.#give(words, raw);
      else if (piece.kind === 'prompt') {
        this.#open = undefined;
        this.#builder.message(this.#builder.entry, { role: 'user', content: words }, { raw });
      } else this.#say(words, this.#pieces[index + 1]?.kind === 'given' ? callIn(words) : undefined, raw);
    }
  }

  #say(words: string, call: ReturnType<typeof callIn>, raw: Fields): void {
    this.#open = call && { id: `call ${++this.#calls}` };
    const calls = call && this.#open ? [toolCall(this.#open.id, call.name, call.input)] : [];
    const message = chatMessage('assistant', call ? null : words, { calls });
    const source = call ? { ...raw, shown: words } : raw;
    this.#builder.message(this.#builder.entry, message, { model: this.#model, raw: source });
  }

  /** What a tool gave, which may be several pieces, or else what Claude Code itself says of a command. */
  #give(words: string, raw: Fields): void {
    const open = this.#open;
    if (!open) this.#builder.keep(this.#builder.entry, 'shown', { ...raw, words });
    else if (open.result) {
      const message = open.result.body.message as Record<string, unknown>;
      message.content = `${asText(message.content)}\n${words}`;
      open.result.raws.push(raw);
    } else {
      const isError = /^Error\b/.test(words) ? true : undefined;
      open.result = this.#builder.message(this.#builder.entry, toolMessage(open.id, words), { isError, raw });
    }
  }
}

/** The text of a piece, without the indentation of its further lines and the spaces that fill a terminal's lines. */
function wordsOf({ lines, kind }: ConsolePiece): string {
  const indentation = kind === 'given' ? /^ {1,5}/ : /^ {1,2}/;
  const plain = lines.map((line, at) => (at === 0 || kind === 'head' ? line : line.replace(indentation, '')));
  return plain
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

/** A call as it is shown: the tool's name, and its most important argument in brackets. */
function callIn(words: string): { readonly name: string; readonly input: string } | undefined {
  const [, name, input] =
    /^([A-Z][\w:.-]*(?: [\w-]+){0,4}|[\w:.-]+(?: - [\w-]+)? \(MCP\))\(([^]*)\)…?$/.exec(words) ?? [];
  return name === undefined ? undefined : { name, input: JSON.stringify({ shown: input ?? '' }) };
}

function modelIn(head: ConsolePiece | undefined): string | undefined {
  if (head?.kind !== 'head') return undefined;
  return /(?:▛▘|▜█+▛▘) {1,3}((?:Opus|Sonnet|Haiku|Fable|Claude)\b[^·\n]*?)\s*·/.exec(
    head.lines.join('\n'),
  )?.[1];
}
