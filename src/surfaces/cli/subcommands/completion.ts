import type { Call } from '../call.js';
import type { Command, Option } from '../command.js';
import { commands, SHELLS, type Shell } from '../commands.js';
import { WrongUse } from '../terminal.js';

/** Writes the script that completes words in a shell. */
export async function completion({ words, out }: Call): Promise<void> {
  const shell = SHELLS.find((each) => each === words[0]);
  if (!shell) throw new WrongUse(`Words are completed in ${SHELLS.join(', ')}, not in ${words[0] ?? ''}.`);
  await out.write(completionFor(shell, commands));
}

const PROGRAM = 'agent-logbook';

/** A script for a shell that completes commands, options and their values; files elsewhere. */
function completionFor(shell: Shell, commands: readonly Command[]): string {
  return { bash, zsh, fish }[shell](commands);
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map(({ name, options, args }) => {
    const values = options.flatMap(({ name: option, value }) =>
      value.kind === 'choice' ? [`      --${option}) words='${value.of.join(' ')}';;`] : [],
    );
    const wanted = args.flatMap(({ of = [] }) => of).join(' ');
    return [
      `    ${name})`,
      `      words='${options.flatMap(spellings).join(' ')}${wanted === '' ? '' : ` ${wanted}`}'`,
      ...(values.length > 0 ? ['      case "$before" in', ...values, '      esac'] : []),
      '      ;;',
    ].join('\n');
  });
  return `# Completion of ${PROGRAM} for bash: eval "$(${PROGRAM} completion bash)"
_agent_logbook() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=''
  case "$COMP_CWORD:\${COMP_WORDS[1]}" in
    1:*) words='${commands.map(({ name }) => name).join(' ')}';;
  esac
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _agent_logbook ${PROGRAM}
`;
}

function spellings({ name, short }: Option): string[] {
  return [...(short === undefined ? [] : [`-${short}`]), `--${name}`];
}

function zsh(commands: readonly Command[]): string {
  const names = commands.map(({ name, summary }) => `    '${name}:${inZsh(summary)}'`);
  const cases = commands.map(({ name, options, args }) => {
    const specs = options.flatMap(zshOption);
    const wanted = args.flatMap(({ of = [] }) => of).join(' ');
    const rest = wanted === '' ? `'*:source:_files'` : `'*:word:(${wanted})'`;
    return `    ${name}) _arguments ${[...specs, rest].join(' ')};;`;
  });
  return `#compdef ${PROGRAM}
# Completion of ${PROGRAM} for zsh: ${PROGRAM} completion zsh > "\${fpath[1]}/_${PROGRAM}"
_agent_logbook() {
  local -a commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_${PROGRAM}" ]; then
  _agent_logbook "$@"
else
  compdef _agent_logbook ${PROGRAM}
fi
`;
}

function zshOption({ name, short, value, text }: Option): string[] {
  const taken =
    value.kind === 'none'
      ? ''
      : value.kind === 'choice'
        ? `:${value.name}:(${value.of.join(' ')})`
        : `:${value.name}:${value.kind === 'text' && value.isFile ? '_files' : ''}`;
  return [...(short === undefined ? [] : [`-${short}`]), `--${name}`].map(
    (spelling) => `'${spelling}[${inZsh(text)}]${taken}'`,
  );
}

/** A text within a quoted specification of zsh, in which brackets and colons have a meaning. */
function inZsh(text: string): string {
  return text.replace(/[[\]:]/g, '\\$&').replaceAll("'", "'\\''");
}

function fish(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const lines = commands.flatMap(({ name, summary, options, args }) => {
    const within = `-n '__fish_seen_subcommand_from ${name}'`;
    const wanted = args.flatMap(({ of = [] }) => of);
    return [
      `complete -c ${PROGRAM} -n 'not __fish_seen_subcommand_from ${names}' -f -a ${name} -d ${inFish(summary)}`,
      ...(wanted.length > 0 ? [`complete -c ${PROGRAM} ${within} -f -a '${wanted.join(' ')}'`] : []),
      ...options.map(
        ({ name: option, short, value, text }) =>
          `complete -c ${PROGRAM} ${within}${short === undefined ? '' : ` -s ${short}`} -l ${option}${fishValue(value)} -d ${inFish(text)}`,
      ),
    ];
  });
  return `# Completion of ${PROGRAM} for fish: ${PROGRAM} completion fish > ~/.config/fish/completions/${PROGRAM}.fish
${lines.join('\n')}
`;
}

function fishValue(value: Option['value']): string {
  if (value.kind === 'none') return '';
  if (value.kind === 'choice') return ` -x -a '${value.of.join(' ')}'`;
  return value.kind === 'text' && value.isFile ? ' -r -F' : ' -x';
}

function inFish(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
