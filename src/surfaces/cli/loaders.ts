import type { Call } from './call.js';
import type { CommandName } from './command.js';

/** What runs a subcommand. */
export type Run = (call: Call) => Promise<void>;

/** Loads what every subcommand needs, and nothing else does. */
export const loadCall = async (): Promise<typeof Call> => (await import('./call.js')).Call;

/** Loads what the threads run that push to an archive. */
export const loadArchiveThread = async (): Promise<unknown> =>
  await import('../../archive/archive.worker.js');

/** Loads what runs each subcommand, which is loaded for nothing else. */
export const loaders: Readonly<Record<CommandName, () => Promise<Run>>> = {
  list: async () => (await import('./subcommands/list.js')).list,
  show: async () => (await import('./subcommands/show.js')).show,
  query: async () => (await import('./subcommands/query.js')).query,
  search: async () => (await import('./subcommands/search.js')).search,
  follow: async () => (await import('./subcommands/follow.js')).follow,
  watch: async () => (await import('./subcommands/watch.js')).watch,
  stats: async () => (await import('./subcommands/stats.js')).stats,
  cost: async () => (await import('./subcommands/cost.js')).cost,
  timeline: async () => (await import('./subcommands/timeline.js')).timeline,
  tools: async () => (await import('./subcommands/tools.js')).tools,
  compare: async () => (await import('./subcommands/compare.js')).compare,
  check: async () => (await import('./subcommands/check.js')).check,
  replay: async () => (await import('./subcommands/replay.js')).replay,
  serve: async () => (await import('./subcommands/serve.js')).serve,
  blame: async () => (await import('./subcommands/blame.js')).blame,
  explain: async () => (await import('./subcommands/blame.js')).explain,
  verify: async () => (await import('./subcommands/verify.js')).verify,
  export: async () => (await import('./subcommands/export.js')).exportSession,
  import: async () => (await import('./subcommands/import.js')).importFiles,
  push: async () => (await import('./subcommands/push.js')).push,
  record: async () => (await import('./subcommands/record.js')).record,
  run: async () => (await import('./subcommands/run.js')).run,
  mcp: async () => (await import('./subcommands/mcp.js')).mcp,
  completion: async () => (await import('./subcommands/completion.js')).completion,
};
