import { posix } from 'node:path';
import { isObject } from '../../../core/message.js';
import type { ImportSink } from '../../building/importSink.js';
import { memberValues } from '../../reading/archiveJson.js';
import { fields, objects, text, type Fields } from '../../reading/fields.js';
import type { ArchiveMember } from '../../reading/zipArchive.js';

/**
 * Whether a value is a trajectory of Harbor's Agent Trajectory Interchange Format. Some tools write its version without
 * its name: these are known by their agent and steps.
 */
export function isTrajectory(value: unknown): value is Fields {
  if (!isObject(value) || typeof value.schema_version !== 'string') return false;
  if (value.schema_version.startsWith('ATIF-v')) return true;
  const [first] = objects(value.steps);
  return isObject(value.agent) && typeof first?.source === 'string' && first.step_id !== undefined;
}

/**
 * The trajectories of an archive, where one that another refers to by path is nested in that one; `archive_path` is the
 * name of each in the archive. Undefined where the archive contains none. Other files are reported.
 */
export function atifArchive(
  members: readonly ArchiveMember[],
  maxBytes: number,
  sink: ImportSink,
): readonly Fields[] | undefined {
  const files = members.filter(({ name }) => !name.endsWith('/'));
  const others = files.map(({ name }) => name).filter((name) => !name.endsWith('.json'));
  const found = new Map<string, Fields>();
  const values = memberValues(
    files.filter(({ name }) => name.endsWith('.json')),
    maxBytes,
    sink,
  );
  for (const [name, value] of values) {
    if (isTrajectory(value)) found.set(name, { ...value, archive_path: name });
    else others.push(name);
  }
  if (found.size === 0) return undefined;
  if (others.length > 0) {
    const names = others.slice(0, 3).join(', ');
    sink.problem('warning', `Not read, because they are no trajectories: ${names} (${others.length}).`);
  }
  const paths = new Map(
    Array.from(found, ([name, value]) => [name, pathsIn(value, name, [...found.keys()])]),
  );
  const inside = new Set([...paths.values()].flat());
  const taken = new Set<string>();
  const roots: Fields[] = [];
  // A cycle of references has no root, so its first trajectory is taken for one, after all real roots.
  for (const name of [...[...found.keys()].filter((each) => !inside.has(each)), ...found.keys()]) {
    if (taken.has(name)) continue;
    if (inside.has(name)) sink.ring();
    roots.push(withChildren(name, found, paths, taken));
  }
  return roots;
}

/** A trajectory with all that it refers to, directly or indirectly, with paths as ids. */
function withChildren(
  root: string,
  found: ReadonlyMap<string, Fields>,
  paths: ReadonlyMap<string, readonly string[]>,
  taken: Set<string>,
): Fields {
  const reached = new Set([root]);
  for (const name of reached) for (const path of paths.get(name) ?? []) reached.add(path);
  for (const name of reached) taken.add(name);
  reached.delete(root);
  const trajectory = found.get(root) ?? {};
  const children = [...reached].map((name) => ({ ...found.get(name), trajectory_id: name }));
  return {
    ...trajectory,
    subagent_trajectories: [...objects(trajectory.subagent_trajectories), ...children],
  };
}

/** The files that a trajectory's results refer to. */
function pathsIn(trajectory: Fields, from: string, names: readonly string[]): readonly string[] {
  return objects(trajectory.steps)
    .flatMap((step) => objects(fields(step.observation).results))
    .flatMap((result) => objects(result.subagent_trajectory_ref))
    .flatMap(({ trajectory_path }) => nameOf(text(trajectory_path), names, from) ?? []);
}

/**
 * The name that a path means: relative to the folder of the referring file, `from`, else to the archive's root, else to
 * a folder above that root.
 */
export function nameOf(path: string | undefined, names: readonly string[], from: string): string | undefined {
  if (path === undefined) return undefined;
  const plain = path.replace(/^(?:\.{0,2}\/)+/, '');
  const folder = posix.dirname(from);
  const exact = [posix.join(folder, path), posix.join(folder, plain), plain];
  const known = exact.find((each) => names.includes(each));
  return known ?? names.find((name) => name.endsWith(`/${plain}`));
}
