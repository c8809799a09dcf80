import type { Command } from './command.js';
import { ENVIRONMENT, EXITS, optionText, optionWords, SUMMARY, usageOf } from './help.js';

/** The manual page in roff, section 1. */
export function manualPage(commands: readonly Command[], version: string): string {
  return [
    `.TH AGENT-LOGBOOK 1 "" "agent-logbook ${roff(version)}" "User Commands"`,
    section('NAME', `agent-logbook \\- ${roff(SUMMARY.replace(/\.$/, ''))}`),
    section('SYNOPSIS', commands.map((command) => `.B ${roff(usageOf(command))}\n.br`).join('\n')),
    section('COMMANDS', commands.map(commandBlock).join('\n')),
    section('EXIT STATUS', EXITS.map(([code, meaning]) => term(code, meaning)).join('\n')),
    section('ENVIRONMENT', ENVIRONMENT.map(([name, meaning]) => term(name, meaning)).join('\n')),
    '',
  ].join('\n');
}

function section(name: string, body: string): string {
  return `.SH ${name}\n${body}`;
}

function commandBlock(command: Command): string {
  const { summary, details, args, options, examples } = command;
  return [
    `.SS ${roff(usageOf(command))}`,
    `${roff(summary)}.`,
    ...details.map((detail) => `.PP\n${roff(detail)}`),
    ...args.map(({ name, text }) => term(name, text)),
    ...options.map((option) => term(optionWords(option), optionText(option))),
    ...examples.map(({ line, text }) => `.PP\n${roff(text)}:\n.PP\n.RS\n.nf\n${roff(line)}\n.fi\n.RE`),
  ].join('\n');
}

function term(name: string, text: string): string {
  return `.TP\n.B ${roff(name)}\n${roff(text)}`;
}

/** A text on one line of roff: no character of it is a request or an escape. */
function roff(text: string): string {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq');
  const plain = escaped.replace(/[^ -~]/gu, inRoff);
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}

/** A character that not every reader of manual pages takes as it is. */
function inRoff(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}
