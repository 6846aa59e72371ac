import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkImports } from './tools/check-imports.ts';

test('the import checker reports static, type, re-exported and dynamic imports that break the direction, and cycles', () => {
  const report = checkImports(fileURLToPath(new URL('fixtures/import-rules', import.meta.url)));
  expect(report.violations.map(({ file, specifier }) => `${file} ${specifier}`).sort()).toEqual([
    'screens/boot.tsx ./nodes.tsx',
    'screens/boot.tsx node:fs',
    // A page is rows: only components import React and draw.
    'screens/hosts.ts ../src/ui/rows.ts',
    'screens/hosts.ts react',
    // The types of both files form a cycle.
    'src/artifacts/one.ts src/artifacts/other.ts',
    // Opening a cluster is the exception, for one file and one module.
    'src/cli/shared/cluster-target.ts ../../artifacts/generate.ts',
    'src/cli/shared/cluster-target.ts ../../kube/snapshot.ts',
    'src/cli/status.ts ../kube/connect-cluster.ts',
    'src/design/model.ts ../kube/connect-cluster.ts',
    'src/design/model.ts ../kube/connect-cluster.ts',
    'src/design/model.ts ../kube/connect-cluster.ts',
    'src/design/model.ts node:fs',
    'src/design/model.ts react',
    'src/steps/boot/index.ts ../certificates/members.ts',
    'src/steps/contract.ts ./shared/serving.ts',
    'src/steps/shared/serving.ts ../certificates/index.ts',
  ]);
});

test('the project keeps the import direction', () => {
  const report = checkImports(fileURLToPath(new URL('..', import.meta.url)));
  expect(report.violations).toEqual([]);
  expect(report.imports).toBeGreaterThan(report.files);
});
