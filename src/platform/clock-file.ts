import { readFileSync, statSync } from 'node:fs';
import { type Clock, type ClockAnchor, createAnchoredClock } from './clock.ts';

/**
 * Reads the value of a file, again only after the file was replaced.
 * @param otherwise the value until the file exists
 */
export function createFileReader<T>(file: string, parse: (text: string) => T, initial: T): () => T {
  let version = '';
  let value = initial;
  return () => {
    try {
      const { mtimeMs, ino } = statSync(file);
      const current = `${mtimeMs} ${ino}`;
      if (current !== version) {
        value = parse(readFileSync(file, 'utf8'));
        version = current;
      }
    } catch {
      // The file is missing for a moment or for good: the last known value is the best answer.
    }
    return value;
  };
}

/**
 * A clock that follows the anchor in a file, also after the file was replaced; without a file it is the system clock.
 */
export function createFileClock(file: string): Clock {
  const read = (text: string) => JSON.parse(text) as ClockAnchor;
  return createAnchoredClock(createFileReader<ClockAnchor>(file, read, { real: 0, simulated: 0, speed: 1 }));
}
