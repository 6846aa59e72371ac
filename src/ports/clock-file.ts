import { readFileSync, statSync } from 'node:fs';
import { type Clock, type ClockAnchor, followingClock } from './clock.ts';

/** What a file holds, read again only when it was replaced; `otherwise` until it is there. */
export function rereadFile<T>(file: string, parse: (text: string) => T, otherwise: T): () => T {
  let version = '';
  let value = otherwise;
  return () => {
    try {
      const { mtimeMs, ino } = statSync(file);
      const found = `${mtimeMs} ${ino}`;
      if (found !== version) {
        value = parse(readFileSync(file, 'utf8'));
        version = found;
      }
    } catch {
      // Gone for a moment or for good: what was known last is the best answer.
    }
    return value;
  };
}

/** The clock along the anchor in a file, also after the file was replaced; the machine's own while there is none. */
export function fileClock(file: string): Clock {
  const read = (text: string) => JSON.parse(text) as ClockAnchor;
  return followingClock(rereadFile<ClockAnchor>(file, read, { real: 0, simulated: 0, speed: 1 }));
}
