import { readFile } from 'node:fs/promises';
import { defineConfig } from 'vitest/config';

/** Templates are imported as text, as the bundle does it. */
const templateText = {
  name: 'template-text',
  enforce: 'pre' as const,
  async load(id: string) {
    return id.endsWith('.eta') ? `export default ${JSON.stringify(await readFile(id, 'utf8'))};` : null;
  },
};

export default defineConfig({
  plugins: [templateText],
  test: {
    reporters: ['default', './test/support/summary-reporter.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles: ['./test/support/language.ts'],
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: ['test/system/**', 'test/e2e/**'],
          testTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'system',
          setupFiles: ['./test/support/language.ts'],
          include: ['test/system/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // After the others, since the rehearsals in them keep two cores busy.
        test: {
          name: 'e2e',
          setupFiles: ['./test/support/language.ts'],
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
