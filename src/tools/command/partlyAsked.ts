import { askedFlagsOf } from './askedFlags.js';
import type { Words } from './destructive.js';
import { foreign, judgeSubcommand, quietModules, quietSubcommands } from './quietSubcommands.js';
import { countsIntoVariable } from './specialPrograms.js';
import { changesSteering, steeringIn } from './steeringVariables.js';

/** Subcommands of package managers that also run scripts of any name, by which they fetch or run foreign code. */
const packages =
  /^(install|i|in|add|ci|clean-install|remove|rm|uninstall|un|update|up|upgrade|upgrade-interactive|link|init|create|new|publish|pack|login|logout|adduser|token|config|set|dlx|download|global|import|patch|patch-commit|dedupe|rebuild|fetch|env|self|self-update|cache|owner|access|deprecate|unpublish|dist-tag|npm|plugin|policies|node|deploy|store|setup|server|approve-builds|audit|workspaces)$/;

/** What npm does without fetching or changing anything itself. It takes shortened names too, so all others are asked. */
const quietOfNpm =
  /^(run|run-script|test|t|tst|start|stop|restart|exec?|x|ls|list|ll|la|outdated|explain|why|fund|prefix|root|help|query)$/;
/** Flags that take no word of their own. */
const aloneForNpm = /^(-[sqy]|--(silent|quiet|yes|no|no-.*|offline)|--(prefix|workspace|loglevel|yes)=.*)$/;
/**
 * Flags by which the programs that it starts are told what to run; npm takes any beginning of one that is no other's,
 * behind any number of dashes.
 */
const steersNpm =
  'node-options script-shell shell userconfig globalconfig init-module editor viewer git python'.split(' ');

function isSteeringNpm(word = ''): boolean {
  const name = /^-(?:-+|(?=..))([^-=][^=]*)/.exec(word)?.[1] ?? '';
  if (name === '' || name === 'no' || name === 'global') return false;
  return steersNpm.some((flag) => flag.startsWith(name) || name.startsWith(`${flag}-`));
}

function judgeNpm(words: Words): string | undefined {
  const end = words.indexOf('--');
  const steering = words.slice(0, end < 0 ? undefined : end).find(isSteeringNpm);
  if (steering !== undefined) return `it tells npm what to run (${steering})`;
  const at = words.findIndex((word) => word?.startsWith('-') === false);
  const subcommand = words[at];
  if (subcommand === undefined) return undefined;
  const certain = words.slice(0, at).every((flag) => flag !== undefined && aloneForNpm.test(flag));
  return certain && quietOfNpm.test(subcommand) ? undefined : foreign('npm', subcommand);
}

/** Flags of pnpm, yarn and bun that stand alone, and those with a word of their own. */
const aloneForScripts =
  /^(-[rsw]|--(recursive|silent|workspace-root|watch|hot|bun|(filter|cwd|dir|prefix)=.*))$/;
const valuedForScripts = /^(-[FC]|--(filter|cwd|dir|prefix)|workspace)$/;

/** A script may have any name but those of subcommands that bring something; flags may hide the name. */
function judgeScripts(name: string, words: Words): string | undefined {
  if (words.length === 1 && /^(-v|-h|--version|--help)$/.test(words[0] ?? '')) return undefined;
  let at = 0;
  for (; at < words.length; at++) {
    if (valuedForScripts.test(words[at] ?? '')) at++;
    else if (!aloneForScripts.test(words[at] ?? '')) break;
  }
  const subcommand = words[at];
  const quiet = subcommand !== undefined && !subcommand.startsWith('-') && !packages.test(subcommand);
  return quiet ? undefined : foreign(name, subcommand);
}

const sendingScript = /^(deploy|publish|release|upload)([:_-].*)?$/;
const scriptRunners = new Set('npm pnpm yarn bun make gmake just rake gradle gradlew composer'.split(' '));

/** What Maven does with the project alone; every other word can be a plugin from elsewhere, or steer one. */
const quietForMaven =
  /^(clean|validate|compile|test|test-compile|package|verify|integration-test|(process|generate)-(test-)?(re)?sources|dependency:(tree|analyze)|spotless:(check|apply)|checkstyle:check|-(q|B|o|e|X|am|amd|ntp|T|pl|P|P[\w,!-]+|T\d+C?)|--(quiet|batch-mode|offline|no-transfer-progress)|-D(skipTests|test|it\.test|maven\.test\.skip|failIfNoTests)(=.*)?)$/;

function judgeMaven(words: Words): string | undefined {
  const other = words.find(
    (word, at) => !quietForMaven.test(word ?? '') && !/^-(T|pl|P)$/.test(words[at - 1] ?? ''),
  );
  return words.length > 0 && (other !== undefined || words.includes(undefined))
    ? foreign('mvn', other)
    : undefined;
}

/** What is asked about of a program because of one of its words. */
function judgeWords(name: string, words: Words): string | undefined {
  const flags = askedFlagsOf(name);
  const flag = flags && words.find((word) => flags.test(word ?? ''));
  if (flag !== undefined) return `with '${flag}' it can run, load or send something else (${name})`;
  const named = words.filter((word) => word?.startsWith('-') === false).slice(0, 2);
  const sends = scriptRunners.has(name) ? named.find((word) => sendingScript.test(word ?? '')) : undefined;
  return sends === undefined
    ? undefined
    : `its name says that it sends something elsewhere (${name} ${sends})`;
}

