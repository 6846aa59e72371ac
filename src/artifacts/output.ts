import type { GeneratedFile } from './generate.ts';
import { type PreviousManifest, sha256 } from './shared/draft.ts';

/**
 * A generated file beside what lies on disk. `edited-by-person`: it is neither what was generated before nor what would be
 * now. `obsolete`: it was generated before and no longer belongs; `obsolete-edited`: and a person changed it since.
 */
export interface FileChange {
  readonly file: string;
  readonly state: 'new' | 'unchanged' | 'changed' | 'edited-by-person' | 'obsolete' | 'obsolete-edited';
}

/**
 * Compares a generated set with what lies on disk: first its files in their order, then what no longer belongs.
 * @param readDisk the text of a file (relative to the output directory), or null where there is none
 */
export function compare(
  files: readonly Pick<GeneratedFile, 'file' | 'content'>[],
  previous: PreviousManifest | null,
  readDisk: (file: string) => string | null,
): FileChange[] {
  const before = new Map(previous?.files.map(({ file, sha256: sum }) => [file, sum]));
  const belongs = new Set(files.map(({ file }) => file));
  const present = files.map(({ file, content }): FileChange => {
    const onDisk = readDisk(file);
    if (onDisk === null) return { file, state: 'new' };
    if (onDisk === content) return { file, state: 'unchanged' };
    return { file, state: before.get(file) === sha256(onDisk) ? 'changed' : 'edited-by-person' };
  });
  const gone = [...before].flatMap(([file, sum]): FileChange[] => {
    const onDisk = belongs.has(file) ? null : readDisk(file);
    if (onDisk === null) return [];
    return [{ file, state: sha256(onDisk) === sum ? 'obsolete' : 'obsolete-edited' }];
  });
  return [...present, ...gone];
}
