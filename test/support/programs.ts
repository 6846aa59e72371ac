import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'vitest';

/**
 * `test` for tests that need programs of the system. If one is missing, the tests are skipped, with the reason in their
 * titles. With UPI_WIZARD_REQUIRE_SYSTEM=1 they fail instead, so that nothing passes silently.
 */
export function testWith(...programs: readonly string[]) {
  const missing = programs.filter((name) => findProgram(name) === null);
  if (missing.length === 0) return test;
  const reason = `needs ${missing.join(', ')}`;
  if (process.env.UPI_WIZARD_REQUIRE_SYSTEM !== '1') {
    return (name: string, _body: () => unknown) => test.skip(`${name} (${reason})`, () => {});
  }
  return (name: string, _body: () => unknown) =>
    test(name, () => {
      throw new Error(reason);
    });
}

/** Finds the path of a program on PATH, or in the directories for administrators, which a user's PATH may lack. */
export function findProgram(name: string): string | null {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  for (const directory of directories) {
    const path = join(directory, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this directory.
    }
  }
  return null;
}

/** Returns the path of a program that `testWith` has found. */
export function requireProgram(name: string): string {
  const path = findProgram(name);
  if (path === null) throw new Error(`needs ${name}`);
  return path;
}