/** How many files are named to a program of which these flags take a number: at least so many. */
function countOperands(words: Words, numbered: RegExp): number {
  const operands = words.filter((word, at) => {
    if (/^\d+$/.test(word ?? '') && numbered.test(words[at - 1] ?? '')) return false;
    return word === undefined || word === '-' || !word.startsWith('-') || words.slice(0, at).includes('--');
  });
  return operands.length;
}

/** Programs that are asked about with some of their flags or subcommands. */
export function judgePartly(name: string, words: Words): string | undefined {
  return judgeManager(name, words) ?? judgeWords(name, words) ?? judgeFiles(name, words);
}

function judgeManager(name: string, words: Words): string | undefined {
  if (name === 'npm') return judgeNpm(words);
  if (name === 'mvn' || name === 'mvnw') return judgeMaven(words);
  if (name === 'pnpm' || name === 'yarn' || name === 'bun') return judgeScripts(name, words);
  const quiet = quietSubcommands.get(name);
  return quiet && judgeSubcommand(name, quiet, words);
}

/** Whether it is told to run a module that is not known to work on the project alone; its name stands right behind. */
function runsForeignModule(words: Words): boolean {
  const at = words.findIndex((word) => word !== undefined && /^(-[a-z]*m|--m)/.test(word));
  return words.includes('run') && at >= 0 && !quietModules.test(words[at + 1] ?? '');
}

/** Whether one of the packers gives a file another name than the usual one, or takes whole folders. */
function unpacks(words: readonly string[]): boolean {
  const has = (flags: RegExp) => words.some((word) => flags.test(word));
  return has(/^-[^-]*[rSFMo]|^--(su|fi|r|o)/) || (has(/^-[^-]*d|^--(d|un)/) && !has(/^-[^-]*c|^--(st|to-)/));
}

/** Words in quotes set variables for the shell's own `export`, too. */
function steersBy(words: Words): string | undefined {
  const steering = words.map(steeringIn).find((name) => name !== undefined);
  return steering && changesSteering(steering);
}

function judgeFiles(name: string, words: Words): string | undefined {
  const known = words.map((word) => word ?? '-');
  switch (name) {
    case 'cp':
    case 'mv':
      return known.some((word) => /^-[^-]*[rRaTtlsbS]|^--(rec|ar|no-t|t|b|su|sy|l)|^-$/.test(word))
        ? `it writes files that the command does not name (${name})`
        : undefined;
    case 'sort':
      return known.some((word) => /^-[^-]*[oT]|^--(o|co|f|t)/.test(word))
        ? 'it writes or runs (sort)'
        : undefined;
    case 'uniq':
      return countOperands(words, /^-[a-zA-Z]*[fsw]$/) > 1 ? 'it writes a file (uniq)' : undefined;
    case 'xxd':
      return countOperands(words, /^--?(c|cols|g|group(size)?|l|len|o|s|seek|skip)$/) > 1
        ? 'it writes a file (xxd)'
        : undefined;
    case 'gzip':
    case 'xz':
    case 'bzip2':
    case 'zstd':
      return unpacks(known) ? `it writes files that the command does not name (${name})` : undefined;
    case 'coverage':
      return runsForeignModule(words) ? foreign(name, 'run -m') : undefined;
    case 'file':
      return known.some((word) => /^-[^-]*C|^--c/.test(word)) ? 'it writes a file (file -C)' : undefined;
    case 'date':
      return known.some((word) => /^-[uR]*s|^--s/.test(word)) ? 'it sets the clock (date -s)' : undefined;
    case 'printf':
      return /^-(v|$)/.test(known[0] ?? '') || countsIntoVariable(known[known[0] === '--' ? 1 : 0] ?? '')
        ? 'it sets a variable (printf -v, %n)'
        : undefined;
    case 'export':
      return steersBy(words);
    case 'test':
    case '[':
      return known.includes('-v')
        ? `it can run what stands in the name of a variable (${name} -v)`
        : undefined;
    case 'rg':
      return known.some((word) => /^--(pre|hostname-bin|search-zip)|^-[a-zA-Z]*z/.test(word))
        ? 'it can run a program for each file (rg --pre)'
        : undefined;
    case 'find':
      return known.some((word) =>
        /^-(exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls|files0-from)$/.test(word),
      )
        ? 'it writes files or runs a program for what it finds (find)'
        : undefined;
    case 'tree':
      return known.some((word) => /^-[^-]*[oR]|^--output/.test(word))
        ? 'it writes files (tree -o, -R)'
        : undefined;
    case 'make':
    case 'gmake':
    case 'ninja':
    case 'just':
      return known.some((word) => /^-|=/.test(word) && !/^-(j\d*|k|s|n|B)$/.test(word))
        ? `it can run what stands in the command (${name} with variables or flags)`
        : undefined;
    default:
      return undefined;
  }
}
