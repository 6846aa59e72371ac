import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sanitizeLine } from '../../text/sanitize.ts';

const MOST = 3000;

/** The names, sizes, modes and times of the files in a directory, and nothing of what they hold; at most 3000. */
export async function listing(dir: string): Promise<string> {
  const lines: string[] = [];
  const walk = async (place: string): Promise<void> => {
    const names = await readdir(join(dir, place)).catch(() => []);
    for (const name of names.sort()) {
      if (lines.length === MOST) return;
      const path = join(place, name);
      const stat = await lstat(join(dir, path)).catch(() => null);
      if (stat === null) continue;
      const kind = stat.isDirectory() ? 'd' : stat.isFile() ? '-' : stat.isSymbolicLink() ? 'l' : '?';
      const mode = `0${(stat.mode & 0o7777).toString(8)}`;
      const at = new Date(stat.mtimeMs).toISOString();
      lines.push(`${kind} ${mode} ${String(stat.size).padStart(10)} ${at} ${sanitizeLine(path)}`);
      if (stat.isDirectory()) await walk(path);
    }
  };
  await walk('');
  return lines.join('\n');
}
