import type { GeneratedFile } from './generate.ts';
import { type PreviousManifest, sha256 } from './shared/generator.ts';

/**
 * A generated file compared with the file on disk. `edited-by-person`: the file on disk is neither the text that was
 * generated before nor the one that would be now. `obsolete`: it was generated before and is not part of the set any
 * more; `obsolete-edited`: and you changed it since.
 */
export interface FileChange {
  readonly file: string;
  readonly state: 'new' | 'unchanged' | 'changed' | 'edited-by-person' | 'obsolete' | 'obsolete-edited';
}

/**
 * Compares a generated set with the files on disk: first its files in their order, then the obsolete ones.
 * @param readDisk the text of a file (relative to the output directory), or null where there is none
 */
export function compareWithDisk(
  files: readonly Pick<GeneratedFile, 'file' | 'content'>[],
  previous: PreviousManifest | null,
  readDisk: (file: string) => string | null,
): FileChange[] {
  const previousSums = new Map(previous?.files.map(({ file, sha256: sum }) => [file, sum]));
  const currentFiles = new Set(files.map(({ file }) => file));
  const present = files.map(({ file, content }): FileChange => {
    const onDisk = readDisk(file);
    if (onDisk === null) return { file, state: 'new' };
    if (onDisk === content) return { file, state: 'unchanged' };
    return { file, state: previousSums.get(file) === sha256(onDisk) ? 'changed' : 'edited-by-person' };
  });
  const obsolete = [...previousSums].flatMap(([file, sum]): FileChange[] => {
    const onDisk = currentFiles.has(file) ? null : readDisk(file);
    if (onDisk === null) return [];
    return [{ file, state: sha256(onDisk) === sum ? 'obsolete' : 'obsolete-edited' }];
  });
  return [...present, ...obsolete];
}
