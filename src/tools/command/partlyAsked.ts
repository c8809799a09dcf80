import type { Words } from './destructive.js';

/** Subcommands of package managers that fetch and run foreign code, or change what the project runs. */
const packages =
  /^(install|i|in|add|ci|clean-install|remove|rm|uninstall|un|update|up|upgrade|link|init|create|new|publish|pack|login|logout|adduser|token|config|set|dlx|download|tool|get|mod|work|require|global|hook|sync|lock|patch|dedupe|rebuild|fetch|generate|env|self|self-update|cache|owner|access|deprecate|unpublish|dist-tag|yank|push|import)$/;
const managers = new Set(
  (
    'npm pnpm yarn bun pip pip2 pip3 pipx uv poetry pipenv pdm rye cargo go gem bundle composer mix dotnet nuget conda ' +
    'mamba cpan luarocks opam stack cabal vcpkg conan rustup nvm fnm volta asdf mise corepack swift pod dart flutter'
  ).split(' '),
);

/** What npm does without fetching or changing anything itself. It takes shortened names too, so all others are asked. */
const quietOfNpm =
  /^(run|run-script|test|t|tst|start|stop|restart|exec?|x|ls|list|ll|la|outdated|explain|why|fund|prefix|root|help|query)$/;
/** Flags that take no word of their own. */
const aloneForNpm = /=|^(-[sqy]|--(silent|quiet|yes|no|no-.*|offline))$/;

function judgeNpm(words: Words): string | undefined {
  const at = words.findIndex((word) => word?.startsWith('-') === false);
  const subcommand = words[at];
  if (subcommand === undefined) return undefined;
  const certain = words.slice(0, at).every((flag) => flag !== undefined && aloneForNpm.test(flag));
  return certain && quietOfNpm.test(subcommand)
    ? undefined
    : `it fetches or runs foreign code, or changes what the project runs (npm ${subcommand})`;
}

function judgePackages(name: string, words: Words): string | undefined {
  if (name === 'npm') return judgeNpm(words);
  const subcommand = words.find((word) => word?.startsWith('-') === false);
  const alone = subcommand === undefined && (name === 'yarn' || name === 'pnpm' || name === 'bundle');
  return alone || (subcommand !== undefined && packages.test(subcommand))
    ? `it fetches or runs foreign code, or changes what the project runs (${name} ${subcommand ?? ''})`
    : undefined;
}

/** How many files are named to a program of which the flags -f, -s and -w take a number: at least so many. */
function countOperands(words: Words): number {
  const operands = words.filter((word, at) => {
    if (/^\d+$/.test(word ?? '') && /^-[a-zA-Z]*[fsw]$/.test(words[at - 1] ?? '')) return false;
    return word === undefined || word === '-' || !word.startsWith('-') || words.slice(0, at).includes('--');
  });
  return operands.length;
}

/** Programs that are asked about with some of their flags or subcommands. */
export function judgePartly(name: string, words: Words): string | undefined {
  if (managers.has(name)) return judgePackages(name, words);
  const known = words.map((word) => word ?? '-');
  switch (name) {
    case 'cp':
    case 'mv':
      return known.some((word) => /^-[^-]*[rRaTt]|^--(rec|arch|no-t|targ|backup|sym)|^-$/.test(word))
        ? `it writes files that the command does not name (${name})`
        : undefined;
    case 'sort':
      return known.some((word) => /^-[^-]*[oT]|^--(o|co|f|t)/.test(word))
        ? 'it writes or runs (sort)'
        : undefined;
    case 'uniq':
      return countOperands(words) > 1 ? 'it writes a file (uniq)' : undefined;
    case 'file':
      return known.some((word) => /^-[^-]*C|^--c/.test(word)) ? 'it writes a file (file -C)' : undefined;
    case 'date':
      return known.some((word) => /^-[uR]*s|^--s/.test(word)) ? 'it sets the clock (date -s)' : undefined;
    case 'printf':
      return /^-(v|$)/.test(known[0] ?? '') ? 'it sets a variable (printf -v)' : undefined;
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
      return known.some((word) => /^-[a-zA-Z]*[oR]|^--output/.test(word))
        ? 'it writes files (tree -o, -R)'
        : undefined;
    case 'deno':
      return known.some((word) => /^(npm|jsr):/.test(word)) ? 'it runs foreign code (deno)' : undefined;
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
