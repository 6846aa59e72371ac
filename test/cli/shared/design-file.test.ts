import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readDesignFile } from '../../../src/cli/shared/cluster-target.ts';
import { UsageError } from '../../../src/cli/shared/io.ts';
import { renderExampleDesign } from '../../../src/design/example.ts';

test('a design in a file is read, its errors are listed line by line, and a missing file is wrong usage', () => {
  const dir = mkdtempSync(join(tmpdir(), 'upi-design-file-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const [file, output] = [join(dir, 'cluster.yaml'), [] as string[]];
  const read = () => readDesignFile(file, { stderr: (text) => output.push(text) });
  expect(read).toThrow(UsageError);
  writeFileSync(file, renderExampleDesign({}));
  expect(read()?.nodes.length).toBeGreaterThan(0);
  expect(output).toEqual([]);
  writeFileSync(file, renderExampleDesign({}).replace('apiVersion: upi-wizard/v1\n', ''));
  expect(read()).toBeNull();
  expect(output).toEqual([
    `The design in ${file} has errors:\n`,
    '  apiVersion: apiVersion is missing. Add it: upi-wizard/v1.\n',
  ]);
});
