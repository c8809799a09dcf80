import { isObject } from '../../core/message.js';
import type { ImportSink } from '../importSink.js';
import { memberJson } from '../reading/archiveJson.js';
import { fields, objects, text, type Fields } from '../reading/fields.js';
import type { ArchiveMember } from '../reading/zipArchive.js';

/** Whether a value is a trajectory of Harbor's Agent Trajectory Interchange Format. */
export function isTrajectory(value: unknown): value is Fields {
  return (
    isObject(value) && typeof value.schema_version === 'string' && value.schema_version.startsWith('ATIF-v')
  );
}

/**
 * The trajectories of an archive, those that others refer to by their path inside the one that does; undefined where
 * it holds none. What else is in it is reported.
 */
export function atifArchive(
  members: readonly ArchiveMember[],
  sink: ImportSink,
): readonly Fields[] | undefined {
  const found = new Map<string, Fields>();
  for (const member of members.filter(({ name }) => name.endsWith('.json'))) {
    const value = memberJson(member, sink);
    if (isTrajectory(value)) found.set(member.name, value);
  }
  if (found.size === 0) return undefined;
  const others = members.filter(({ name }) => !found.has(name) && !name.endsWith('/'));
  if (others.length > 0) {
    const names = others.slice(0, 3).map(({ name }) => name);
    sink.problem(
      'warning',
      `Not read, because they are no trajectories: ${names.join(', ')} (${others.length}).`,
    );
  }
  const inside = new Set([...found.values()].flatMap((value) => pathsIn(value, found)));
  const roots = [...found.keys()].filter((name) => !inside.has(name));
  // Trajectories that refer to each other in a ring have no beginning; then each is read for itself.
  return (roots.length > 0 ? roots : [...found.keys()]).map((name) => withChildren(name, found));
}

/** A trajectory with all that it refers to by path, and what those refer to, under their paths as their ids. */
function withChildren(root: string, found: ReadonlyMap<string, Fields>): Fields {
  const taken = new Set([root]);
  for (const name of taken) for (const path of pathsIn(found.get(name) ?? {}, found)) taken.add(path);
  taken.delete(root);
  const trajectory = found.get(root) ?? {};
  const children = [...taken].map((name) => ({ ...found.get(name), trajectory_id: name }));
  return {
    ...trajectory,
    subagent_trajectories: [...objects(trajectory.subagent_trajectories), ...children],
  };
}

/** The files that the results of a trajectory refer to. */
function pathsIn(trajectory: Fields, found: ReadonlyMap<string, Fields>): readonly string[] {
  return objects(trajectory.steps)
    .flatMap((step) => objects(fields(step.observation).results))
    .flatMap((result) => objects(result.subagent_trajectory_ref))
    .flatMap(({ trajectory_path }) => nameOf(text(trajectory_path), [...found.keys()]) ?? []);
}

/** Which of some names a path means: written from the archive's root, or from the folder of the one that refers. */
export function nameOf(path: string | undefined, names: readonly string[]): string | undefined {
  if (path === undefined) return undefined;
  const plain = path.replace(/^(?:\.{0,2}\/)+/, '');
  return names.find((name) => name === plain) ?? names.find((name) => name.endsWith(`/${plain}`));
}
