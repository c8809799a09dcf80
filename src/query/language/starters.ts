/** What stands behind the name of a program that starts another one, as far as that tells where the other one is. */
export interface Starter {
  /** The letters of flags that take a value: the rest of the word, or the next word where nothing is left of it. */
  readonly valued: string;
  /** The long flags that take the next word where they hold no `=`. */
  readonly longValued: readonly string[];
  /** The letters and long flags with which nothing is started: they tell of a program, or edit a file. */
  readonly idle: string;
  readonly longIdle: readonly string[];
  /** What a flag may begin with. */
  readonly signs: string;
  /** Whether variables may be set before the program. */
  readonly setsVariables: boolean;
  /** How many words of its own stand before the program. */
  readonly operands: number;
}

function starter(valued = '', longValued: readonly string[] = [], more: Partial<Starter> = {}): Starter {
  const rest = { idle: '', longIdle: [], signs: '-', setsVariables: false, operands: 0 };
  return { valued, longValued, ...rest, ...more };
}

/** Programs that run the program among their words. */
export const STARTERS: ReadonlyMap<string, Starter> = new Map([
  [
    'sudo',
    starter(
      'aCcDghpRrTtUu',
      [
        '--auth-type',
        '--chdir',
        '--chroot',
        '--close-from',
        '--command-timeout',
        '--group',
        '--host',
        '--login-class',
        '--other-user',
        '--prompt',
        '--role',
        '--type',
        '--user',
      ],
      {
        idle: 'eKlvV',
        longIdle: ['--edit', '--list', '--remove-timestamp', '--validate', '--version'],
        setsVariables: true,
      },
    ),
  ],
  ['doas', starter('aCu')],
  ['env', starter('aCPSu', ['--argv0', '--chdir', '--split-string', '--unset'], { setsVariables: true })],
  ['nohup', starter()],
  ['nice', starter('n', ['--adjustment'])],
  [
    'ionice',
    starter('cn', ['--class', '--classdata'], { idle: 'pPu', longIdle: ['--pid', '--pgid', '--uid'] }),
  ],
  ['time', starter('fo', ['--format', '--output'])],
  ['command', starter('', [], { idle: 'vV' })],
  ['builtin', starter()],
  ['exec', starter('a')],
  ['setsid', starter()],
  ['stdbuf', starter('eio', ['--error', '--input', '--output'])],
  ['timeout', starter('ks', ['--kill-after', '--signal'], { operands: 1 })],
  [
    'xargs',
    starter('adEIJLnPRSs', [
      '--arg-file',
      '--delimiter',
      '--max-args',
      '--max-chars',
      '--max-procs',
      '--process-slot-var',
    ]),
  ],
]);

/** Programs that read their first word as a command line where the flag `c` is among their flags. */
export const SHELLS: ReadonlyMap<string, Starter> = new Map(
  ['sh', 'ash', 'bash', 'dash', 'ksh', 'zsh'].map((name) => [
    name,
    starter('oO', ['--init-file', '--rcfile'], { signs: '-+' }),
  ]),
);

/** A program that makes a command line of its words. */
export interface LineMaker {
  readonly starter: Starter;
  /** Whether it is the first word alone; otherwise all are joined, up to one of those that `end` it. */
  readonly isFirst?: true;
  readonly end?: ReadonlySet<string>;
}

export const LINE_MAKERS: ReadonlyMap<string, LineMaker> = new Map<string, LineMaker>([
  ['eval', { starter: starter() }],
  ['trap', { starter: starter('', [], { idle: 'lpP' }), isFirst: true }],
  ['watch', { starter: starter('nqs', ['--interval', '--equexit', '--shotsdir']) }],
  [
    'parallel',
    {
      starter: starter('aCdEIjLNnPSs', [
        '--arg-file',
        '--colsep',
        '--delay',
        '--delimiter',
        '--halt',
        '--jobs',
        '--joblog',
        '--load',
        '--max-args',
        '--max-procs',
        '--memfree',
        '--results',
        '--retries',
        '--sshlogin',
        '--tagstring',
        '--timeout',
        '--tmpdir',
        '--workdir',
      ]),
      end: new Set([':::', ':::+', '::::', '::::+']),
    },
  ],
]);

/** Flags behind which a program takes the command line of another one, up to `;`, or to `+` behind `{}`. */
export const STARTING_FLAGS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['find', new Set(['-exec', '-execdir', '-ok', '-okdir'])],
  ['fd', new Set(['-x', '-X', '--exec', '--exec-batch'])],
]);

/** A word that begins with a dash, as a program reads it. */
export interface Flag {
  /** The letters of flags without a value. */
  readonly letters: string;
  /** The letter or the long flag that takes a value, or a long flag alone. */
  readonly name: string;
  /** The value that the word holds itself. */
  readonly value: string | undefined;
  /** Whether its value is the next word. */
  readonly takesNext: boolean;
}

/** Takes a word that begins with a dash apart. */
export function readFlag(word: string, { valued, longValued }: Starter): Flag {
  if (word.startsWith('--')) {
    const end = word.indexOf('=');
    if (end >= 0)
      return { letters: '', name: word.slice(0, end), value: word.slice(end + 1), takesNext: false };
    return { letters: '', name: word, value: undefined, takesNext: longValued.includes(word) };
  }
  let at = 1;
  while (at < word.length && !valued.includes(word.charAt(at))) at++;
  const value = word.slice(at + 1);
  const takesNext = at === word.length - 1;
  return {
    letters: word.slice(1, at),
    name: word.charAt(at),
    takesNext,
    value: value === '' ? undefined : value,
  };
}

/** Whether nothing is started where this flag is. */
export function isIdle({ letters, name }: Flag, { idle, longIdle }: Starter): boolean {
  return longIdle.includes(name) || Array.from(letters).some((letter) => idle.includes(letter));
}
